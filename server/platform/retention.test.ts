import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { ownStore, sql } from "./database/sql.ts";
import { forgetOldRows } from "./retention.ts";

let t: TestApp;
let store: TestStore;

beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
});

afterAll(() => t.close());

const day = 24 * 60 * 60 * 1000;
const node = "0198f000-0000-7000-8000-000000000009";

it("forgets the copies of machines that are gone, a day after their own process would have [operations.retention]", async () => {
  const db = t.database.reader();
  for (const [slot, age] of [
    [1, 8 * day + 1],
    [2, 8 * day - 1],
  ] as const) {
    await db
      .forStore(store.uuid)
      .all(
        sql`INSERT INTO facts_copies (store_id, node, slot, revision, seen_at) VALUES (${ownStore}, ${node}, ${slot}, 1, ${new Date(t.calendar.now() - age)})`,
      );
  }
  expect(await forgetOldRows(t.database, t.calendar)).toBe(1);
  const left = await db
    .forStore(store.uuid)
    .all<{ slot: number }>(sql`SELECT slot FROM facts_copies WHERE store_id = ${ownStore}`);
  expect(left).toEqual([{ slot: 2 }]);
});
