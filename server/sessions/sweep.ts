import type { Database } from "../platform/database/database.ts";
import { isContention } from "../platform/database/failures.ts";
import type { StoreRunner, StoreTransaction } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import { appendEvents, type OutboxEvent } from "../platform/outbox.ts";
import { Problem } from "../platform/problems.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { holdRevision, recordRevision } from "../stores/public.ts";
import { abandonedEvents, dueAt } from "./due.ts";
import {
  claimSessions,
  type DueSession,
  groupedBySize,
  putOff,
  readDue,
  readDueSessions,
  type SeenSession,
} from "./due-rows.ts";
import { foldOf } from "./fold.ts";
import { continueSession, reduceYielding, Yielder } from "./reduce.ts";
import { type ReducedColumns, readEventPages, reducedColumns, writingStatements } from "./rows.ts";
import type { SessionState } from "./state.ts";

/**
 * Ends sessions, or marks them as abandoned, in which nothing happens any more [sessions.idle-sweep]. They are read and
 * reduced a few megabytes at a time without the store's lock, which is only held while the result is written: a session
 * that has changed in between waits for the next round.
 */

export interface SweepDeps {
  versions: VersionCache;
  /** the calendar, ms */
  now: () => number;
  random: RandomBytes;
  log: Log;
}

/** Maximum number of sessions in one round. */
const atMost = 100;

/**
 * Processes the sessions that are due, at most 100 over all stores, one group of each store in turn; returns how many
 * it processed. A caller that gets 100 calls again.
 */
export async function sweepSessions(database: Database, deps: SweepDeps): Promise<number> {
  const due = await readDue(database, deps.now());
  const waiting = new Map<string, string[][]>();
  for (const [storeId, ids] of [...due].slice(0, atMost)) {
    waiting.set(storeId, await planned(database, deps, storeId, ids.slice(0, atMost)));
  }
  let swept = 0;
  while (waiting.size > 0) {
    for (const [storeId, groups] of waiting) {
      const group = database.isAway(storeId) ? undefined : groups.shift()?.slice(0, atMost - swept);
      if (group === undefined || group.length === 0) {
        waiting.delete(storeId);
        continue;
      }
      const outcome = await sweepGroup(database, deps, storeId, group);
      if (outcome === "wait") waiting.delete(storeId);
      else if (outcome === "split") groups.unshift(...halvesOf(group));
      else swept += outcome;
    }
  }
  return swept;
}

/** One store's failure must not exclude the others. */
async function planned(
  database: Database,
  { log }: SweepDeps,
  storeId: string,
  ids: readonly string[],
): Promise<string[][]> {
  if (database.isAway(storeId)) return [];
  try {
    return await groupedBySize(database.reader().forStore(storeId), ids);
  } catch (error) {
    log.warn({ err: error }, "idle sessions of a store wait for the next round");
    return [];
  }
}

const halvesOf = (ids: readonly string[]): string[][] => {
  const middle = Math.ceil(ids.length / 2);
  return [ids.slice(0, middle), ids.slice(middle)];
};

/**
 * Returns how many of a store's sessions were processed; `split`: one of them fails, for whatever reason, and the
 * others must not suffer from it; `wait`: another transaction holds the store's lock, or nothing can be written, so the
 * next round tries again. A single session that fails is postponed.
 */
async function sweepGroup(
  database: Database,
  deps: SweepDeps,
  storeId: string,
  ids: readonly string[],
): Promise<number | "split" | "wait"> {
  const { log, now } = deps;
  try {
    const prepared = await prepare(database.reader().forStore(storeId), deps, ids);
    if (prepared.size === 0) return 0;
    return await database.transaction((tx) => write(tx.forStore(storeId), deps, prepared));
  } catch (error) {
    if (isContention(error)) {
      log.warn({ err: error }, "idle sessions of a store wait for the next round");
      return "wait";
    }
    const [only] = ids;
    if (only === undefined || ids.length > 1) return "split";
    // a lost connection need not be the session's fault, but one that ends each of its connections must not stay first
    const isAway = error instanceof Problem && error.title === "dependency_unavailable";
    log[isAway ? "warn" : "error"]({ err: error }, "an idle session could not be swept");
    try {
      await database.transaction((tx) => putOff(tx.forStore(storeId), only, now()));
      return 1;
    } catch (failure) {
      log.warn({ err: failure }, "idle sessions of a store wait for the next round");
      return "wait";
    }
  }
}

/** A session's new state, and the row from which it was computed. */
interface Prepared {
  session: SeenSession;
  state: SessionState;
}

async function prepare(db: StoreRunner, deps: SweepDeps, ids: readonly string[]): Promise<Map<string, Prepared>> {
  const now = deps.now();
  const yielder = new Yielder();
  const prepared = new Map<string, Prepared>();
  for (const session of await readDueSessions(db, ids, now)) {
    const version = await deps.versions.existing(db, session.version_id);
    const given = { quiz: version.quiz, country: session.country, now };
    const fold = foldOf(session.state);
    const pages = () => readEventPages(db, session.id);
    const reduction =
      fold === null
        ? await reduceYielding({ ...given, pages }, yielder)
        : await continueSession({ ...given, fold, events: [] }, yielder);
    if (reduction === null) throw new Error("an idle session has no events");
    prepared.set(session.id, { session, state: reduction.state });
  }
  return prepared;
}

async function write(tx: StoreTransaction, deps: SweepDeps, prepared: ReadonlyMap<string, Prepared>): Promise<number> {
  const { random, versions } = deps;
  // sent together and run one after the other: the sessions are read under the lock
  const [, claimed] = await together([
    holdRevision(tx, tx.storeId),
    claimSessions(tx, [...prepared.keys()], deps.now()),
  ]);
  const now = deps.now();
  const changed: ReducedColumns[] = [];
  const announced: OutboxEvent[] = [];
  for (const row of claimed) {
    const found = prepared.get(row.id);
    if (found === undefined || found.session.seen !== row.seen) continue;
    const version = await versions.existing(tx, row.version_id);
    const { columns, events } = swept(row, found.state, version.quiz, { now, random });
    changed.push(columns);
    announced.push(...events);
  }
  if (changed.length === 0) return 0;
  const changes = changed.map(({ id }) => ({ kind: "session" as const, id }));
  const statements = await writingStatements(now, { events: [], opened: [], changed });
  const written = statements.map((statement) => tx.all(statement));
  await together([...written, recordRevision(tx, changes, { now, random })]);
  tx.beforeCommit(appendEvents(tx, tx.storeId, now, announced));
  return changed.length;
}

function swept(
  row: DueSession,
  state: SessionState,
  quiz: Parameters<typeof reducedColumns>[1],
  deps: { now: number; random: RandomBytes },
): { columns: ReducedColumns; events: OutboxEvent[] } {
  const session = { ...row, quizId: row.quiz_id };
  const events = abandonedEvents(state, session, deps);
  const emitted = [...row.emitted, ...events.map((event) => event.topic)];
  const due = dueAt(state, { ...session, emitted });
  return { columns: reducedColumns(row.id, quiz, state, { isReturning: row.is_returning, emitted, due }), events };
}
