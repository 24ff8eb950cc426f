import type { LinkInfo } from "../../contract/accounts.ts";
import type { SignedIn } from "../platform/caller.ts";
import { isoTime } from "../platform/clock.ts";
import { type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { formatId } from "../platform/ids.ts";
import { Problem } from "../platform/problems.ts";
import { recordAudit } from "./audit.ts";
import type { AccountDeps, Origin } from "./deps.ts";
import { invitingStore } from "./invitations.ts";
import { consumeLink, type LinkRow, openLink, withdrawSignIns } from "./links.ts";
import { addMember, holdMembers } from "./memberships.ts";
import { endTokens } from "./personal-tokens.ts";
import { endSessions } from "./sessions.ts";
import { assertCode, enter, type SignedInNow, type SignInDeps } from "./sign-in.ts";
import { hasTotp, lockedUser, makeUser, raiseRights, type UserRow, userOfEmail, userOfId } from "./user-rows.ts";

/**
 * Using a one-time link. An invitation creates an account if the address has none. If it has one, the link does not
 * sign in: the inviter may hold the link too, and must not get into somebody else's account
 * [accounts.invitation-no-key]. Links from the command line are an operator's, who could create a link that signs in
 * anyway.
 */

const signsIn = (link: LinkRow): boolean => link.kind === "sign_in" || link.made_by === null;

interface Target {
  store: { id: string; name: string } | null;
  invitedBy: string | null;
}

/** Throws 410 if the store is gone, or the author of an invitation to it may not invite any more. */
export async function targetOf(db: Runner, deps: Pick<AccountDeps, "calendar">, link: LinkRow): Promise<Target> {
  const store = link.store_id === null ? null : await invitingStore(db.forStore(link.store_id), deps, link);
  const maker = link.made_by === null ? undefined : await userOfId(db, link.made_by);
  return { store, invitedBy: maker?.email ?? null };
}

/** @param person the signed-in person, if any */
export async function describeLink(
  deps: SignInDeps,
  token: string,
  person: SignedIn | null,
  deadline: Deadline,
): Promise<LinkInfo> {
  const db = deps.database.reader(deadline);
  const link = await openLink(db, deps, token);
  const [{ store, invitedBy }, user] = [await targetOf(db, deps, link), await userOfEmail(db, link.email)];
  if (user?.disabled_at) throw new Problem("link_gone");
  return {
    kind: link.kind,
    email: link.email,
    store: store && { id: formatId("store", store.id), name: store.name },
    role: link.role,
    operator: link.operator,
    invited_by: invitedBy,
    expires_at: isoTime(link.expires_at),
    needs: needsOf(link, user, person),
    new_account: !user,
  };
}

function needsOf(link: LinkRow, user: UserRow | undefined, person: SignedIn | null): LinkInfo["needs"] {
  if (!user) return "nothing";
  if (!signsIn(link)) return person?.userId === user.id ? "nothing" : "sign_in";
  return hasTotp(user) ? "code" : "nothing";
}

export interface LinkUse {
  token: string;
  code?: string;
  name?: string;
  password?: string;
}

/** Uses up a link; a refusal leaves it unused [accounts.link-once]. */
export async function acceptLink(
  deps: SignInDeps,
  { token, code, name, password }: LinkUse,
  person: SignedIn | null,
  origin: Origin,
  deadline: Deadline,
): Promise<SignedInNow> {
  await deps.guesses.chargeAddress(origin.address);
  // hashing is expensive: it is only done for somebody with a valid link, and limited for each link
  const { id } = await openLink(deps.database.reader(deadline), deps, token);
  if (password !== undefined) await deps.guesses.chargeWithLink(id);
  const turn = deps.guesses.turnOf(origin.address, true);
  const hash = password === undefined ? null : await deps.passwords.hash(password, turn, deadline);
  return deps.database.transaction(async (tx) => {
    const link = await openLink(tx, deps, token);
    await targetOf(tx, deps, link);
    const found = await userOfEmail(tx, link.email);
    if (found?.disabled_at) throw new Problem("link_gone");
    const known = found && (await whoMayUse(tx, deps, { link, user: found, person, code }));
    await consumeLink(tx, deps, link.id);
    // a person with an authenticator has entered its code at this point
    const isMaker = known !== undefined && (hasTotp(known) || person?.userId === known.id);
    if (known && signsIn(link)) await proveEmail(tx, deps, known, { isMaker });
    const user = known ?? (await newUser(tx, deps, link, name, hash));
    if (link.kind === "invitation") await grant(tx, deps, link, user, origin);
    else await withdrawSignIns(tx, deps, link.email);
    return enter(tx, deps, user, { origin, way: link.kind === "invitation" ? "invitation" : "link", before: person });
  }, deadline);
}

interface Use {
  link: LinkRow;
  user: UserRow;
  person: SignedIn | null;
  code: string | undefined;
}

/** The link's account, as it is now, if the caller may use the link; else throws. */
async function whoMayUse(tx: Transaction, deps: SignInDeps, use: Use): Promise<UserRow> {
  const { link, user, person, code } = use;
  if (!signsIn(link) && person?.userId !== user.id)
    throw new Problem("not_signed_in", { detail: `Sign in as ${user.email} first` });
  if (signsIn(link) && code !== undefined) await deps.guesses.chargeWithLink(user.email);
  const locked = await lockedUser(tx, user.id);
  if (!locked || locked.disabled_at !== null) throw new Problem("link_gone");
  if (signsIn(link)) await assertCode(tx, deps, locked, code);
  return locked;
}

async function newUser(
  tx: Transaction,
  deps: SignInDeps,
  link: LinkRow,
  name: string | undefined,
  password: string | null,
): Promise<UserRow> {
  if (link.kind === "sign_in") throw new Problem("link_gone");
  // an operator vouches for the people they invite
  const provenAt = link.made_by === null ? new Date(deps.calendar.now()) : null;
  const user = await makeUser(tx, deps, { email: link.email, name: name ?? "", password, provenAt });
  // created since it was looked up: the account now exists, and its owner has to sign in first
  if (!user) throw new Problem("not_signed_in", { detail: `Sign in as ${link.email} first` });
  return user;
}

/** Grants what an invitation offers. */
export async function grant(
  tx: Transaction,
  deps: AccountDeps,
  link: LinkRow,
  user: UserRow,
  origin: Origin,
): Promise<void> {
  if (link.operator) {
    await tx.all(sql`UPDATE users SET operator = true WHERE id = ${user.id}`);
    await raiseRights(tx, user.id);
  }
  const { store_id: storeId, role } = link;
  if (storeId === null || role === null) return;
  const bound = tx.forStore(storeId);
  await holdMembers(bound);
  await invitingStore(bound, deps, link);
  await addMember(tx, deps, { userId: user.id, storeId, role });
  const who = { person: { userId: user.id, email: user.email }, role, address: origin.address };
  await recordAudit(bound, deps, who, {
    action: "invitation.accepted",
    target: user.email,
    details: { role },
  });
}

/**
 * The address is proven to be the person's: they read its mail, or an operator or the identity provider vouches for it.
 * Anybody who created the account earlier, perhaps with somebody else's address, loses every way in
 * [accounts.email-proven].
 *
 * @param isMaker whether the caller already has a way in: a code of the account's own authenticator, or its session in
 * this browser
 */
export async function proveEmail(
  tx: Transaction,
  deps: AccountDeps,
  user: UserRow,
  { isMaker }: { isMaker: boolean },
): Promise<void> {
  if (user.email_proven_at !== null) return;
  await tx.all(sql`UPDATE users SET email_proven_at = ${new Date(deps.calendar.now())} WHERE id = ${user.id}`);
  if (isMaker) return;
  await tx.all(sql`
    UPDATE users SET password = NULL, totp_seed = NULL, totp_since = NULL, totp_step = 0, recovery_codes = '{}'
    WHERE id = ${user.id}`);
  await tx.all(sql`DELETE FROM user_identities WHERE user_id = ${user.id}`);
  await endSessions(tx, user.id);
  await endTokens(tx, user.id);
  await raiseRights(tx, user.id);
}
