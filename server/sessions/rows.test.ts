import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { scriptedHistory } from "../../testkit/histories.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { opened, shortWay } from "../../testkit/session-scripts.ts";
import { finderQuiz } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId, sessionRow } from "../../testkit/storefront.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { reduceSession } from "./reduce.ts";
import { type ReducedColumns, readSessions, reducedColumns, sessionsAsJson } from "./rows.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

/** How many rows of events the transaction has read until now. */
const eventsRead = async (tx: StoreTransaction): Promise<number> => {
  const row = await tx.first(sql<{ read: number }>`
    SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read
    FROM pg_stat_xact_user_tables WHERE relname = 'session_events'`);
  return row?.read ?? 0;
};

// a cluster's coordinator makes no plan without the values
it.runIf(inject("workers").length === 0)(
  "finds known events by a plan made for an empty table without reading the store's others [storefront.repeated-events]",
  async () => {
    const store = await t.store();
    const quiz = await makeQuiz(t, store, { publish: true });
    await send(t, store, quiz, recently(t, [opened()]), { session: { id: sessionId(1) } });
    const kept = (await sessionRow(t, store, sessionId(1)))?.id ?? "";
    await t.database.transaction(async (anyStore) => {
      const tx = anyStore.forStore(store.uuid);
      const known = await tx.all(sql<{ id: string }>`SELECT id FROM session_events WHERE store_id = ${ownStore}`);
      expect(known.length).toBe(1);
      const unknown = "00000000-0000-4000-8000-00000000ffff";
      const asked = new Map([[kept, [...known.map(({ id }) => id), unknown]]]);
      await tx.all(sql`SET LOCAL plan_cache_mode = force_generic_plan`);
      await readSessions(tx, asked);
      await tx.all(sql`
      INSERT INTO session_events (store_id, session_id, id, seq, at, received_at, type, data)
      SELECT ${ownStore}, md5('session' || n)::uuid, md5('event' || n)::uuid, 1, ${new Date(0)}, ${new Date(0)}, 'page_entered', '{}'
      FROM generate_series(1, 20000) AS n`);
      const before = await eventsRead(tx);
      const [session] = await readSessions(tx, asked);
      expect(session?.known.toSorted()).toEqual(known.map(({ id }) => id).toSorted());
      expect((await eventsRead(tx)) - before).toBeLessThan(20);
    });
  },
);

it("counts the events of a session where its row does not tell, as that of a release before [storefront.session-bounds]", async () => {
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { publish: true });
  for (const number of [1, 2])
    await send(t, store, quiz, recently(t, [opened()]), { session: { id: sessionId(number) } });
  const kept = (await sessionRow(t, store, sessionId(1)))?.id ?? "";
  const before = (await sessionRow(t, store, sessionId(2)))?.id ?? "";
  await t.database.transaction(async (anyStore) => {
    const tx = anyStore.forStore(store.uuid);
    await tx.all(sql`UPDATE sessions SET state = state - 'fold' WHERE store_id = ${ownStore} AND id = ${before}`);
    const asked = new Map([
      [kept, []],
      [before, []],
    ]);
    const counted = new Map((await readSessions(tx, asked)).map((one) => [one.row.id, one.counted]));
    expect(counted).toEqual(
      new Map([
        [kept, null],
        [before, { events: 1, bytes: expect.any(Number) }],
      ]),
    );
    expect(counted.get(before)?.bytes).toBeGreaterThan(0);
  });
});

/** @param bytes that its events are said to hold */
function rowOf(bytes: number): ReducedColumns {
  const { state } = reduceSession({ quiz: finderQuiz, country: null, events: scriptedHistory(...shortWay), now: null });
  const more = { isReturning: false, emitted: [], due: null };
  const fold = { ...state.fold, bytes };
  return reducedColumns("00000000-0000-4000-8000-000000000001", finderQuiz, { ...state, fold }, more);
}

it.each([
  ["none", [], 0],
  ["usual ones", Array.from({ length: 64 }, () => 1_400), 0],
  ["long ones", Array.from({ length: 8 }, () => 250_000), 3],
  ["one longer than any that is admitted", [2_000_000, 1, 2_000_000], 2],
])(
  "writes a group's sessions as JSON, with turns of the event loop between long ones: %s [storefront.groups]",
  async (_, sizes, turns) => {
    const rows = sizes.map(rowOf);
    let [taken, isDone] = [0, false];
    const written = sessionsAsJson(rows).finally(() => {
      isDone = true;
    });
    for (await nextTurn(); !isDone && taken < 100; await nextTurn()) taken += 1;
    expect(JSON.parse(await written)).toEqual(JSON.parse(JSON.stringify(rows)));
    expect(taken).toBeGreaterThanOrEqual(Math.max(0, turns - 1));
    expect(taken).toBeLessThanOrEqual(turns);
  },
);
