import type { Invitation } from "../../contract/members.ts";
import type { Role } from "../../contract/roles.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { invalid, notFound, Problem } from "../platform/problems.ts";
import { readEmail } from "./emails.ts";
import { invitationMs, type LinkDeps, type MadeLink, makeLink } from "./links.ts";
import { holdMembers, mostMembers } from "./memberships.ts";

/** Invitations to a store [accounts.invitations]. */

interface InvitationRow {
  id: string;
  email: string;
  role: Role;
  invited_by: string | null;
  created_at: Date;
  expires_at: Date;
}

export async function openInvitations(db: StoreRunner, now: number): Promise<Invitation[]> {
  const rows = await db.all(sql<InvitationRow>`
    SELECT l.id, l.email, l.role, u.email AS invited_by, l.created_at, l.expires_at
    FROM user_links l LEFT JOIN users u ON u.id = l.made_by
    WHERE l.store_id = ${ownStore} AND l.kind = 'invitation' AND l.used_at IS NULL AND l.revoked_at IS NULL
      AND l.expires_at > ${new Date(now)} AND ${byInviter(now)}
    ORDER BY l.created_at DESC, l.id DESC LIMIT ${mostMembers}`);
  return rows.map((row) => ({
    ...row,
    id: formatId("inv", row.id),
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
  }));
}

/** Whether whoever made the invitation `l` may still invite: an owner, or an operator who is in the store as support. */
const byInviter = (now: number) => sql<never>`(l.made_by IS NULL OR EXISTS (
  SELECT FROM users i WHERE i.id = l.made_by AND i.disabled_at IS NULL AND (
    EXISTS (SELECT FROM memberships m WHERE m.user_id = i.id AND m.store_id = ${ownStore} AND m.role = 'owner')
    OR (i.operator AND EXISTS (SELECT FROM support_visits v
      WHERE v.user_id = i.id AND v.store_id = ${ownStore} AND v.ends_at > ${new Date(now)})))))`;

/**
 * The store that an invitation is to. Where the caller has locked the members, it stays connected and its author keeps their
 * rights until the transaction ends [accounts.invitations]. Throws 410 if the store is gone, or its author may not invite
 * any more.
 */
export async function invitingStore(
  db: StoreRunner,
  { calendar }: Pick<LinkDeps, "calendar">,
  { id }: { id: string },
): Promise<{ id: string; name: string }> {
  const store = await db.first(sql<{ id: string; name: string }>`
    SELECT s.id, s.name FROM user_links l JOIN stores s ON s.id = l.store_id
    WHERE l.store_id = ${ownStore} AND l.id = ${id} AND s.disconnected_at IS NULL AND ${byInviter(calendar.now())}`);
  if (!store) throw new Problem("link_gone");
  return store;
}

export interface NewInvitation {
  email: string;
  role: Role;
  /** null: the command line */
  madeBy: string | null;
  /** when the author's visit as support ends, and the invitation with it */
  until?: Date | undefined;
}

/** Throws 422 for an invalid address, and 409 for an existing member, and for a store with too many people. */
export async function invite(
  tx: StoreTransaction,
  deps: LinkDeps,
  { email: typed, role, madeBy, until }: NewInvitation,
): Promise<MadeLink & { email: string }> {
  const email = readEmail(typed);
  if (email === null) throw invalid("body.email", "must be an email address");
  await holdMembers(tx);
  const now = new Date(deps.calendar.now());
  const member = await tx.first(sql`
    SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.store_id = ${ownStore} AND u.email = ${email}`);
  if (member) throw new Problem("conflict", { detail: `${email} belongs to the store already` });
  await tx.all(sql`
    UPDATE user_links SET revoked_at = ${now}
    WHERE store_id = ${ownStore} AND email = ${email} AND kind = 'invitation' AND used_at IS NULL AND revoked_at IS NULL`);
  const count = await tx.first(sql<{ people: number }>`
    SELECT (SELECT count(*) FROM memberships m WHERE m.store_id = ${ownStore})
      + (SELECT count(*) FROM user_links l WHERE l.store_id = ${ownStore} AND l.kind = 'invitation'
         AND l.used_at IS NULL AND l.revoked_at IS NULL AND l.expires_at > ${now}) AS people`);
  if ((count?.people ?? 0) >= mostMembers) {
    throw new Problem("conflict", { detail: `A store has at most ${mostMembers} people, invited ones included` });
  }
  const lastsMs = Math.min(invitationMs, (until?.getTime() ?? Number.POSITIVE_INFINITY) - now.getTime());
  const link = { kind: "invitation", email, lastsMs, storeId: tx.storeId, role, madeBy } as const;
  return { ...(await makeLink(tx, deps, link)), email };
}

/** Returns whom it was for; throws 404 if there is no such open invitation. */
export async function revokeInvitation(
  tx: StoreTransaction,
  deps: Pick<LinkDeps, "calendar">,
  id: string,
): Promise<string> {
  const row = await tx.first(sql<{ email: string }>`
    UPDATE user_links SET revoked_at = ${new Date(deps.calendar.now())}
    WHERE store_id = ${ownStore} AND id = ${id} AND kind = 'invitation' AND used_at IS NULL AND revoked_at IS NULL
    RETURNING email`);
  if (!row) throw notFound();
  return row.email;
}
