import { ownStore, raw, sql, type Transaction } from "../platform/database/sql.ts";
import { contactKey } from "../profiles/people.ts";
import type { RedactedContacts } from "./erase-people.ts";
import { keysGiven, readRedacted } from "./redacted.ts";

/** What is stored about somebody, as rows by table. */
export type PersonData = Record<string, unknown[]>;

const own =
  "SELECT s.id FROM sessions s WHERE s.store_id = $1 AND (s.profile_id = ANY ($2::uuid[]) OR s.id = ANY ($3::uuid[]))";
const bought =
  "SELECT o.id FROM orders o WHERE o.store_id = $1 AND (o.profile_id = ANY ($2::uuid[]) OR o.gid = ANY ($5::text[]))";
/** Which rows of each table. $2 people, $3 further sessions, $4 contact keys, $5 global ids of orders. */
const parts: Record<string, string> = {
  profiles: "t.id = ANY ($2::uuid[])",
  identities: `t.profile_id = ANY ($2::uuid[]) OR (t.kind, t.value) IN (${keysGiven("$4")})`,
  person_merges: "t.from_id = ANY ($2::uuid[]) OR t.into_id = ANY ($2::uuid[])",
  sessions: `t.id IN (${own})`,
  session_events: `t.session_id IN (${own})`,
  captures: `t.session_id IN (${own}) OR (t.kind, t.value) IN (${keysGiven("$4")})`,
  orders: `t.id IN (${bought})`,
  order_keys: `t.order_id IN (${bought})`,
  order_lines: `t.order_id IN (${bought})`,
  outbox: `t.profile_id = ANY ($2::uuid[]) OR t.session_id IN (${own})`,
  webhook_deliveries: `t.profile_id = ANY ($2::uuid[]) OR t.session_id IN (${own})`,
};

/**
 * Everything that is stored about whoever asks with these contacts and orders. Whose it is goes by the rule of
 * redactions: of a person who holds other contacts too, what hangs on these alone, since who typed two contacts together
 * need not own both.
 */
export async function readPersonData(
  tx: Transaction,
  storeId: string,
  { emails, phones, orderIds }: RedactedContacts,
): Promise<PersonData> {
  const listed = [
    ...emails.map((value) => contactKey({ kind: "email", value })),
    ...phones.map((value) => contactKey({ kind: "phone", value })),
  ];
  const subject = await readRedacted(tx, storeId, listed, orderIds);
  const { profileIds, sessionIds, contacts, orderIds: gids } = subject;
  const data: PersonData = {};
  for (const [table, condition] of Object.entries(parts)) {
    const rows = await tx.forStore(storeId).all(sql<{
      row: unknown;
    }>`WITH given AS (SELECT ${profileIds}::uuid[] AS people, ${sessionIds}::uuid[] AS sessions, ${contacts}::text[] AS contacts, ${gids}::text[] AS orders)
         SELECT to_jsonb(t) - 'store_id' AS row FROM ${raw(table)} t WHERE t.store_id = ${ownStore} AND (${raw(condition)})`);
    data[table] = rows.map(({ row }) => row);
  }
  return data;
}
