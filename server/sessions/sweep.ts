import type { Database, Transaction } from "../platform/database/database.ts";
import { written } from "../platform/database/statements.ts";
import { noDeadline } from "../platform/deadline.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import { appendEvents, type OutboxEvent } from "../platform/outbox.ts";
import { Problem } from "../platform/problems.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { raiseRevision, recordChanges } from "../stores/public.ts";
import { abandonedEvents, dueAt } from "./due.ts";
import { reduceSession } from "./reduce.ts";
import { claimDueSessions, type ReducedColumns, reducedColumns, writeSessions } from "./rows.ts";

/** Sessions that end, or count as abandoned, because nothing happens in them (storefront 2, 6.1). */

export interface SweepTools {
  versions: VersionCache;
  /** the calendar, ms */
  now: () => number;
  random: RandomBytes;
  log: Log;
}

const atMost = 100;
/** A session that cannot be swept waits this long, so that it does not keep the others from their turn. */
const putOffMs = 10 * 60_000;

const dueSql = `
  /* due: across stores */
  SELECT store_id, id FROM sessions WHERE due_at <= $1 ORDER BY due_at, store_id, id LIMIT ${atMost}`;
const putOffSql = "UPDATE sessions SET due_at = $3 WHERE store_id = $1 AND id = $2";

/**
 * Looks once at the sessions that are due, at most 100 over all stores; answers how many it dealt with. A caller that
 * gets 100 calls again.
 */
export async function sweepSessions(database: Database, tools: SweepTools): Promise<number> {
  const query = written<{ store_id: string; id: string }>(dueSql, [new Date(tools.now())]);
  const due = await database.reader(noDeadline).all(query);
  let swept = 0;
  for (const [storeId, rows] of Map.groupBy(due, (row) => row.store_id)) {
    const ids = rows.map((row) => row.id);
    swept += await sweepStore(database, tools, storeId, ids);
  }
  return swept;
}

async function sweepStore(
  database: Database,
  tools: SweepTools,
  storeId: string,
  ids: readonly string[],
): Promise<number> {
  try {
    return await database.transaction(noDeadline, (tx) => sweep(tx, tools, storeId, ids));
  } catch (error) {
    if (error instanceof NothingDue) return 0;
    // the database is away, or another transaction holds the store: the next round tries again
    if (error instanceof Problem) {
      tools.log.warn({ err: error }, "idle sessions of a store wait for the next round");
      return 0;
    }
    const [only] = ids;
    if (only !== undefined && ids.length === 1) {
      tools.log.error({ err: error }, "an idle session could not be swept");
      const parameters = [storeId, only, new Date(tools.now() + putOffMs)];
      await database.transaction(noDeadline, (tx) => tx.all(written<never>(putOffSql, parameters)));
      return 1;
    }
    let swept = 0;
    for (const id of ids) swept += await sweepStore(database, tools, storeId, [id]);
    return swept;
  }
}

/** Undoes a transaction that has nothing to say: a revision without a change would lead every copy astray. */
class NothingDue extends Error {}

async function sweep(tx: Transaction, tools: SweepTools, storeId: string, ids: readonly string[]): Promise<number> {
  const { random, versions } = tools;
  const { revision } = await raiseRevision(tx, storeId);
  const now = tools.now();
  const claimed = await claimDueSessions(tx, storeId, ids, now);
  if (claimed.length === 0) throw new NothingDue();
  const changed: ReducedColumns[] = [];
  const announced: OutboxEvent[] = [];
  for (const { row, events: kept } of claimed) {
    const version = await versions.get(tx, storeId, row.version_id);
    if (version === null) throw new Error("a session's quiz version is gone");
    const { state } = reduceSession({ quiz: version.quiz, events: kept, country: row.country, now });
    const session = { ...row, quizId: row.quiz_id };
    const events = abandonedEvents(state, session, { now, random });
    announced.push(...events);
    const emitted = [...row.emitted, ...events.map((event) => event.topic)];
    const due = dueAt(state, { ...session, emitted });
    changed.push(reducedColumns(row.id, version.quiz, state, { isReturning: row.is_returning, emitted, due }));
  }
  await writeSessions(tx, storeId, now, { events: [], opened: [], changed });
  await appendEvents(tx, storeId, now, announced);
  const changes = claimed.map(({ row }) => ({ kind: "session" as const, id: row.id }));
  await recordChanges(tx, storeId, revision, uuidAt(now, random), new Date(now), changes);
  return claimed.length;
}
