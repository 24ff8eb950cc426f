import { type Role, roles } from "../../contract/roles.ts";
import { isoTime } from "../platform/clock.ts";
import { type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { OperatorError, UsageError } from "../platform/operator-error.ts";
import { mainStoreNamed } from "../stores/public.ts";
import { recordAudit } from "./audit.ts";
import type { AccountDeps } from "./deps.ts";
import { readEmail } from "./emails.ts";
import { invite } from "./invitations.ts";
import { invitationMs, makeLink, printedLinkMs, withdrawLinksOf, withdrawSignIns } from "./links.ts";
import { addMember, storesOf } from "./memberships.ts";
import { forgetTotp } from "./own-account.ts";
import { endTokens } from "./personal-tokens.ts";
import { endSessions } from "./sessions.ts";
import { ensureUser, type UserRow, userOfEmail } from "./user-rows.ts";

/** Commands for managing people [command-line.users]. Errors are OperatorErrors. */

export type UserDeps = Pick<AccountDeps, "calendar" | "random" | "secrets" | "baseUrl">;

function emailOf(text: string): string {
  const email = readEmail(text);
  if (email === null) throw new UsageError(`${text} is not an email address`);
  return email;
}

async function userNamed(db: Runner, text: string): Promise<UserRow> {
  const email = emailOf(text);
  const user = await userOfEmail(db, email);
  if (!user) throw new OperatorError(`there is no user ${email}; quizstore user list shows those that exist`);
  return user;
}

export interface InviteOptions {
  store?: string;
  role?: string;
  operator?: boolean;
}

/** Creates an invitation link; using it creates the person. */
export async function inviteUser(tx: Transaction, deps: UserDeps, text: string, options: InviteOptions) {
  const email = emailOf(text);
  const { store: name, operator = false } = options;
  if (name === undefined && !operator) throw new UsageError("give --store and --role, or --operator");
  if (name === undefined) {
    if (options.role !== undefined) throw new UsageError("--role is one in a store: give --store too");
    const link = await makeLink(tx, deps, { kind: "invitation", email, lastsMs: invitationMs, operator, madeBy: null });
    return {
      email,
      store_id: null,
      store: null,
      role: null,
      operator,
      url: link.url,
      expires_at: isoTime(link.expiresAt),
    };
  }
  if (operator) throw new UsageError("give either --store or --operator");
  const role = roleNamed(options.role);
  const store = await mainStoreNamed(tx, name);
  const bound = tx.forStore(store.id);
  const { url, expiresAt } = await invite(bound, deps, { email, role, madeBy: null });
  await recordAudit(bound, deps, "command line", { action: "member.invited", target: email, details: { role } });
  return {
    email,
    store_id: formatId("store", store.id),
    store: store.name,
    role,
    operator,
    url,
    expires_at: isoTime(expiresAt),
  };
}

function roleNamed(text: string | undefined): Role {
  const role = roles.find((each) => each === text);
  if (role === undefined) throw new UsageError(`--role must be one of ${roles.join(", ")}`);
  return role;
}

/**
 * @param withoutTotp for somebody who lost the app and the recovery codes
 * @param withoutIdentity for somebody whose account at the identity provider was replaced
 */
export async function loginLink(
  tx: Transaction,
  deps: UserDeps,
  text: string,
  { withoutTotp = false, withoutIdentity = false } = {},
) {
  const user = await userNamed(tx, text);
  if (user.disabled_at !== null)
    throw new OperatorError(`${user.email} is disabled; quizstore user enable lets them in`);
  if (withoutTotp) await forgetTotp(tx, user.id);
  if (withoutIdentity) await tx.all(sql`DELETE FROM user_identities WHERE user_id = ${user.id}`);
  const { url, expiresAt } = await signInLink(tx, deps, user.email);
  await tellStoresOf(tx, deps, user, "person.link_made", {
    ...{ without_second_factor: withoutTotp, without_identity: withoutIdentity },
  });
  return { email: user.email, url, expires_at: isoTime(expiresAt) };
}

async function signInLink(tx: Transaction, deps: UserDeps, email: string) {
  await withdrawSignIns(tx, deps, email);
  return makeLink(tx, deps, { kind: "sign_in", email, lastsMs: printedLinkMs, madeBy: null });
}

async function tellStoresOf(
  tx: Transaction,
  deps: UserDeps,
  user: UserRow,
  action: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  for (const { id } of await storesOf(tx, user.id)) {
    await recordAudit(tx.forStore(id), deps, "command line", { action, target: user.email, details });
  }
}

interface ListedUser {
  id: string;
  email: string;
  name: string;
  operator: boolean;
  has_password: boolean;
  has_totp: boolean;
  created_at: Date;
  signed_in_at: Date | null;
  disabled_at: Date | null;
  stores: { store: string; role: Role }[];
}

export async function listUsers(db: Runner) {
  const rows = await db.all(sql<ListedUser>`
    SELECT u.id, u.email, u.name, u.operator, u.password IS NOT NULL AS has_password, u.totp_since IS NOT NULL AS has_totp,
      u.created_at, u.signed_in_at, u.disabled_at,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('store', s.shop_domain, 'role', m.role) ORDER BY s.shop_domain), '[]')
       FROM memberships m JOIN stores s ON s.id = m.store_id WHERE m.user_id = u.id) AS stores
    FROM users u ORDER BY u.created_at, u.id`);
  return rows.map((row) => ({
    user_id: formatId("user", row.id),
    email: row.email,
    name: row.name,
    operator: row.operator,
    stores: row.stores.map(({ store, role }) => `${store}:${role}`),
    password: row.has_password,
    two_factor: row.has_totp,
    created_at: isoTime(row.created_at),
    signed_in_at: row.signed_in_at && isoTime(row.signed_in_at),
    disabled_at: row.disabled_at && isoTime(row.disabled_at),
  }));
}

/**
 * Ends at once all sessions, personal tokens and links: those to the person and those that they created
 * [accounts.disabled]. Repeating it changes nothing.
 */
export async function disableUser(tx: Transaction, deps: UserDeps, text: string) {
  const user = await userNamed(tx, text);
  const at = user.disabled_at ?? new Date(deps.calendar.now());
  // requests lock links before the person, so this does too; what was created until then is ended as well
  await withdrawLinksOf(tx, deps, user);
  await tx.all(sql`UPDATE users SET disabled_at = ${at} WHERE id = ${user.id}`);
  await endSessions(tx, user.id);
  await endTokens(tx, user.id);
  await withdrawLinksOf(tx, deps, user);
  if (user.disabled_at === null) await tellStoresOf(tx, deps, user, "person.disabled");
  return { email: user.email, disabled_at: isoTime(at) };
}

export async function enableUser(tx: Transaction, deps: UserDeps, text: string) {
  const user = await userNamed(tx, text);
  await tx.all(sql`UPDATE users SET disabled_at = NULL WHERE id = ${user.id}`);
  if (user.disabled_at !== null) await tellStoresOf(tx, deps, user, "person.enabled");
  return { email: user.email, disabled_at: null };
}

/** Adds a member without an invitation: the owner of a store that the program creates itself. */
export async function ensureOwner(
  tx: Transaction,
  deps: UserDeps,
  { storeId, email, name }: { storeId: string; email: string; name: string },
): Promise<void> {
  const user = await ensureUser(tx, deps, email, name);
  const roleNow = (await storesOf(tx, user.id)).find(({ id }) => id === storeId)?.role;
  if (roleNow !== "owner") await addMember(tx, deps, { userId: user.id, storeId, role: "owner" });
}

/** A link that signs this person in, printed for the operator at start; null: they may not sign in. */
export async function startLink(tx: Transaction, deps: UserDeps, email: string): Promise<string | null> {
  const user = await userOfEmail(tx, email);
  if (!user || user.disabled_at !== null) return null;
  return (await signInLink(tx, deps, email)).url;
}
