import type { Database } from "../../platform/database/database.ts";
import { type Runner, written } from "../../platform/database/statements.ts";
import type { Deadline } from "../../platform/deadline.ts";
import type { Pace } from "./pace.ts";

export interface Snapshot {
  db: Runner;
  /** the store's, as the snapshot has it */
  revision: number;
}

/** Reads one state of the database, whatever is changed meanwhile; it ends with the deadline. */
export const inSnapshot = <Result>(
  database: Database,
  deadline: Deadline,
  storeId: string,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> =>
  database.transaction(deadline, async (tx) => {
    await tx.all({ sql: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", parameters: [] });
    const query = "SELECT revision FROM store_revisions WHERE store_id = $1";
    const row = await tx.first(written<{ revision: number }>(query, [storeId]));
    return work({ db: tx, revision: row?.revision ?? 0 });
  });

/** Goes through keys a page at a time, each page from the last key of the one before, and rests in between. */
export async function eachPage<Key>(
  { pageRows, pace }: { pageRows: number; pace: Pick<Pace, "afterPage"> },
  first: Key,
  readPage: (after: Key) => Promise<readonly Key[]>,
  take: (page: readonly Key[]) => Promise<void>,
): Promise<void> {
  for (let after = first; ; ) {
    const page = await readPage(after);
    await take(page);
    const last = page.at(-1);
    if (page.length < pageRows || last === undefined) return;
    after = last;
    await pace.afterPage();
  }
}

/**
 * Reads items some at a time and hands them on; while they are written the database reads the next ones already, which
 * takes a third off the time. Then it rests. Nothing is being read any more when it has ended or failed.
 */
export async function eachBatch<Item, Row>(
  items: readonly Item[],
  pace: Pick<Pace, "afterBatch" | "batchRows">,
  read: (some: readonly Item[]) => Promise<readonly Row[]>,
  take: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  const begin = (at: number) => {
    const rows = read(items.slice(at, at + size));
    // heard when its turn comes, unless what comes before it fails
    rows.catch(() => undefined);
    return rows;
  };
  if (items.length === 0) return;
  const size = pace.batchRows;
  let next = begin(0);
  try {
    for (let at = size; ; at += size) {
      const rows = await next;
      if (at >= items.length) return await take(rows);
      next = begin(at);
      await take(rows);
      await pace.afterBatch();
    }
  } finally {
    // its connection goes to somebody else
    await next.catch(() => undefined);
  }
}
