import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";

/** Whose contacts orders forget [erasure.orders]. */
export interface ForgottenContacts {
  /** UUIDs: the contacts of all of their orders go */
  profileIds: readonly string[];
  /** global ids of orders whose contacts go, whoever they belong to */
  orderIds: readonly string[];
  /** as identities have them: they go from every order */
  emails: readonly string[];
  phones: readonly string[];
}

/**
 * Takes contacts out of orders, and out of what the platform has asked for. An order keeps its session and person, so
 * that every figure stays as it is; answers the orders that changed, by UUID.
 */
export async function forgetContacts(
  tx: Transaction,
  storeId: string,
  { profileIds, orderIds, emails, phones }: ForgottenContacts,
): Promise<{ kind: "order"; id: string }[]> {
  const values = [...emails, ...phones];
  const rows = await tx.forStore(storeId).all(sql<{ order_id: string }>`WITH theirs AS (
         SELECT k.order_id, k.tier, k.value FROM order_keys k WHERE k.store_id = ${ownStore} AND k.value = ANY (${values}::text[])
         UNION SELECT k.order_id, k.tier, k.value FROM orders o
           JOIN order_keys k ON k.store_id = ${ownStore} AND k.order_id = o.id
           WHERE o.store_id = ${ownStore} AND (o.profile_id = ANY (${profileIds}::uuid[]) OR o.gid = ANY (${orderIds}::text[]))
       )
       DELETE FROM order_keys k USING theirs t
       WHERE k.store_id = ${ownStore} AND k.order_id = t.order_id AND k.tier = t.tier AND k.value = t.value
         AND k.tier IN ('email', 'phone')
       RETURNING k.order_id`);
  await forgetRequested(tx, storeId, emails, phones);
  return [...new Set(rows.map((row) => row.order_id))].map((id) => ({ kind: "order" as const, id }));
}

/** A request that still waits keeps the orders that it names. */
async function forgetRequested(
  tx: Transaction,
  storeId: string,
  emails: readonly string[],
  phones: readonly string[],
): Promise<void> {
  const left = (kind: "emails" | "phones", parameter: string) =>
    `jsonb_path_query_array(r.subject, '$.${kind}[*] ? (!(@ == $gone[*]))',
       jsonb_build_object('gone', ${parameter}::text[]))`;
  await tx.all({
    sql: `UPDATE commerce_requests r
          SET subject = jsonb_set(jsonb_set(r.subject, '{emails}', ${left("emails", "$2")}),
            '{phones}', ${left("phones", "$3")})
          WHERE r.store_id = $1 AND (r.subject -> 'emails' ?| $2::text[] OR r.subject -> 'phones' ?| $3::text[])`,
    parameters: [storeId, emails, phones],
  });
}
