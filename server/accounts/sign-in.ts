import type { Me } from "../../contract/accounts.ts";
import type { SignedIn } from "../platform/caller.ts";
import type { Transaction } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { Problem } from "../platform/problems.ts";
import { recordAudit } from "./audit.ts";
import type { AccountDeps, Origin } from "./deps.ts";
import { readEmail } from "./emails.ts";
import type { Guesses } from "./guessing.ts";
import { knownBrowserOf } from "./known-browser.ts";
import { meOf } from "./me.ts";
import { storesOf } from "./memberships.ts";
import type { Passwords } from "./passwords.ts";
import { consumeCode } from "./second-factor.ts";
import { beginSession, endSession } from "./sessions.ts";
import { hasTotp, lockedUser, type UserRow, userOfEmail } from "./user-rows.ts";

export interface SignInDeps extends AccountDeps {
  passwords: Passwords;
  guesses: Guesses;
}

/** A new sign-in: the session's cookie, and the person. */
export interface SignedInNow {
  cookie: string;
  me: Me;
}

export interface Credentials {
  email: string;
  password: string;
  code?: string;
}

/** What the browser sends along with the credentials. */
interface Sent extends Omit<Entrance, "way"> {
  /** the Cookie header */
  cookies: string | undefined;
}

/**
 * Signs in by password. An unknown address, somebody without a password and a disabled person take the same work and
 * get the same answer as a wrong password [accounts.unknown-alike].
 */
export async function signInByPassword(
  deps: SignInDeps,
  { email: typed, password, code }: Credentials,
  { origin, before, cookies }: Sent,
  deadline: Deadline,
): Promise<SignedInNow> {
  const email = readEmail(typed) ?? typed;
  const browser = knownBrowserOf(deps, cookies, email);
  await deps.guesses.chargePassword(email, origin.address, browser);
  const known = await userOfEmail(deps.database.reader(deadline), email);
  const turn = deps.guesses.turnOf(origin.address, browser !== null);
  const matches = await deps.passwords.matches(password, known?.password ?? null, turn, deadline);
  if (!known || !matches || known.disabled_at !== null) throw new Problem("sign_in_failed");
  if (hasTotp(known) && code === undefined) {
    await deps.guesses.giveBackPassword(origin.address, browser);
    throw new Problem("code_required");
  }
  const signedIn = await deps.database.transaction(async (tx) => {
    const user = await lockedUser(tx, known.id);
    // changed or disabled since the comparison
    if (!user || user.password !== known.password || user.disabled_at !== null) throw new Problem("sign_in_failed");
    await assertCode(tx, deps, user, code);
    return enter(tx, deps, user, { origin, way: "password", before });
  }, deadline);
  await deps.guesses.giveBackPassword(origin.address, browser);
  return signedIn;
}

/** Throws 401 `code_required` if a code is required and missing, `sign_in_failed` for a wrong one. */
export async function assertCode(
  tx: Transaction,
  deps: AccountDeps,
  user: UserRow,
  code: string | undefined,
): Promise<void> {
  if (!hasTotp(user)) return;
  if (code === undefined) throw new Problem("code_required");
  if (!(await consumeCode(tx, deps, user, code))) throw new Problem("sign_in_failed", { detail: wrongCode });
}

export const wrongCode = "The code is wrong, or was used already";

type SignInWay = "password" | "link" | "invitation" | "identity provider";

export interface Entrance {
  origin: Origin;
  way: SignInWay;
  /** the person who was signed in with this browser */
  before: SignedIn | null;
}

/** Starts a session that replaces the browser's previous one, and records the sign-in in the person's stores. */
export async function enter(
  tx: Transaction,
  deps: AccountDeps,
  user: Pick<UserRow, "id" | "email">,
  { origin, way, before }: Entrance,
): Promise<SignedInNow> {
  if (before) await endSession(tx, before.userId, before.sessionId);
  const { cookie, sessionId } = await beginSession(tx, deps, user.id, origin);
  await tellStores(tx, deps, user, origin, { action: "person.signed_in", details: { by: way } });
  return { cookie, me: await meOf(tx, user.id, sessionId) };
}

/** Writes an audit entry for each store that the person belongs to. */
export async function tellStores(
  tx: Transaction,
  deps: AccountDeps,
  user: Pick<UserRow, "id" | "email">,
  origin: Pick<Origin, "address">,
  { action, details = {} }: { action: string; details?: Record<string, unknown> },
): Promise<void> {
  const person = { userId: user.id, email: user.email };
  for (const { id, role } of await storesOf(tx, user.id)) {
    const who = { person, role, address: origin.address };
    await recordAudit(tx.forStore(id), deps, who, { action, target: user.email, details });
  }
}
