import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { earlierResults } from "../testkit/earlier-results.ts";

it("2,000 documents of before outcomes give the same walks, events and sessions to the byte [engine.same-results]", () => {
  const recorded = JSON.parse(readFileSync(new URL("../testkit/earlier-results.json", import.meta.url), "utf8"));
  expect(earlierResults(2_000)).toEqual(recorded);
}, 120_000);
