import type { Role } from "../../contract/roles.ts";
import type { CalledBy, Caller, SignedIn } from "../platform/caller.ts";
import { ownStore, type Runner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { notFound, Problem } from "../platform/problems.ts";
import { callerOf, holdConnection, lacksSupport } from "../stores/public.ts";

/**
 * A person's rights at the end of a transaction [dashboard-api.rights-kept]. The store is held first, and then the
 * membership before the person, as by everybody who changes one of them.
 */
export async function personNow(tx: StoreTransaction, caller: Caller, now: number): Promise<Caller> {
  const { by, store } = caller;
  if (by.kind === "key") throw new Error("a key has no role");
  const { userId } = by.person;
  if (by.support) {
    if (await isThereAsSupport(tx, userId, now)) return caller;
  } else {
    const [, member] = await Promise.all([
      holdConnection(tx),
      tx.first(sql<{ role: Role }>`
        SELECT m.role FROM memberships m JOIN users u ON u.id = m.user_id JOIN stores s ON s.id = m.store_id
        WHERE m.store_id = ${ownStore} AND m.user_id = ${userId} AND u.disabled_at IS NULL AND s.disconnected_at IS NULL
        FOR SHARE OF m, u`),
    ]);
    if (member?.role === by.role) return caller;
    const token = by.token ? { token: by.token } : {};
    if (member) return callerOf(by.person, store, { role: member.role, ...token });
  }
  throw await refusalOf(tx, by);
}

async function isThereAsSupport(tx: StoreTransaction, userId: string, now: number): Promise<boolean> {
  const [, visit] = await Promise.all([
    holdConnection(tx),
    tx.first(sql`
      SELECT v.user_id FROM support_visits v JOIN users u ON u.id = v.user_id JOIN stores s ON s.id = v.store_id
      WHERE v.store_id = ${ownStore} AND v.user_id = ${userId} AND v.ends_at > ${new Date(now)}
        AND u.operator AND u.disabled_at IS NULL AND s.disconnected_at IS NULL
      FOR SHARE OF v, u`),
  ]);
  return visit !== undefined;
}

/** What the person would be answered now. */
async function refusalOf(tx: StoreTransaction, by: Extract<CalledBy, { kind: "person" }>): Promise<Problem> {
  if (by.token) return new Problem("invalid_api_key");
  const user = await tx.first(sql<{ operator: boolean; disabled_at: Date | null }>`
    SELECT operator, disabled_at FROM users WHERE id = ${by.person.userId}`);
  if (!user || user.disabled_at !== null) return new Problem("not_signed_in");
  const store = await tx.first(sql`SELECT id FROM stores WHERE id = ${ownStore} AND disconnected_at IS NULL`);
  return store && user.operator ? lacksSupport() : notFound();
}

/** Throws unless the person is still an operator, until the transaction ends; the same for what is about all stores. */
export async function assertOperatorNow(tx: Runner, { userId }: Pick<SignedIn, "userId">): Promise<void> {
  const user = await tx.first(sql`
    SELECT id FROM users WHERE id = ${userId} AND operator AND disabled_at IS NULL FOR SHARE`);
  if (!user) throw new Problem("not_signed_in");
}
