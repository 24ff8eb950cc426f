import { isoTime } from "../platform/clock.ts";
import { ownStore, type StoreRunner, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { isUuid, uuidAt } from "../platform/ids.ts";
import { erasedText } from "../platform/replace-texts.ts";
import { contactIdentity } from "../sessions/public.ts";
import type { OrderDeps } from "./order-deps.ts";
import { fieldsOf, globalId, listOf, platformId, textOf } from "./payload.ts";

/** Requests of the platform on behalf of customers and shops: to erase them, or to provide their data. */

export interface RequestSubject {
  /** normalized as in identities */
  emails: string[];
  phones: string[];
  /** global ids */
  order_ids: string[];
}

/** Carries out redactions in the transaction that records them. */
export interface Eraser {
  /**
   * erases the contacts and everything that depends only on them, also for the buyers of the orders
   * [erasure.redacted-orders]
   */
  erasePeople(
    tx: StoreTransaction,
    contacts: { emails: string[]; phones: string[]; orderIds: string[] },
  ): Promise<void>;
  /** erases every person of the store and all other personal data, in the store's test twin too */
  eraseStore(transaction: Transaction, storeId: string): Promise<void>;
}

/**
 * Records a request [orders.privacy-requests]. With an eraser, redactions are carried out at once; otherwise they wait
 * in the table.
 */
export async function recordRequest(
  tx: StoreTransaction,
  { topic, payload }: { topic: string; payload: unknown },
  { now, random, eraser, transaction }: OrderDeps & { eraser: Eraser | null; transaction: Transaction },
): Promise<void> {
  const subject = subjectOf(payload);
  const erases = eraser !== null && topic !== "customers/data_request";
  const { order_ids: orderIds, ...contacts } = subject;
  if (erases && topic === "customers/redact") await eraser.erasePeople(tx, { ...contacts, orderIds });
  if (erases && topic === "shop/redact") await eraser.eraseStore(transaction, tx.storeId);
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
  /** null while it waits for an answer */
  answered_at: row.done_at && isoTime(row.done_at),
});
type DataRequest = ReturnType<typeof dataRequestOf>;

/**
 * Customers' requests for their data: the newest first, at most 1,000. The list does not say who they are about; only
 * the answer does.
 */
export async function listDataRequests(db: StoreRunner): Promise<DataRequest[]> {
  const rows = await db.all(sql<DataRequestRow>`
  SELECT id, received_at, done_at FROM commerce_requests
  WHERE store_id = ${ownStore} AND topic = 'customers/data_request' ORDER BY received_at DESC, id DESC LIMIT 1000`);
  return rows.map(dataRequestOf);
}

/** Who a waiting request is about; undefined if there is no such request or it was answered. */
export async function readDataRequest(
  tx: StoreTransaction,
  id: string,
): Promise<{ subject: RequestSubject; receivedAt: string } | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await tx.first(sql<{ subject: RequestSubject; received_at: Date }>`
  SELECT subject, received_at FROM commerce_requests
  WHERE store_id = ${ownStore} AND id = ${id} AND topic = 'customers/data_request' AND done_at IS NULL
    AND subject IS NOT NULL
  FOR UPDATE`);
  return row && { subject: row.subject, receivedAt: isoTime(row.received_at) };
}

/** Marks a request as answered and deletes who it was about; undefined if there is no such request. */
export async function closeDataRequest(tx: StoreTransaction, id: string, at: Date): Promise<DataRequest | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await tx.first(sql<DataRequestRow>`
  UPDATE commerce_requests SET subject = NULL, done_at = coalesce(done_at, ${at}::timestamptz)
  WHERE store_id = ${ownStore} AND id = ${id} AND topic = 'customers/data_request' RETURNING id, received_at, done_at`);
  return row && dataRequestOf(row);
}

/** The contacts that orders and requests must forget [erasure.orders]. */
interface ForgottenContacts {
  /** UUIDs of people; all contacts of their orders are removed */
  profileIds: readonly string[];
  /** global ids of orders whose contacts are removed, whoever they belong to */
  orderIds: readonly string[];
  /** normalized as in identities; removed from every order */
  emails: readonly string[];
  phones: readonly string[];
  /** lines of orders, by UUID, whose title names a contact */
  lines: readonly { orderId: string; lineNo: number }[];
}

/**
 * Removes contacts from orders and requests; a request that still waits keeps the orders it names. Orders keep their
 * session and person, so that no figure changes. Returns the orders that changed, by UUID.
 */
export async function forgetContacts(
  tx: StoreTransaction,
  { profileIds, orderIds, emails, phones, lines }: ForgottenContacts,
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
  const titled = await tx.all(sql<{ order_id: string }>`
  UPDATE order_lines l SET title = ${erasedText}
  FROM unnest(${lines.map(({ orderId }) => orderId)}::uuid[], ${lines.map(({ lineNo }) => lineNo)}::int[])
    AS t (order_id, line_no)
  WHERE l.store_id = ${ownStore} AND l.order_id = t.order_id AND l.line_no = t.line_no
  RETURNING l.order_id`);
  await tx.all(sql`
  UPDATE commerce_requests r
  SET subject = jsonb_set(jsonb_set(r.subject,
    '{emails}', jsonb_path_query_array(r.subject, '$.emails[*] ? (!(@ == $gone[*]))',
      jsonb_build_object('gone', ${emails}::text[]))),
    '{phones}', jsonb_path_query_array(r.subject, '$.phones[*] ? (!(@ == $gone[*]))',
      jsonb_build_object('gone', ${phones}::text[])))
  WHERE r.store_id = ${ownStore}
    AND (r.subject -> 'emails' ?| ${emails}::text[] OR r.subject -> 'phones' ?| ${phones}::text[])`);
  return [...new Set([...rows, ...titled].map((row) => row.order_id))].map((id) => ({ kind: "order" as const, id }));
}
