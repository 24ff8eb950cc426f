import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { retentions } from "../server/main/retention.ts";
import { describeSettings } from "../server/platform/config.ts";
import { readMigrations } from "../server/platform/database/migrate.ts";
import { loadMigrationRules } from "../testkit/migration-rules.ts";

/** The guide for operators says what the program does: its settings, and what is deleted when. */

const root = join(import.meta.dirname, "..");
const guide = await readFile(join(root, "docs/operations.md"), "utf8");
const { tablesOf } = await loadMigrationRules();
const migrations = await readMigrations(join(root, "migrations"));
const day = 24 * 60 * 60 * 1000;

/** The rows below a heading, cell by cell; a name in backticks without them. */
function tableUnder(heading: string): string[][] {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => /^\| `/.test(line));
  return rows.map((row) =>
    row
      .slice(2, -2)
      .split(" | ")
      .map((cell, index) => (index === 0 ? cell.replaceAll("`", "") : cell)),
  );
}

describe("docs/operations.md", () => {
  it("lists every setting with its default and meaning [operations.settings]", () => {
    const rows = describeSettings({}).map((setting) => [setting.name, setting.default, setting.meaning]);
    expect(tableUnder("Settings")).toEqual(rows);
  });

  it("says of every table what is deleted when, or why it is kept [operations.retention]", () => {
    const { tenant, reference } = tablesOf(migrations.map(({ sql }) => sql));
    const told = tableUnder("What is deleted when");
    expect(told.map(([table]) => table).sort()).toEqual([...tenant, ...reference].sort());
    expect(told.filter(([, , why]) => !why)).toEqual([]);
  });

  it("names the same ages as the program keeps to [operations.retention]", () => {
    const told = tableUnder("What is deleted when").filter(([, kept]) => kept !== "for good");
    const days = new Map(retentions.map(({ table, keptMs }) => [table, keptMs / day]));
    const ages = [...days].map(([table, age]) => [table, age === 1 ? "1 day" : `${age} days`]);
    expect(told.map(([table, kept]) => [table, kept]).sort()).toEqual(ages.sort());
  });

  it("links to documents that are there", async () => {
    const links = [...guide.matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g)].flatMap((match) => match[1] ?? []);
    expect(links.length).toBeGreaterThan(5);
    for (const link of new Set(links)) {
      const text = await readFile(join(root, "docs", link), "utf8").catch(() => null);
      expect([link, text === null ? "missing" : "there"]).toEqual([link, "there"]);
    }
  });
});
