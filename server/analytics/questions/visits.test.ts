import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { HandCopy } from "../../../testkit/hand-copy.ts";
import { sql } from "../../platform/database/sql.ts";
import { readPageVisits } from "./visits.ts";

const copy = await HandCopy.open();
afterAll(() => copy.close());

const rows = sql`FROM visits AS v WHERE v.quiz = 1`;

it("finds the very median of times on a page, of any length [paths.page-time]", async () => {
  const day = 86_400_000;
  const time = fc.oneof(
    ...[fc.nat(300), fc.nat(60_000), fc.integer({ min: 2 ** 18 - 2, max: 2 ** 18 + 2 }), fc.nat(10 * day)],
    ...[fc.constant(77), fc.constant(null)],
  );
  const visit = fc.record({ page: fc.integer({ min: 1, max: 2 }), time_ms: time, entries: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(visit, { maxLength: 12 }), async (visits) => {
      await copy.empty();
      await copy.put("pages", { page: 1, quiz: 1, page_key: "skin" }, { page: 2, quiz: 1, page_key: "oil" });
      await copy.put("visits", ...visits.map((one, index) => ({ session: index, ...one })), { quiz: 2, page: 1 });
      const plainly = sql`SELECT p.page_key, sum(v.entries) AS entries, sum(v.entries_by_jump) AS entries_by_jump,
          median(v.time_ms) AS median_time
        FROM (SELECT * ${rows}) AS v JOIN pages AS p USING (page) GROUP BY p.page_key ORDER BY p.page_key`;
      const found = await readPageVisits(copy.query, rows);
      expect(found.toSorted((a, b) => (a.page_key < b.page_key ? -1 : 1))).toEqual(await copy.query(plainly));
    }),
    { numRuns: 60 },
  );
});
