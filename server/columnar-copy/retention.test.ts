import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { dayMs, forgetOldRows } from "../platform/retention.ts";
import { copyRetention } from "./retention.ts";

let t: TestApp;
let store: TestStore;

beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
});

afterAll(() => t.close());

const node = "0198f000-0000-7000-8000-000000000009";

it("forgets the copies of machines that are gone, a day after their own process would have [operations.retention]", async () => {
  const db = t.database.reader();
  for (const [slot, age] of [
    [1, 8 * dayMs + 1],
    [2, 8 * dayMs - 1],
  ] as const) {
    await db
      .forStore(store.uuid)
      .all(
        sql`INSERT INTO facts_copies (store_id, node, slot, revision, seen_at) VALUES (${ownStore}, ${node}, ${slot}, 1, ${new Date(t.calendar.now() - age)})`,
      );
  }
  expect(await forgetOldRows(t.database, t.calendar, copyRetention)).toBe(1);
  const left = await db
    .forStore(store.uuid)
    .all<{ slot: number }>(sql`SELECT slot FROM facts_copies WHERE store_id = ${ownStore}`);
  expect(left).toEqual([{ slot: 2 }]);
});
