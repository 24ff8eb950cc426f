import { expect, it } from "vitest";
import { chooseCoding } from "./coding.ts";

it.each([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["GZIP;q=0.5", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0, *", "gzip"],
  ["*", "br"],
  ["*;q=0", "identity"],
  ["identity, deflate", "identity"],
  ["br;q=odd", "identity"],
])("%s is answered in %s [player.files]", (header, coding) => {
  expect(chooseCoding(header)).toBe(coding);
});
