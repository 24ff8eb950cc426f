import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { operations } from "../contract/api.ts";
import { errorKinds } from "../contract/errors.ts";
import { costs } from "../contract/limits.ts";
import { openApiDocument } from "../contract/openapi.ts";
import { readAbout } from "../server/main/about.ts";

/** What the integrators' guide says of every request is what the contract has. */

const guide = await readFile(join(import.meta.dirname, "../docs/integrators.md"), "utf8");
const document = JSON.stringify(openApiDocument(operations, readAbout()));

it("names every refusal of /v1 beside its status [api.problems]", () => {
  const sent = Object.entries(errorKinds).filter(([title]) => document.includes(`${title}: `));
  expect(sent.length).toBeGreaterThan(15);
  const rows = guide.split("\n").filter((line) => line.startsWith("| "));
  const lacking = sent.filter(
    ([title, { status }]) =>
      !rows.some((row) => row.split("|")[1]?.includes(`${status}`) && row.includes(`\`${title}\``)),
  );
  expect(lacking.map(([title]) => title)).toEqual([]);
});

it("names every scope, every price and how long a page of a list may be [api.scopes, api.rate-limits]", () => {
  const scopes = operations.flatMap(({ scope }) => scope ?? []);
  expect(scopes.filter((scope) => !guide.includes(`\`${scope}\``))).toEqual([]);
  const { read, write, search, analytics } = costs;
  expect(guide.replaceAll(/\s+/g, " ")).toContain(
    `Reading costs ${read} unit, a change ${write}, a search ${search}, an analytics answer ${analytics} (1 with a 304)`,
  );
  expect(guide).toContain("(1 to 100, 20 by default)");
  expect(document).toContain('"minimum":1,"maximum":100,"default":20');
});
