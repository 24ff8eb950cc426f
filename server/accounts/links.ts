import type { Role } from "../../contract/roles.ts";
import { ownStore, type Runner, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { Problem } from "../platform/problems.ts";
import { dayMs } from "../platform/retention.ts";
import type { AccountDeps } from "./deps.ts";
import { hashToken, isToken, newToken } from "./tokens.ts";

/**
 * One-time links [accounts.links]: only a hash of the token is stored; a link expires, and is used once, by a click on
 * the page that it opens. Programs that open links before people do use up nothing.
 */
export interface LinkRow {
  id: string;
  kind: "sign_in" | "invitation";
  email: string;
  store_id: string | null;
  role: Role | null;
  operator: boolean;
  /** null: the command line */
  made_by: string | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
  revoked_at: Date | null;
}

/** For links in mail, where others may find them. */
export const mailedLinkMs = 60 * 60 * 1_000;
/** For links printed at a terminal. */
export const printedLinkMs = dayMs;
export const invitationMs = 7 * dayMs;

export interface NewLink {
  kind: LinkRow["kind"];
  email: string;
  lastsMs: number;
  storeId?: string | undefined;
  role?: Role | undefined;
  operator?: boolean;
  /** null: the command line */
  madeBy: string | null;
  mailed?: boolean;
}

export interface MadeLink {
  id: string;
  /** shown once */
  url: string;
  expiresAt: Date;
  createdAt: Date;
}

export const linkPath = "/dashboard/link/";

export type LinkDeps = Pick<AccountDeps, "calendar" | "random" | "baseUrl">;

export async function makeLink(tx: Runner, deps: LinkDeps, link: NewLink): Promise<MadeLink> {
  const { kind, email, storeId = null, role = null, operator = false, madeBy, mailed = false } = link;
  const now = deps.calendar.now();
  const token = newToken(deps.random);
  const id = uuidAt(now, deps.random);
  const made = { id, createdAt: new Date(now), expiresAt: new Date(now + link.lastsMs) };
  await tx.all(sql`
    INSERT INTO user_links (id, token_hash, kind, email, store_id, role, operator, made_by, mailed, created_at, expires_at)
    VALUES (${id}, ${hashToken(token)}, ${kind}, ${email}, ${storeId}, ${role}, ${operator}, ${madeBy}, ${mailed},
      ${made.createdAt}, ${made.expiresAt})`);
  return { ...made, url: `${deps.baseUrl}${linkPath}${token}` };
}

const linkGone = () => new Problem("link_gone");

/** The link of a token; throws 404 for an unknown token, and 410 for a link that was used, withdrawn or has expired. */
export async function openLink(
  db: Runner,
  { calendar }: Pick<AccountDeps, "calendar">,
  token: string,
): Promise<LinkRow> {
  const row = isToken(token)
    ? await db.first(sql<LinkRow>`
        SELECT id, kind, email, store_id, role, operator, made_by, created_at, expires_at, used_at, revoked_at
        FROM user_links WHERE token_hash = ${hashToken(token)}`)
    : undefined;
  if (!row) throw new Problem("not_found");
  if (row.used_at !== null || row.revoked_at !== null || row.expires_at.getTime() <= calendar.now()) throw linkGone();
  return row;
}

/** Uses it up; of two concurrent uses one throws 410. */
export async function consumeLink(
  tx: Transaction,
  { calendar }: Pick<AccountDeps, "calendar">,
  id: string,
): Promise<void> {
  const used = await tx.first(sql`
    UPDATE user_links SET used_at = ${new Date(calendar.now())}
    WHERE id = ${id} AND used_at IS NULL AND revoked_at IS NULL RETURNING id`);
  if (!used) throw linkGone();
}

/** Withdraws earlier sign-in links for this address. */
export async function withdrawSignIns(tx: Runner, deps: Pick<AccountDeps, "calendar">, email: string): Promise<void> {
  await tx.all(sql`
    UPDATE user_links SET revoked_at = ${new Date(deps.calendar.now())}
    WHERE email = ${email} AND kind = 'sign_in' AND used_at IS NULL AND revoked_at IS NULL`);
}

/** Withdraws all links to this person, and all that they created: an invitation of theirs could be a way back in. */
export async function withdrawLinksOf(
  tx: Runner,
  deps: Pick<AccountDeps, "calendar">,
  { id, email }: { id: string; email: string },
): Promise<void> {
  await tx.all(sql`
    UPDATE user_links SET revoked_at = ${new Date(deps.calendar.now())}
    WHERE (email = ${email} OR made_by = ${id}) AND used_at IS NULL AND revoked_at IS NULL`);
}

/** Withdraws what somebody invited: one of the invitations could be a way back in. */
export async function withdrawInvitationsOf(tx: StoreTransaction, userId: string, now: number): Promise<void> {
  await tx.all(sql`
    UPDATE user_links SET revoked_at = ${new Date(now)}
    WHERE store_id = ${ownStore} AND made_by = ${userId} AND used_at IS NULL AND revoked_at IS NULL`);
}
