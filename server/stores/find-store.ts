import type { Store } from "../platform/caller.ts";
import type { Database } from "../platform/database/database.ts";
import { type Runner, sql } from "../platform/database/sql.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { Problem } from "../platform/problems.ts";
import type { StoreCalendars } from "../platform/store-calendars.ts";
import { holdConnection } from "./revision.ts";
import { type StoreRow, storeColumnsOf, storeOf } from "./store-rows.ts";

/** Finds a store by what names it. */

const ownColumns = storeColumnsOf("stores");

/** A store by its public id or its shop domain, including disconnected ones. */
export async function findStore(db: Runner, idOrDomain: string): Promise<Store | undefined> {
  const uuid = parseId("store", idOrDomain);
  const named = uuid ? sql`id = ${uuid}` : sql`shop_domain = ${idOrDomain.toLowerCase()}`;
  const row = await db.first(sql<StoreRow>`SELECT ${ownColumns} FROM stores WHERE ${named}`);
  return row && storeOf(row);
}

/** Like `findStore`, but throws an OperatorError if there is none. */
export async function storeNamed(db: Runner, idOrDomain: string): Promise<Store> {
  const store = await findStore(db, idOrDomain);
  if (!store) throw new OperatorError(`there is no store ${idOrDomain}; quizstore store list shows those that exist`);
  return store;
}

/**
 * A store whose access, plan or connection is to be changed, from the command line. Throws an OperatorError for a test
 * twin too, which has none of its own [test-stores.by-its-store].
 */
export async function mainStoreNamed(db: Runner, idOrDomain: string): Promise<Store> {
  const store = await storeNamed(db, idOrDomain);
  if (store.testOf === undefined) return store;
  const main = await findStore(db, formatId("store", store.testOf));
  throw new OperatorError(
    `${idOrDomain} is a test twin: its keys, plan and members are those of its store, ${main?.shopDomain ?? "which is gone"}`,
  );
}

interface StoreTimes {
  database: Pick<Database, "reader">;
  calendar: Pick<StoreCalendars, "within">;
}

/** Runs work for a store named on the command line, in the store's time [test-stores.clock]. */
export async function inStoreNamed<Result>(
  { database, calendar }: StoreTimes,
  idOrDomain: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await storeNamed(database.reader(), idOrDomain);
  return calendar.within(store, () => work(store));
}

export async function publishableKeyOf(db: Runner, storeId: string): Promise<string> {
  const row = await db.first(
    sql<{ publishable_key: string }>`SELECT publishable_key FROM stores WHERE id = ${storeId}`,
  );
  if (row === undefined) throw new OperatorError("there is no such store");
  return formatId("pub", row.publishable_key);
}

/** The connected store with this publishable key, whatever its plan: a paused plan still accepts shopper events. */
export async function storeOfPublishableKey(db: Runner, publishableKey: string): Promise<Store | undefined> {
  const uuid = parseId("pub", publishableKey);
  if (!uuid) return undefined;
  const row = await db.first(sql<StoreRow>`
    SELECT ${ownColumns} FROM stores WHERE publishable_key = ${uuid} AND disconnected_at IS NULL`);
  return row && storeOf(row);
}

/** The connected store with this UUID, whatever its plan. */
export async function connectedStore(db: Runner, storeId: string): Promise<Store | undefined> {
  const row = await db.first(sql<StoreRow>`
    SELECT ${ownColumns} FROM stores WHERE id = ${storeId} AND disconnected_at IS NULL`);
  return row && storeOf(row);
}

/**
 * Throws 401 if the store is disconnected by now; it stays connected until the transaction ends
 * [dashboard-api.rights-kept]. A twin that was emptied is another one by now, and its old one is unreachable anyway.
 */
export async function assertConnected(tx: Runner, { id }: Pick<Store, "id">): Promise<void> {
  const [, store] = await Promise.all([
    holdConnection(tx.forStore(id)),
    tx.first(sql`SELECT id FROM stores WHERE id = ${id} AND (disconnected_at IS NULL OR emptied_at IS NOT NULL)`),
  ]);
  if (!store) throw new Problem("invalid_api_key");
}
