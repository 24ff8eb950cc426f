import {
  clockBounds,
  emptyTestStore,
  getTestClock,
  moveTestClock,
  type TestClock,
} from "../../contract/test-stores.ts";
import { isoTime } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { type Runner, sql } from "../platform/database/sql.ts";
import { preparedWriteRoute, type Route, readRoute, writeRoute } from "../platform/http/operations.ts";
import { inSharedTime } from "../platform/own-time.ts";
import { invalid, Problem } from "../platform/problems.ts";
import type { StoreCalendars } from "../platform/store-calendars.ts";
import { holdRevision } from "./revision.ts";
import { moveClock, replaceTwin, type TwinDeps, type TwinRow, twinAnswer } from "./test-twins.ts";

/**
 * `/v1/test`: a test twin's clock, and replacing the twin with an empty one [test-stores.clock, test-stores.emptied].
 */

export interface TestRouteDeps extends Omit<TwinDeps, "calendar"> {
  database: Database;
  calendar: StoreCalendars;
  /** invalidates the cached stores once the change is committed */
  storesChanged: () => void;
}

async function clockAnswer(db: Runner, storeId: string, sharedNow: number): Promise<TestClock> {
  const row = await db.first(sql<TwinRow>`
    SELECT id, shop_domain, publishable_key, clock_ahead_ms FROM stores WHERE id = ${storeId} AND test_of IS NOT NULL`);
  if (!row) throw new Problem("test_key_required");
  const ahead = row.clock_ahead_ms ?? 0;
  return { now: isoTime(sharedNow + ahead), ahead_seconds: Math.floor(ahead / 1_000), ...twinAnswer(row) };
}

/** By how much a request moves the clock, in ms. */
function distance({ advance_seconds, to }: { advance_seconds?: number; to?: string }, now: number): number {
  if (advance_seconds === undefined && to === undefined) throw invalid("body.advance_seconds", "is missing");
  if (to === undefined) return (advance_seconds ?? 0) * 1_000;
  if (advance_seconds !== undefined) throw invalid("body.to", "must not be given beside advance_seconds");
  const by = Date.parse(to) - now;
  if (!(by >= 0)) throw invalid("body.to", `must not lie before the clock's present time, ${isoTime(now)}`);
  if (by > clockBounds.atOnce * 1_000) throw invalid("body.to", "must lie at most 366 days ahead");
  return by;
}

export const testStoreRoutes = (deps: TestRouteDeps): Route[] => [
  readRoute(getTestClock, ({ caller }, db) => clockAnswer(db, caller.store.id, deps.calendar.sharedNow())),
  writeRoute(moveTestClock, async ({ caller, body }, tx) => {
    const { id } = caller.store;
    const sharedNow = deps.calendar.sharedNow();
    // the lock makes concurrent moves add up: each starts from where the previous one left the clock
    await holdRevision(tx, id);
    const row = await tx.first(sql<{ clock_ahead_ms: number | null }>`
      SELECT clock_ahead_ms FROM stores WHERE id = ${id}`);
    const before = row?.clock_ahead_ms ?? 0;
    const by = distance(body, sharedNow + before);
    if (before + by > clockBounds.inAll * 1_000)
      throw invalid("body", "would move the clock more than ten years ahead; empty the test twin first");
    const clockAheadMs = await moveClock(tx, { id, by, now: sharedNow });
    if (clockAheadMs === null) throw new Problem("test_key_required");
    tx.afterCommit(() => {
      deps.calendar.learn({ id, clockAheadMs });
      deps.storesChanged();
    });
    return { body: await clockAnswer(tx, id, sharedNow) };
  }),
  preparedWriteRoute(
    emptyTestStore,
    async ({ caller }) => {
      const { testOf } = caller.store;
      if (testOf === undefined) throw new Problem("test_key_required");
      await inSharedTime(() =>
        // changes two stores, so it is not a transaction of either
        deps.database.transaction((tx) => replaceTwin(tx, deps, testOf)),
      );
      deps.storesChanged();
    },
    async () => ({ body: null }),
  ),
];
