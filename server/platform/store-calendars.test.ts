import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { ownStore, sql } from "./database/sql.ts";
import { inSharedTime } from "./own-time.ts";
import { StoreCalendars } from "./store-calendars.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const shared = { now: () => 1_000, afterReal: (ms: number) => 1_000 + 2 * ms };
const moved = { id: "00000000-0000-4000-8000-000000000001", clockAheadMs: 500 };
const other = { id: "00000000-0000-4000-8000-000000000002" };

describe("calendars of stores [test-stores.clock]", () => {
  it("show the time of whoever it is asked for, also after a wait", async () => {
    const calendars = new StoreCalendars(shared);
    expect(calendars.now()).toBe(1_000);
    const seen = await calendars.within(moved, async () => {
      const before = calendars.now();
      await new Promise((resolve) => setTimeout(resolve, 1));
      const inside = calendars.within(other, () => calendars.now());
      return [before, calendars.now(), calendars.afterReal(10), inside, inSharedTime(() => calendars.now())];
    });
    expect(seen).toEqual([1_500, 1_500, 1_520, 1_000, 1_000]);
    expect([calendars.now(), calendars.sharedNow()]).toEqual([1_000, 1_000]);
  });

  it("never go back, whoever has read an older state", () => {
    const calendars = new StoreCalendars(shared);
    calendars.learn(moved);
    calendars.learn({ ...moved, clockAheadMs: 200 });
    expect(calendars.of(moved.id).now()).toBe(1_500);
    expect(calendars.moved).toEqual([moved.id]);
    calendars.forget(moved.id);
    expect(calendars.of(moved.id).now()).toBe(1_000);
  });

  it("never go back of a store in use, however many others were moved [time.clock-steps]", () => {
    const calendars = new StoreCalendars(shared);
    const inUse = calendars.of(moved.id);
    calendars.learn(moved);
    for (let index = 0; index < 10_500; index += 1) {
      calendars.learn({ id: `other ${index}`, clockAheadMs: 1 });
      if (index % 5_000 === 0) expect(inUse.now()).toBe(1_500);
    }
    expect(inUse.now()).toBe(1_500);
  });
});

describe("in the time of a store", () => {
  const readRevision = (storeId: string) =>
    t.database.reader().forStore(storeId).all(sql`SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`);

  it("no statement of another store runs [test-stores.own-time]", async () => {
    const [own, foreign] = [await t.store(), await t.store()];
    const calendars = new StoreCalendars(t.calendar);
    const timed = { id: own.uuid, clockAheadMs: 1 };
    expect(await calendars.within(timed, () => readRevision(own.uuid))).toHaveLength(1);
    const wrong = calendars.within(timed, async () => readRevision(foreign.uuid));
    await expect(wrong).rejects.toThrow("another store's calendar");
    expect(await calendars.within(timed, () => inSharedTime(() => readRevision(foreign.uuid)))).toHaveLength(1);
  });

  it("what is due is looked for in that store alone, and nowhere else", async () => {
    const [own, foreign] = [await t.store(), await t.store()];
    const calendars = new StoreCalendars(t.calendar);
    t.database.excludeStores(() => calendars.moved);
    const due = async () => {
      const rows = await t.database.due(
        (only) => sql<{ store_id: string }>`
          /* due: across stores */
          SELECT store_id FROM store_revisions WHERE revision >= 0 ${only} LIMIT 100`,
      );
      const found = rows.map(({ store_id }) => store_id);
      return [own, foreign].filter(({ uuid }) => found.includes(uuid));
    };
    expect(await due()).toEqual([own, foreign]);
    expect(await calendars.within({ id: own.uuid, clockAheadMs: 1 }, due)).toEqual([own]);
    expect(await due()).toEqual([foreign]);
    t.database.excludeStores(() => []);
  });
});
