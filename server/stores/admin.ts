import { type Plan, plans, type StoreAllowances } from "../../contract/limits.ts";
import { allScopes, defaultScopes, type Scope } from "../../contract/scopes.ts";
import type { Calendar } from "../platform/clock.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, type Runner, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { formatId, parseId, type RandomBytes, uuidAt } from "../platform/ids.ts";
import { isCurrency } from "../platform/money.ts";
import { OperatorError, UsageError } from "../platform/operator-error.ts";
import type { Secrets } from "../platform/secrets.ts";
import { isCalendarDay, isTimeZone } from "../platform/time-zones.ts";
import { hashKey, keyHead, keyLastFour, newKeyText } from "./key-text.ts";
import { holdDisconnection, holdRevision } from "./revision.ts";
import { setOnlineStore } from "./shop.ts";
import { checkLimits, commerceSecretPurpose, type StoreRow, storeColumnsOf } from "./store-rows.ts";
import { findOrMakeTwin } from "./test-twins.ts";

/**
 * Operators' changes to stores and keys [command-line.stores, command-line.keys]. Invalid input throws an
 * OperatorError.
 */

export interface AdminDeps {
  calendar: Calendar;
  random: RandomBytes;
  secrets: Secrets;
}

export interface NewStore {
  name: string;
  shopDomain: string;
  plan: string;
  timezone: string;
  currency: string;
  /** with which the commerce platform signs, if the caller supplies it; otherwise one is generated */
  commerceSecret?: string;
}

