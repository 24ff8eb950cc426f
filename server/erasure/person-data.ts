import { ownStore, raw, type Statement, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { kindsAndValues } from "../profiles/contact-rows.ts";
import { type RedactedContacts, readRedacted } from "./redacted.ts";

/** The stored data about a person, as rows by table. */
export type PersonData = Record<string, unknown[]>;

/**
 * Everything stored about the person with these contacts and orders. The same rule as for redactions decides what is
 * theirs: if a person holds other contacts too, only what depends on these contacts alone, since someone who typed two
 * contacts together need not own both.
 */
export async function readPersonData(tx: StoreTransaction, redacted: RedactedContacts): Promise<PersonData> {
  const { profileIds, sessionIds, contacts, orderIds } = await readRedacted(tx, redacted);
  const isTheirs = (column: string) => sql`t.${raw(column)} = ANY (${profileIds}::uuid[])`;
  const isListed = sql`(t.kind, t.value) IN (${kindsAndValues(contacts)})`;
  const isOfSession = (column: string) => sql`t.${raw(column)} IN (SELECT s.id FROM sessions s
    WHERE s.store_id = ${ownStore} AND (s.profile_id = ANY (${profileIds}::uuid[]) OR s.id = ANY (${sessionIds}::uuid[])))`;
  const isOfOrder = (column: string) => sql`t.${raw(column)} IN (SELECT o.id FROM orders o
    WHERE o.store_id = ${ownStore} AND (o.profile_id = ANY (${profileIds}::uuid[]) OR o.gid = ANY (${orderIds}::text[])))`;
  const conditions: Record<string, Statement<unknown>> = {
    profiles: isTheirs("id"),
    identities: sql`${isTheirs("profile_id")} OR ${isListed}`,
    earlier_places: isTheirs("profile_id"),
    person_merges: sql`${isTheirs("from_id")} OR ${isTheirs("into_id")}`,
    sessions: isOfSession("id"),
    session_events: isOfSession("session_id"),
    captures: sql`${isOfSession("session_id")} OR ${isListed}`,
    orders: isOfOrder("id"),
    order_keys: isOfOrder("order_id"),
    order_lines: isOfOrder("order_id"),
    order_refunds: isOfOrder("order_id"),
    outbox: sql`${isTheirs("profile_id")} OR ${isOfSession("session_id")}`,
    webhook_deliveries: sql`${isTheirs("profile_id")} OR ${isOfSession("session_id")}`,
  };
  const data: PersonData = {};
  for (const [table, condition] of Object.entries(conditions)) {
    const rows = await tx.all(sql<{ row: unknown }>`
    SELECT to_jsonb(t) - 'store_id' AS row FROM ${raw(table)} t WHERE t.store_id = ${ownStore} AND (${condition})`);
    data[table] = rows.map(({ row }) => row);
  }
  return data;
}
