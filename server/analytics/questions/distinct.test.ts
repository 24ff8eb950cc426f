import { afterAll, beforeEach, expect, it } from "vitest";
import { HandCopy } from "../../../testkit/hand-copy.ts";
import { raw, type Statement, sql } from "../../platform/database/sql.ts";
import { distinct, distinctVisitors } from "./distinct.ts";

const copy = await HandCopy.open();
beforeEach(() => copy.empty());
afterAll(() => copy.close());

const counted = async (aggregate: Statement) => {
  const rows = await copy.query(sql<{ device: string; counted: number }>`
    SELECT s.device, ${aggregate} AS counted FROM sessions AS s GROUP BY s.device ORDER BY s.device`);
  return rows.map((row) => row.counted);
};

async function threeVisitors(): Promise<void> {
  for (const [device, number] of [
    ["desktop", 1],
    ["desktop", 1],
    ["desktop", 2],
    ["mobile", 2],
    ["mobile", 3],
    ["tablet", 3],
  ] as const) {
    const visitor = `00000000-0000-7000-8000-00000000000${number}`;
    await copy.put("sessions", { session: number, device, visitor, is_returning: number === 1 });
  }
}

it.each([
  ["bits", "bit_count", "3"],
  ["a hash table", "DISTINCT", "1000000000"],
])("counts distinct visitors of each group by %s, of none too [figures.unique-viewers]", async (_, way, groups) => {
  await threeVisitors();
  const visitors = await distinctVisitors(copy.query, raw(groups));
  expect(visitors().sql).toContain(way);
  expect(await counted(visitors())).toEqual([2, 2, 1]);
  expect(await counted(visitors(raw("s.is_returning")))).toEqual([1, 0, 0]);
});

it("counts nobody where there is nobody [figures.unique-viewers]", async () => {
  const visitors = await distinctVisitors(copy.query, raw(1));
  expect(await copy.query(sql`SELECT ${visitors()} AS all_of_them FROM sessions AS s`)).toEqual([{ all_of_them: 0 }]);
});

it("counts numbers of any range, whose first is not 1 [answers.cohort]", async () => {
  for (const session of [5_000_000_001, 5_000_000_001, 5_000_000_064]) await copy.put("answers", { session });
  const sessions = await distinct(copy.query, {
    column: "a.session",
    of: { table: "answers", column: "session" },
    groups: raw(1),
  });
  expect(sessions().sql).toContain("bit_count");
  expect(await copy.query(sql`SELECT ${sessions()} AS sessions FROM answers AS a`)).toEqual([{ sessions: 2 }]);
});
