import { isoTime } from "../platform/clock.ts";
import { ownStore, type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import type { RequestSubject } from "./requests.ts";

/** Customers who ask by way of the platform what is stored about them (`customers/data_request`). */

interface DataRequest {
  /** UUID */
  id: string;
  receivedAt: string;
  /** null: it waits for an answer */
  answeredAt: string | null;
}

/** The newest first, at most a thousand; whom they are about is in the answer alone. */
export async function listDataRequests(db: Runner, storeId: string): Promise<DataRequest[]> {
  const rows = await db.forStore(storeId).all(sql<{
    id: string;
    received_at: Date;
    done_at: Date | null;
  }>`SELECT id, received_at, done_at FROM commerce_requests
       WHERE store_id = ${ownStore} AND topic = 'customers/data_request' ORDER BY received_at DESC, id DESC LIMIT 1000`);
  return rows.map((row) => ({
    id: row.id,
    receivedAt: isoTime(row.received_at),
    answeredAt: row.done_at && isoTime(row.done_at),
  }));
}

/** Whom a request that waits is about; undefined: there is none by that id, or it was answered. */
export async function readDataRequest(
  tx: Transaction,
  storeId: string,
  id: string,
): Promise<{ subject: RequestSubject; receivedAt: string } | undefined> {
  const row = await tx
    .forStore(storeId)
    .first(sql<{ subject: RequestSubject; received_at: Date }>`SELECT subject, received_at FROM commerce_requests
       WHERE store_id = ${ownStore} AND id = ${id} AND topic = 'customers/data_request' AND done_at IS NULL AND subject IS NOT NULL
       FOR UPDATE`);
  return row && { subject: row.subject, receivedAt: isoTime(row.received_at) };
}

/** The request is remembered, and whom it was about forgotten. */
export async function closeDataRequest(tx: Transaction, storeId: string, id: string, at: Date): Promise<void> {
  await tx
    .forStore(storeId)
    .all(sql`UPDATE commerce_requests SET subject = NULL, done_at = ${at} WHERE store_id = ${ownStore} AND id = ${id}`);
}
