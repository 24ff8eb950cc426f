import type { Database } from "../../platform/database/database.ts";
import { ownStore, type Runner, runnerOf, type StoreRunner, sql } from "../../platform/database/sql.ts";
import type { Deadline } from "../../platform/deadline.ts";
import type { Pace } from "./pace.ts";

export interface Snapshot {
  db: StoreRunner;
  /** the store's, as the snapshot has it */
  revision: number;
}

/** Reads one state of the database, whatever is changed meanwhile; it ends with the deadline [exports.moment]. */
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

/** The driver wants one statement at a time; here several are asked for ahead. */
function oneAtATime(db: Runner): Runner {
  let last: Promise<unknown> = Promise.resolve();
  return runnerOf((statement) => {
    const rows = last.then(() => db.all(statement));
    last = rows.catch(() => undefined);
    return rows;
  });
}

/**
 * Goes through keys a page at a time, each page from the last key of the one before, and rests in between. The next
 * page's keys are asked for first, so that the database has work until the last row of this one is written.
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
      // also after a failure: the connection goes to somebody else
      await next?.catch(() => undefined);
    }
    page = await next;
    if (page) await pace.afterPage();
  }
}

/**
 * Reads items some at a time and hands them on; while they are written the database reads the next ones already, which
 * takes a third off the time. Then it rests. Nothing is being read any more when it has ended or failed.
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
    // heard when its turn comes, unless what comes before it fails
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
    // their connection goes to somebody else
    await Promise.allSettled(ahead);
  }
}
