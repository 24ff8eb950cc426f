import type pg from "pg";
import { pipelined } from "../platform/database/pipelined.ts";
import { type Change, selectChanges } from "./changes.ts";
import type { Extent } from "./source.ts";
import type { CopyState } from "./store-files.ts";

/** the same for all statements of a sync, in real ms */
const copyTimeoutMs = 600_000;

/** One state of a store, and what changed until then. */
export interface Snapshot {
  state: CopyState;
  changes: readonly Change[];
}

/**
 * Begins a transaction that sees one state of the store, and reads which, in one round trip.
 *
 * @param listed how many of the changes to read at most
 */
export async function openSnapshot(client: pg.PoolClient, extent: Extent, listed: number): Promise<Snapshot> {
  const [, , states, changes] = await pipelined(client, () => [
    // BEGIN is a message of its own: Citus would take what follows in the same message for a statement outside a
    // transaction
    client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
    client.query(`SET LOCAL statement_timeout = ${copyTimeoutMs}`),
    client.query<CopyState>(
      `SELECT r.revision, (SELECT c.token FROM changes c WHERE c.store_id = $1 AND c.revision = r.revision LIMIT 1) AS token,
         (SELECT s.currency FROM stores s WHERE s.id = $1) AS currency
       FROM store_revisions r WHERE r.store_id = $1`,
      [extent.storeId],
    ),
    client.query<Change>(`${selectChanges(extent)} LIMIT ${listed}`),
  ]);
  const [state] = states.rows;
  if (!state) throw new Error("a store has no revision row");
  return { state, changes: changes.rows };
}

/**
 * Ends the transaction and returns the connection, without anybody waiting for it: the transaction has written nothing. If
 * it cannot be ended, the connection is closed.
 */
export function closeSnapshot(client: pg.PoolClient): void {
  client.query("COMMIT").then(
    () => client.release(),
    () => client.release(true),
  );
}
