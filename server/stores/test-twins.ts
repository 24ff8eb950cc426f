import type { Calendar } from "../platform/clock.ts";
import { ownStore, type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import { formatId, type RandomBytes, uuidAt } from "../platform/ids.ts";
import { Problem } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { holdDisconnection, holdRevision } from "./revision.ts";
import { commerceSecretPurpose } from "./store-rows.ts";

/**
 * A test twin is a separate store that belongs to another store [test-stores.twin]: all data of a store is stored under
 * its own id, so that neither can reach the other's [test-stores.apart]. The keys of both belong to the main store.
 */

export interface TwinDeps {
  calendar: Calendar;
  random: RandomBytes;
  secrets: Secrets;
}

export interface TwinRow {
  id: string;
  shop_domain: string;
  publishable_key: string;
  clock_ahead_ms: number | null;
}

const twinOf = (db: Runner, storeId: string): Promise<TwinRow | undefined> =>
  db.first(sql<TwinRow>`
    SELECT t.id, t.shop_domain, t.publishable_key, t.clock_ahead_ms
    FROM stores o JOIN stores t ON t.id = o.test_store_id WHERE o.id = ${storeId}`);

/** The facts about a twin that somebody needs to test with it. */
export const twinAnswer = ({ id, shop_domain, publishable_key }: TwinRow) => ({
  store_id: formatId("store", id),
  shop_domain,
  publishable_key: formatId("pub", publishable_key),
});

/** The store's twin, created if there is none. */
export async function findOrMakeTwin(tx: Transaction, deps: TwinDeps, storeId: string) {
  // two concurrent first keys create one twin
  await holdRevision(tx, storeId);
  const found = await twinOf(tx, storeId);
  return twinAnswer(found ?? (await makeTwin(tx, deps, storeId)));
}

const longestDomain = 253;

async function makeTwin(tx: Transaction, deps: TwinDeps, storeId: string, publishableKey?: string): Promise<TwinRow> {
  const now = deps.calendar.now();
  const id = uuidAt(now, deps.random);
  const newKey = publishableKey ?? Buffer.from(deps.random(16)).toString("hex");
  const store = await tx.first(sql<{ shop_domain: string }>`SELECT shop_domain FROM stores WHERE id = ${storeId}`);
  const wished = `test.${store?.shop_domain ?? id}`;
  const isTaken = await tx.first(sql`SELECT id FROM stores WHERE shop_domain = ${wished}`);
  const shopDomain = isTaken || wished.length > longestDomain ? `${id}.test.invalid` : wished;
  const secret = Buffer.from(deps.random(32)).toString("hex");
  const row = await tx.first(sql<TwinRow>`
    INSERT INTO stores (id, test_of, name, shop_domain, plan, currency, timezone, limits, publishable_key,
      commerce_secret, created_at, disconnected_at)
    SELECT ${id}::uuid, o.id, o.name, ${shopDomain}::text, o.plan, o.currency, o.timezone, o.limits, ${newKey}::uuid,
      ${deps.secrets.encrypt(secret, commerceSecretPurpose(id))}::bytea, ${new Date(now)}::timestamptz, o.disconnected_at
    FROM stores o WHERE o.id = ${storeId}
    RETURNING id, shop_domain, publishable_key, clock_ahead_ms`);
  if (!row) throw new Error("a twin is to be made of a store that is not there");
  await tx.forStore(id).all(sql`INSERT INTO store_revisions (store_id) VALUES (${ownStore})`);
  await tx.all(sql`UPDATE stores SET test_store_id = ${id} WHERE id = ${storeId}`);
  return row;
}

/**
 * Replaces a twin with an empty one that has the same publishable key and domain [test-stores.emptied]. The old one's
 * data becomes unreachable at once, and is deleted later, however much it is.
 */
export async function replaceTwin(tx: Transaction, deps: TwinDeps, storeId: string): Promise<void> {
  await holdRevision(tx, storeId);
  const store = await tx.first(sql`SELECT id FROM stores WHERE id = ${storeId} AND disconnected_at IS NULL`);
  // disconnected since the request was admitted [dashboard-api.rights-kept]
  if (!store) throw new Problem("invalid_api_key");
  const old = await twinOf(tx, storeId);
  if (!old) return;
  const now = new Date(deps.calendar.now());
  await holdDisconnection(tx, old.id);
  await tx.all(sql`
    UPDATE stores SET emptied_at = ${now}, disconnected_at = coalesce(disconnected_at, ${now}),
      publishable_key = ${Buffer.from(deps.random(16)).toString("hex")}, shop_domain = ${`${old.id}.emptied.invalid`},
      clock_ahead_ms = NULL
    WHERE id = ${old.id}`);
  await makeTwin(tx, deps, storeId, old.publishable_key);
}

/** Moves a twin's calendar forward; returns how far it is ahead, in ms. Null: the store is not a twin. */
export async function moveClock(
  tx: Transaction,
  { id, by, now }: { id: string; by: number; now: number },
): Promise<number | null> {
  const row = await tx.first(sql<{ clock_ahead_ms: number }>`
    UPDATE stores SET clock_ahead_ms = coalesce(clock_ahead_ms, 0) + ${by}::bigint, clock_moved_at = ${new Date(now)}
    WHERE id = ${id} AND test_of IS NOT NULL RETURNING clock_ahead_ms`);
  return row?.clock_ahead_ms ?? null;
}

export interface MovedStore {
  id: string;
  clockAheadMs: number;
  movedAt: Date;
}

/** Twins whose calendar was moved, most recently moved first. */
export async function movedStores(db: Runner, atMost: number): Promise<MovedStore[]> {
  const rows = await db.all(sql<{ id: string; clock_ahead_ms: number; clock_moved_at: Date }>`
    SELECT id, clock_ahead_ms, clock_moved_at FROM stores
    WHERE clock_ahead_ms > 0 AND clock_moved_at IS NOT NULL AND disconnected_at IS NULL
    ORDER BY clock_moved_at DESC, id LIMIT ${atMost}`);
  return rows.map((row) => ({ id: row.id, clockAheadMs: row.clock_ahead_ms, movedAt: row.clock_moved_at }));
}
