import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { feedHistory } from "../../testkit/analytics-model/feed.ts";
import { arbitraryStoreHistory } from "../../testkit/analytics-model/histories.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { openCopies } from "../../testkit/copies.ts";
import { erasePersonIn } from "../../testkit/erasure.ts";
import { propertyRuns } from "../../testkit/property-runs.ts";
import { raw, sql } from "../platform/database/sql.ts";
import type { ColumnarCopies, CopyReader } from "./public.ts";
import { originColumns, tables } from "./schema.ts";

/** Numbers that are a copy's own, as what they stand for; those of sessions and people are the database's. */
const told: Record<string, string> = {
  quiz: "(SELECT CAST(d.id AS VARCHAR) FROM quizzes AS d WHERE d.quiz = t.quiz)",
  ...Object.fromEntries(
    ["page", "last_page", "exit_page", "from_page", "to_page"].map((column) => [
      column,
      `(SELECT d.page_key FROM pages AS d WHERE d.page = t.${column})`,
    ]),
  ),
  question:
    "(SELECT concat_ws('/', d.page_key, d.component_key, d.kind) FROM questions AS d WHERE d.question = t.question)",
  option: '(SELECT d.option_id FROM options AS d WHERE d."option" = t."option")',
  rule: "(SELECT d.jump_rule_key FROM rules AS d WHERE d.rule = t.rule)",
  block: "(SELECT d.block_key FROM blocks AS d WHERE d.block = t.block)",
  product: "(SELECT d.product_id FROM products AS d WHERE d.product = t.product)",
  dimension: "(SELECT d.dimension_id FROM dimensions AS d WHERE d.dimension = t.dimension)",
  ...Object.fromEntries(
    originColumns.map((column) => [column, `(SELECT d.value FROM origins AS d WHERE d.origin = t.${column})`]),
  ),
  visitor: "(SELECT CAST(d.id AS VARCHAR) FROM visitors AS d WHERE d.visitor = t.visitor)",
  segment:
    "(SELECT concat_ws('/', d.channel, d.device, d.country, d.region, d.is_returning, d.status) FROM segments AS d WHERE d.segment = t.segment)",
  outcome: "(SELECT d.value FROM outcomes AS d WHERE d.outcome = t.outcome)",
  winner: "(SELECT d.dimension_id FROM dimensions AS d WHERE d.dimension = t.winner)",
};

const filled = [
  "people",
  "sessions",
  "visits",
  "moves",
  "hidden",
  "shown",
  "orders",
  "lines",
  "answers",
  "points",
  "formulas",
];

async function rowsOf(facts: CopyReader, storeId: string): Promise<Record<string, string[]>> {
  const { result } = await facts.read(storeId, async (query) => {
    const found: Record<string, string[]> = {};
    for (const { name, columns } of tables.filter((table) => filled.includes(table.name))) {
      const list = columns.map(([column]) => `CAST(${told[column] ?? `t."${column}"`} AS VARCHAR) AS "${column}"`);
      const rows = await query(sql`SELECT ${raw(list.join(", "))} FROM ${raw(name)} AS t`);
      found[name] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return found;
  });
  return result;
}

async function compareWays(t: TestApp, number: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "facts-ways-"));
  const opened: ColumnarCopies[] = [];
  const open = async (name: string, fewAtMost: number) => {
    const { database, calendar } = t;
    const facts = await openCopies({
      directory: join(directory, name),
      database,
      calendar,
      log: t.foundations.log,
      fewAtMost,
    });
    opened.push(facts);
    return facts;
  };
  try {
    const few = await open("few", 2_000);
    const many = await open("many", 0);
    const [given] = fc.sample(arbitraryStoreHistory({ maxSessions: 40 }), { seed: number, numRuns: 1 });
    if (!given) throw new Error("no history");
    const { store } = await feedHistory(t, given, async (half) => {
      for (const facts of [few, many]) await rowsOf(facts, half.uuid);
    });
    const { body } = await t.request("GET", "/v1/profiles?limit=1", { key: store.key });
    if (body.data.length > 0) await erasePersonIn(t, store, body.data[0].id);
    const loaded = await rowsOf(await open("loaded", 0), store.uuid);
    expect(await rowsOf(few, store.uuid)).toEqual(loaded);
    expect(await rowsOf(many, store.uuid)).toEqual(loaded);
    expect(loaded["answers"]?.length).toBeGreaterThan(0);
  } finally {
    for (const facts of opened) await facts.close();
    await rm(directory, { recursive: true, force: true });
  }
}

it("holds the same whether changes came one by one, in files, or all at once [copy.same-by-any-way]", async () => {
  const t = await openTestApp();
  try {
    await fc.assert(
      fc.asyncProperty(fc.noShrink(fc.nat(2 ** 31 - 100)), (number) => compareWays(t, number)),
      { numRuns: propertyRuns(2) },
    );
  } finally {
    await t.close();
  }
}, 120_000);
