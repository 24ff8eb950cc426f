import type { Database } from "../../platform/database/database.ts";
import { ownStore, type Runner, runnerOf, type StoreRunner, sql } from "../../platform/database/sql.ts";
import type { Deadline } from "../../platform/deadline.ts";
import type { Pace } from "./pace.ts";

export interface Snapshot {
  db: StoreRunner;
  /** the store's revision in this snapshot */
  revision: number;
}

/** Reads one state of the database regardless of concurrent changes; ends with the deadline [exports.moment]. */
export const inSnapshot = <Result>(
  database: Database,
  deadline: Deadline,
  storeId: string,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (tx) => {
    await tx.all(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`);
    const db = oneAtATime(tx).forStore(storeId);
    const row = await db.first(sql<{ revision: number }>`
      SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`);
    return work({ db, revision: row?.revision ?? 0 });
  }, deadline);

/** The driver takes one statement at a time on a connection, but callers request several ahead. */
function oneAtATime(db: Runner): Runner {
  let last: Promise<unknown> = Promise.resolve();
  return runnerOf((statement) => {
    const rows = last.then(() => db.all(statement));
    last = rows.catch(() => undefined);
    return rows;
  });
}

/**
 * Reads keys page by page, each page starting after the last key of the previous one, and rests between pages. The next
 * page is requested first, so that the database works while this page is written.
 */
export async function eachPage<Key>(
  { pageRows, pace }: { pageRows: number; pace: Pick<Pace, "afterPage"> },
  first: Key,
  readPage: (after: Key) => Promise<readonly Key[]>,
  work: (page: readonly Key[]) => Promise<void>,
): Promise<void> {
  for (let page: readonly Key[] | null = await readPage(first); page; ) {
    const last = page.at(-1);
    const next: Promise<readonly Key[]> | null = page.length < pageRows || last === undefined ? null : readPage(last);
    try {
      await work(page);
    } finally {
      // after a failure too, since the connection returns to the pool
      await next?.catch(() => undefined);
    }
    page = await next;
    if (page) await pace.afterPage();
  }
}

/**
 * Reads items in batches and passes them on. The database already reads the next batches while one is written, which
 * saves a third of the time. Rests after each batch. No read is pending when the promise settles.
 */
export async function eachBatch<Item, Row>(
  items: readonly Item[],
  pace: Pick<Pace, "afterBatch" | "batchRows" | "batchesAhead">,
  read: (some: readonly Item[]) => Promise<readonly Row[]>,
  add: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  const { batchRows: size, batchesAhead } = pace;
  const ahead: Promise<readonly Row[]>[] = [];
  let begun = 0;
  const begin = () => {
    if (begun >= items.length) return;
    const rows = read(items.slice(begun, begun + size));
    // awaited in its turn, but not if an earlier batch fails; its rejection must not count as unhandled then
    rows.catch(() => undefined);
    ahead.push(rows);
    begun += size;
  };
  for (let batch = 0; batch < batchesAhead; batch++) begin();
  try {
    for (let next = ahead.shift(); next; next = ahead.shift()) {
      const rows = await next;
      begin();
      await add(rows);
      if (ahead.length > 0) await pace.afterBatch();
    }
  } finally {
    // their connection returns to the pool
    await Promise.allSettled(ahead);
  }
}