const shopDomainForm = /^(?=.{3,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

export async function createStore(tx: Transaction, deps: AdminDeps, input: NewStore) {
  const shopDomain = input.shopDomain.toLowerCase();
  const name = checkText("name", input.name);
  if (name === "") throw new UsageError("the store needs a name");
  if (!shopDomainForm.test(shopDomain))
    throw new UsageError("the shop domain must be a host name such as my-shop.myshopify.com");
  const plan = checkPlan(input.plan);
  const timezone = checkTimeZone(input.timezone);
  if (!isCurrency(input.currency))
    throw new UsageError(`${input.currency} is not an ISO 4217 currency such as EUR, nor one of the platform's own`);
  const now = deps.calendar.now();
  const id = uuidAt(now, deps.random);
  const publishableKey = Buffer.from(deps.random(16)).toString("hex");
  const commerceSecret =
    input.commerceSecret === undefined
      ? Buffer.from(deps.random(32)).toString("hex")
      : checkCommerceSecret(input.commerceSecret);
  const sealed = deps.secrets.encrypt(commerceSecret, commerceSecretPurpose(id));
  const inserted = await tx.first(sql`
    INSERT INTO stores
      (id, name, shop_domain, plan, currency, timezone, publishable_key, commerce_secret, created_at)
    VALUES (${id}, ${name}, ${shopDomain}, ${plan}, ${input.currency}, ${timezone}, ${publishableKey}, ${sealed},
      ${new Date(now)})
    ON CONFLICT (shop_domain) DO NOTHING RETURNING id`);
  if (!inserted) throw new OperatorError(`a store with the shop domain ${shopDomain} exists already`);
  await tx.forStore(id).all(sql`INSERT INTO store_revisions (store_id) VALUES (${ownStore})`);
  return {
    store_id: formatId("store", id),
    publishable_key: formatId("pub", publishableKey),
    commerce_secret: commerceSecret,
  };
}

const longestText = 200;
/** long enough for a person's e-mail address */
const longestAdmin = 254;

/** Checks the name under which a change is made. */
export function checkAdmin(given = "operator"): string {
  const admin = checkText("admin", given, longestAdmin);
  if (admin === "") throw new UsageError("the admin must not be empty");
  return admin;
}

/** Counts characters like the checks of request bodies: a surrogate pair is one. */
function checkText(what: string, text: string, longest = longestText): string {
  const trimmed = text.trim();
  // PostgreSQL cannot store NUL in text
  if (trimmed.includes("\u0000")) throw new UsageError(`the ${what} must not contain NUL characters`);
  if ([...trimmed].length > longest) throw new UsageError(`the ${what} must have at most ${longest} characters`);
  return trimmed;
}

/** Commerce platforms issue secrets of 32 characters or more; a short one could be guessed from one signed message. */
function checkCommerceSecret(text: string): string {
  const secret = checkText("commerce secret", text);
  if (secret.length < 16) throw new UsageError("the commerce secret must have at least 16 characters");
  return secret;
}

function checkPlan(plan: string): Plan {
  if (!(plans as readonly string[]).includes(plan)) throw new UsageError(`the plan must be one of ${plans.join(", ")}`);
  return plan as Plan;
}

function checkTimeZone(name: string): string {
  if (!isTimeZone(name)) throw new UsageError(`${name} is not an IANA timezone such as Europe/Berlin`);
  return name;
}

export interface StoreChanges {
  plan?: string;
  limits?: unknown;
  timezone?: string;
  sellsWithoutOnlineStore?: boolean;
}

/** Changes the plan, the timezone, where the shop sells, or the overrides of the limits; an empty object removes the overrides. */
export async function updateStore(tx: Transaction, storeId: string, change: StoreChanges) {
  if (Object.values(change).every((value) => value === undefined)) {
    throw new UsageError(
      "nothing to change: give --plan, --limits, --timezone, --sells-without-online-store or --commerce-secret",
    );
  }
  const timezone = change.timezone === undefined ? null : checkTimeZone(change.timezone);
  const plan = change.plan === undefined ? null : checkPlan(change.plan);
  const limits = change.limits === undefined ? null : JSON.stringify(checkLimits(change.limits));
  await holdRevision(tx, storeId);
  await tx.all(sql`
    UPDATE stores SET plan = coalesce(${plan}, plan), limits = coalesce(${limits}::jsonb, limits),
      timezone = coalesce(${timezone}, timezone)
    WHERE id = ${storeId} OR test_of = ${storeId}`);
  const { sellsWithoutOnlineStore } = change;
  if (sellsWithoutOnlineStore !== undefined) await setOnlineStore(tx.forStore(storeId), sellsWithoutOnlineStore);
  return describeStore(tx, storeId);
}

/** Sets the secret with which the commerce platform signs its messages. */
export async function setCommerceSecret(
  tx: Transaction,
  { secrets }: Pick<AdminDeps, "secrets">,
  storeId: string,
  text: string,
) {
  await sealCommerceSecret(tx.forStore(storeId), secrets, checkCommerceSecret(text));
  return describeStore(tx, storeId);
}

/** Encrypts and saves the secret with which the commerce platform signs; the caller has checked it. */
export async function sealCommerceSecret(tx: StoreTransaction, secrets: Secrets, secret: string): Promise<void> {
  const sealed = secrets.encrypt(secret, commerceSecretPurpose(tx.storeId));
  await holdRevision(tx, tx.storeId);
  await tx.all(sql`UPDATE stores SET commerce_secret = ${sealed} WHERE id = ${tx.storeId}`);
}

/**
 * Whether the key is the one that encrypted the stores' secrets; without a key, whether there are any secrets. A secret
 * that was emptied by hand, because its key was lost, is ignored.
 */
export async function storesAndKey(
  db: Runner,
  secrets: Secrets | null,
): Promise<"no store" | "this key" | "another key"> {
  const store = await db.first(sql<{ id: string; commerce_secret: Buffer }>`
    SELECT id, commerce_secret FROM stores WHERE commerce_secret <> '' ORDER BY created_at LIMIT 1`);
  if (!store) return "no store";
  try {
    secrets?.decrypt(store.commerce_secret, commerceSecretPurpose(store.id));
    return "this key";
  } catch {
    return "another key";
  }
}

async function describeStore(db: Runner, storeId: string) {
  const row = await db.first(sql<ListedStore>`SELECT ${listedColumns} FROM stores WHERE id = ${storeId}`);
  if (!row) throw new OperatorError("there is no such store");
  return listedStore(row);
}

export interface ListedStore extends StoreRow {
  publishable_key: string;
  created_at: Date;
  disconnected_at: Date | null;
  sells_without_online_store: boolean;
}

export const listedColumns = sql`${storeColumnsOf("stores")}, publishable_key, created_at, disconnected_at,
  sells_without_online_store`;

export const listedStore = (row: ListedStore) => ({
  store_id: formatId("store", row.id),
  name: row.name,
  shop_domain: row.shop_domain,
  plan: row.plan as Plan,
  timezone: row.timezone,
  currency: row.currency,
  publishable_key: formatId("pub", row.publishable_key),
  limits: row.limits as Partial<StoreAllowances>,
  ...(row.sells_without_online_store ? { sells_without_online_store: true } : {}),
  created_at: isoTime(row.created_at),
  disconnected_at: row.disconnected_at && isoTime(row.disconnected_at),
});

/** Test twins are not listed: each belongs to a store in the list. */
export async function listStores(db: Runner) {
  const rows = await db.all(sql<ListedStore>`
    SELECT ${listedColumns} FROM stores WHERE test_of IS NULL ORDER BY created_at, id`);
  return rows.map(listedStore);
}

/**
 * Revokes every key; the data of the store's shoppers stays. Requests lock a key before the store, so this does too;
 * keys that were created until the store was locked are revoked as well. Its twins are disconnected with it.
 */
export async function disconnectStore(tx: Transaction, deps: AdminDeps, storeId: string) {
  const now = new Date(deps.calendar.now());
  const revoked = await revokeKeys(tx, storeId, now);
  await holdDisconnection(tx, storeId);
  const twins = await tx.all(sql<{ id: string }>`
    SELECT id FROM stores WHERE test_of = ${storeId} AND disconnected_at IS NULL ORDER BY id`);
  for (const { id } of twins) await holdDisconnection(tx, id);
  await tx.all(sql`
    UPDATE stores SET disconnected_at = ${now}
    WHERE (id = ${storeId} OR test_of = ${storeId}) AND disconnected_at IS NULL`);
  return { store_id: formatId("store", storeId), keys_revoked: revoked + (await revokeKeys(tx, storeId, now)) };
}

async function revokeKeys(tx: Transaction, storeId: string, now: Date): Promise<number> {
  const revoked = await tx.forStore(storeId).all(sql`
    UPDATE api_keys SET revoked_at = ${now} WHERE store_id = ${ownStore} AND revoked_at IS NULL RETURNING id`);
  return revoked.length;
}

/** Revokes the keys that somebody created since a moment. */
export async function revokeKeysOf(
  tx: StoreTransaction,
  { admin, since, now }: { admin: string; since: Date; now: number },
): Promise<void> {
  await tx.all(sql`
    UPDATE api_keys SET revoked_at = ${new Date(now)}
    WHERE store_id = ${ownStore} AND admin = ${admin} AND created_at >= ${since} AND revoked_at IS NULL`);
}

/** Reconnects a disconnected store; its former keys and endpoints do not come back. */
export async function reconnectStore(tx: Transaction, storeId: string) {
  await holdRevision(tx, storeId);
  if (!(await isDisconnected(tx, storeId))) throw new OperatorError("the store is connected");
  const erased = await tx.forStore(storeId).first(sql`
    SELECT id FROM erasures WHERE store_id = ${ownStore} AND scope = 'store'`);
  if (erased) throw new OperatorError("the store was erased; quizstore store create connects its shop again");
  await tx.all(sql`
    UPDATE stores SET disconnected_at = NULL WHERE (id = ${storeId} OR test_of = ${storeId}) AND emptied_at IS NULL`);
  return describeStore(tx, storeId);
}

async function isDisconnected(db: Runner, storeId: string): Promise<boolean> {
  const row = await db.first(sql<{ disconnected_at: Date | null }>`
    SELECT disconnected_at FROM stores WHERE id = ${storeId}`);
  return row !== undefined && row.disconnected_at !== null;
}

export interface NewKey {
  name?: string | undefined;
  scopes?: readonly string[] | undefined;
  /** an RFC 3339 time, or a day, at whose end in UTC the key expires */
  expires?: string | undefined;
  admin?: string | undefined;
  /** whether the key is for the store's test twin, which is created with its first key [test-stores.keys] */
  test?: boolean | undefined;
}

/** Creates a key; only this answer contains its text. Without scopes it is read-only [api.keys, api.default-scopes]. */
export async function createKey(tx: Transaction, deps: AdminDeps, storeId: string, input: NewKey) {
  const now = deps.calendar.now();
  if (await isDisconnected(tx, storeId)) {
    throw new OperatorError(
      "the store is disconnected, and no key of it opens anything; quizstore store reconnect connects it",
    );
  }
  const scopes = input.scopes ? input.scopes.map(checkScope) : [...defaultScopes];
  if (scopes.length === 0) throw new UsageError(`name at least one scope of ${allScopes.join(", ")}`);
  const name = checkText("name", input.name ?? "");
  const admin = checkAdmin(input.admin);
  const expiresAt = input.expires === undefined ? null : parseExpiry(input.expires, now);
  const test = input.test ?? false;
  const twin = test ? { test_store: await findOrMakeTwin(tx, deps, storeId) } : {};
  const key = newKeyText(deps.random, test ? "test" : "live");
  const id = uuidAt(now, deps.random);
  await tx.forStore(storeId).all(sql`
    INSERT INTO api_keys (id, store_id, hash, name, head, last_four, scopes, admin, created_at, expires_at, is_test)
    VALUES (${id}, ${ownStore}, ${hashKey(key)}, ${name}, ${keyHead(key)}, ${keyLastFour(key)}, ${[...new Set(scopes)]},
      ${admin}, ${new Date(now)}, ${expiresAt}, ${test})`);
  return { key_id: formatId("key", id), key, ...twin };
}

function checkScope(scope: string): Scope {
  if (!(allScopes as string[]).includes(scope))
    throw new UsageError(`${scope} is not a scope; known are ${allScopes.join(", ")}`);
  return scope as Scope;
}

function parseExpiry(text: string, now: number): Date {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const at = new Date(day ? `${text}T23:59:59.999Z` : text);
  const timed = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  if ((!day && !timed) || Number.isNaN(at.getTime()) || !isCalendarDay(text.slice(0, 10))) {
    throw new UsageError(`${text} is not a day (2027-01-31) or a time (2027-01-31T12:00:00Z)`);
  }
  if (at.getTime() <= now) throw new UsageError("the expiry lies in the past");
  return at;
}

export interface ListedKey {
  id: string;
  name: string;
  head: string;
  last_four: string;
  scopes: Scope[];
  admin: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
}

export async function listKeys(db: Runner, storeId: string) {
  const rows = await db.forStore(storeId).all(sql<ListedKey>`
    SELECT id, name, head, last_four, scopes, admin, created_at, expires_at, revoked_at FROM api_keys
    WHERE store_id = ${ownStore} ORDER BY created_at, id`);
  return rows.map((row) => ({
    key_id: formatId("key", row.id),
    name: row.name,
    key: `${row.head}...${row.last_four}`,
    scopes: row.scopes,
    admin: row.admin,
    created_at: isoTime(row.created_at),
    expires_at: row.expires_at && isoTime(row.expires_at),
    revoked_at: row.revoked_at && isoTime(row.revoked_at),
  }));
}

/** Revoking a key again changes nothing. */
export async function revokeKey(tx: Transaction, deps: AdminDeps, keyId: string) {
  const id = parseId("key", keyId);
  if (id === null) throw new UsageError(`${keyId} is not the id of a key: key_ and 32 hexadecimal characters`);
  const key = await tx.first(sql<{ revoked_at: Date | null }>`SELECT revoked_at FROM api_keys WHERE id = ${id}`);
  if (!key) throw new OperatorError(`there is no key ${keyId}`);
  const revokedAt = key.revoked_at ?? new Date(deps.calendar.now());
  await tx.all(sql`UPDATE api_keys SET revoked_at = ${revokedAt} WHERE id = ${id}`);
  return { key_id: keyId, revoked_at: isoTime(revokedAt) };
}
