import { isoTime } from "../platform/clock.ts";
import { ownStore, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { contactIdentity } from "../sessions/public.ts";
import type { OrderDeps } from "./ingest.ts";
import { fieldsOf, globalId, listOf, platformId, textOf } from "./payload.ts";

/** What the platform asks for on behalf of customers and shops: to erase them, or to hand out their data. */

export interface RequestSubject {
  /** as identities have them */
  emails: string[];
  phones: string[];
  /** global ids */
  order_ids: string[];
}

/** Does what redactions ask for, in the transaction that records them. */
export interface Eraser {
  /** erases the contacts and what hangs on them alone, also of whoever bought the orders [erasure.redacted-orders] */
  erasePeople(
    tx: StoreTransaction,
    contacts: { emails: string[]; phones: string[]; orderIds: string[] },
  ): Promise<void>;
  /** erases every person of the store and what else names them */
  eraseStore(tx: StoreTransaction): Promise<void>;
}

/**
 * Records a request [orders.privacy-requests]. Redactions are done at once where there is somebody to do them, and wait
 * in the table otherwise.
 */
export async function recordRequest(
  tx: StoreTransaction,
  { topic, payload }: { topic: string; payload: unknown },
  { now, random, eraser }: OrderDeps & { eraser: Eraser | null },
): Promise<void> {
  const subject = subjectOf(payload);
  const erases = eraser !== null && topic !== "customers/data_request";
  const { order_ids: orderIds, ...contacts } = subject;
  if (erases && topic === "customers/redact") await eraser.erasePeople(tx, { ...contacts, orderIds });
  if (erases && topic === "shop/redact") await eraser.eraseStore(tx);
  const at = new Date(now);
  const [waiting, doneAt] = erases ? [null, at] : [JSON.stringify(subject), null];
  await tx.all(sql`
  INSERT INTO commerce_requests (store_id, id, topic, received_at, subject, done_at)
  VALUES (${ownStore}, ${uuidAt(now, random)}, ${topic}, ${at}, ${waiting}, ${doneAt})`);
}

function subjectOf(payload: unknown): RequestSubject {
  const request = fieldsOf(payload);
  const customer = fieldsOf(request?.["customer"]);
  const orders = [...listOf(request?.["orders_to_redact"]), ...listOf(request?.["orders_requested"])];
  const contact = (kind: "email" | "phone") => contactIdentity(kind, textOf(customer?.[kind]) ?? "", null) ?? [];
  return {
    emails: [contact("email")].flat(),
    phones: [contact("phone")].flat(),
    order_ids: orders.flatMap((id) => platformId(id) ?? []).map((id) => globalId("Order", id)),
  };
}

interface DataRequestRow {
  id: string;
  received_at: Date;
  done_at: Date | null;
}

const dataRequestOf = (row: DataRequestRow) => ({
  request_id: row.id,
  received_at: isoTime(row.received_at),
  /** null: it waits for an answer */
  answered_at: row.done_at && isoTime(row.done_at),
});
type DataRequest = ReturnType<typeof dataRequestOf>;

/**
 * Requests of customers to see what is stored about them: the newest first, at most a thousand. Whom they are about is in
 * the answer alone.
 */
export async function listDataRequests(db: StoreRunner): Promise<DataRequest[]> {
  const rows = await db.all(sql<DataRequestRow>`
  SELECT id, received_at, done_at FROM commerce_requests
  WHERE store_id = ${ownStore} AND topic = 'customers/data_request' ORDER BY received_at DESC, id DESC LIMIT 1000`);
  return rows.map(dataRequestOf);
}

export const isRequestId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Whom a request that waits is about; undefined: there is none by that id, or it was answered. */
export async function readDataRequest(
  tx: StoreTransaction,
  id: string,
): Promise<{ subject: RequestSubject; receivedAt: string } | undefined> {
  if (!isRequestId(id)) return undefined;
  const row = await tx.first(sql<{ subject: RequestSubject; received_at: Date }>`
  SELECT subject, received_at FROM commerce_requests
  WHERE store_id = ${ownStore} AND id = ${id} AND topic = 'customers/data_request' AND done_at IS NULL
    AND subject IS NOT NULL
  FOR UPDATE`);
  return row && { subject: row.subject, receivedAt: isoTime(row.received_at) };
}

/** The request is remembered, and whom it was about forgotten; undefined: there is none by that id. */
export async function closeDataRequest(tx: StoreTransaction, id: string, at: Date): Promise<DataRequest | undefined> {
  if (!isRequestId(id)) return undefined;
  const row = await tx.first(sql<DataRequestRow>`
  UPDATE commerce_requests SET subject = NULL, done_at = coalesce(done_at, ${at}::timestamptz)
  WHERE store_id = ${ownStore} AND id = ${id} AND topic = 'customers/data_request' RETURNING id, received_at, done_at`);
  return row && dataRequestOf(row);
}

/** Whose contacts orders and requests forget [erasure.orders]. */
interface ForgottenContacts {
  /** UUIDs: the contacts of all of their orders go */
  profileIds: readonly string[];
  /** global ids of orders whose contacts go, whoever they belong to */
  orderIds: readonly string[];
  /** as identities have them: they go from every order */
  emails: readonly string[];
  phones: readonly string[];
}

/**
 * Takes contacts out of orders, and out of requests; one that still waits keeps the orders that it names. An order keeps
 * its session and person, so that every figure stays as it is; answers the orders that changed, by UUID.
 */
export async function forgetContacts(
  tx: StoreTransaction,
  { profileIds, orderIds, emails, phones }: ForgottenContacts,
): Promise<{ kind: "order"; id: string }[]> {
  const rows = await tx.all(sql<{ order_id: string }>`
  WITH theirs AS (
    SELECT k.order_id, k.tier, k.value FROM order_keys k
    WHERE k.store_id = ${ownStore} AND k.value = ANY (${[...emails, ...phones]}::text[])
    UNION SELECT k.order_id, k.tier, k.value FROM orders o
      JOIN order_keys k ON k.store_id = ${ownStore} AND k.order_id = o.id
      WHERE o.store_id = ${ownStore} AND (o.profile_id = ANY (${profileIds}::uuid[]) OR o.gid = ANY (${orderIds}::text[]))
  )
  DELETE FROM order_keys k USING theirs t
  WHERE k.store_id = ${ownStore} AND k.order_id = t.order_id AND k.tier = t.tier AND k.value = t.value
    AND k.tier IN ('email', 'phone')
  RETURNING k.order_id`);
  await tx.all(sql`
  UPDATE commerce_requests r
  SET subject = jsonb_set(jsonb_set(r.subject,
    '{emails}', jsonb_path_query_array(r.subject, '$.emails[*] ? (!(@ == $gone[*]))',
      jsonb_build_object('gone', ${emails}::text[]))),
    '{phones}', jsonb_path_query_array(r.subject, '$.phones[*] ? (!(@ == $gone[*]))',
      jsonb_build_object('gone', ${phones}::text[])))
  WHERE r.store_id = ${ownStore}
    AND (r.subject -> 'emails' ?| ${emails}::text[] OR r.subject -> 'phones' ?| ${phones}::text[])`);
  return [...new Set(rows.map((row) => row.order_id))].map((id) => ({ kind: "order" as const, id }));
}
