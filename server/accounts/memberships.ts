import { type Role, roles } from "../../contract/roles.ts";
import { ownStore, type StoreRunner, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { notFound, Problem } from "../platform/problems.ts";
import { holdRevision } from "../stores/public.ts";
import type { AccountDeps } from "./deps.ts";
import { withdrawInvitationsOf } from "./links.ts";
import { raiseRights } from "./user-rows.ts";

/** The people of a store and their roles [accounts.members]. */

export interface MemberRow {
  user_id: string;
  email: string;
  name: string;
  role: Role;
  created_at: Date;
  signed_in_at: Date | null;
  disabled_at: Date | null;
  has_totp: boolean;
}

export const membersOf = (db: StoreRunner): Promise<MemberRow[]> =>
  db.all(sql<MemberRow>`
    SELECT m.user_id, u.email, u.name, m.role, m.created_at, u.signed_in_at, u.disabled_at,
      u.totp_since IS NOT NULL AS has_totp
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.store_id = ${ownStore} ORDER BY m.created_at, m.user_id LIMIT ${mostMembers}`);

/** of a store, including open invitations */
export const mostMembers = 500;

/**
 * Serialises changes of a store's members and invitations: of two owners who remove each other, one is refused, and of
 * two invitations of one address, the later one stays.
 */
export const holdMembers = (tx: StoreTransaction): Promise<void> => holdRevision(tx, tx.storeId);

async function roleOf(tx: StoreTransaction, userId: string): Promise<Role> {
  const row = await tx.first(sql<{ role: Role }>`
    SELECT role FROM memberships WHERE store_id = ${ownStore} AND user_id = ${userId}`);
  if (!row) throw notFound();
  return row.role;
}

/** Requires another owner who can sign in: disabled owners do not count. */
async function assertOtherOwner(tx: StoreTransaction, userId: string): Promise<void> {
  const other = await tx.first(sql`
    SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.store_id = ${ownStore} AND m.role = 'owner' AND m.user_id <> ${userId} AND u.disabled_at IS NULL LIMIT 1`);
  if (!other) throw new Problem("last_owner");
}

/** Throws 409 `last_owner`. Also ends invitations that the owner made: one of them could be a way back in. */
async function endOwnership(tx: StoreTransaction, userId: string, now: Date): Promise<void> {
  await assertOtherOwner(tx, userId);
  await withdrawInvitationsOf(tx, userId, now.getTime());
}

/** Returns the previous role; throws 404 for somebody who is no member, and 409 `last_owner`. */
export async function changeRole(tx: StoreTransaction, userId: string, role: Role, now: Date): Promise<Role> {
  await holdMembers(tx);
  const before = await roleOf(tx, userId);
  if (before === role) return before;
  if (before === "owner") await endOwnership(tx, userId, now);
  await tx.all(sql`UPDATE memberships SET role = ${role} WHERE store_id = ${ownStore} AND user_id = ${userId}`);
  await raiseRights(tx, userId);
  return before;
}

/** Returns the previous role; throws as `changeRole` does. */
export async function removeMember(tx: StoreTransaction, userId: string, now: Date): Promise<Role> {
  await holdMembers(tx);
  const before = await roleOf(tx, userId);
  if (before === "owner") await endOwnership(tx, userId, now);
  await tx.all(sql`DELETE FROM memberships WHERE store_id = ${ownStore} AND user_id = ${userId}`);
  // waits for a concurrent creation of a token, so that the new token is seen and ended too
  await raiseRights(tx, userId);
  await tx.all(sql`DELETE FROM personal_tokens WHERE store_id = ${ownStore} AND user_id = ${userId}`);
  return before;
}

/** Adds a member; an existing member gets the higher of the two roles. */
export async function addMember(
  transaction: Transaction,
  { calendar }: Pick<AccountDeps, "calendar">,
  { userId, storeId, role }: { userId: string; storeId: string; role: Role },
): Promise<void> {
  const tx = transaction.forStore(storeId);
  await holdMembers(tx);
  const now = new Date(calendar.now());
  const lesser = roles.slice(0, roles.indexOf(role));
  await tx.all(sql`
    INSERT INTO memberships AS m (user_id, store_id, role, created_at) VALUES (${userId}, ${ownStore}, ${role}, ${now})
    ON CONFLICT (user_id, store_id) DO UPDATE SET role = excluded.role WHERE m.role = ANY (${lesser}::text[])`);
  await raiseRights(tx, userId);
}

/** The connected stores that somebody belongs to, with their role there [accounts.store-gone]. */
export async function storesOf(
  db: Pick<Transaction, "all">,
  userId: string,
): Promise<{ id: string; name: string; role: Role; currency: string; timezone: string; plan: string }[]> {
  return db.all(sql`
    SELECT s.id, s.name, m.role, s.currency, s.timezone, s.plan FROM memberships m JOIN stores s ON s.id = m.store_id
    WHERE m.user_id = ${userId} AND s.disconnected_at IS NULL ORDER BY s.name, s.id`);
}
