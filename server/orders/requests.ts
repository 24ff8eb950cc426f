import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { contactIdentity } from "../sessions/public.ts";
import { fieldsOf, globalId, listOf, platformId, textOf } from "./payload.ts";
import type { OrderDeps } from "./public.ts";

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
  erasePeople(tx: Transaction, storeId: string, subject: RequestSubject): Promise<void>;
  /** erases every person of the store and what else names them */
  eraseStore(tx: Transaction, storeId: string): Promise<void>;
}

/**
 * Records a request. Redactions are done at once where there is somebody to do them, and wait in the table otherwise.
 */
export async function recordRequest(
  tx: Transaction,
  storeId: string,
  { topic, payload }: { topic: string; payload: unknown },
  { now, random, eraser }: OrderDeps & { eraser: Eraser | null },
): Promise<void> {
  const subject = subjectOf(payload);
  const erases = eraser !== null && topic !== "customers/data_request";
  if (erases && topic === "customers/redact") await eraser.erasePeople(tx, storeId, subject);
  if (erases && topic === "shop/redact") await eraser.eraseStore(tx, storeId);
  const at = new Date(now);
  await tx.forStore(storeId).all(sql`INSERT INTO commerce_requests (store_id, id, topic, received_at, subject, done_at)
          VALUES (${ownStore}, ${uuidAt(now, random)}, ${topic}, ${at}, ${erases ? null : JSON.stringify(subject)}, ${erases ? at : null})`);
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
