import type { Me } from "../../contract/accounts.ts";
import type { SignedIn } from "../platform/caller.ts";
import { sql, type Transaction } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { Problem } from "../platform/problems.ts";
import type { Origin } from "./deps.ts";
import { lockedPerson } from "./locked-person.ts";
import { meOf } from "./me.ts";
import { endTokens } from "./personal-tokens.ts";
import { consumeCode, sealSeed } from "./second-factor.ts";
import { endSessions, renewSession } from "./sessions.ts";
import { type SignedInNow, type SignInDeps, tellStores, wrongCode } from "./sign-in.ts";
import { hashRecoveryCode, newRecoveryCodes, newSeed, seedAddress } from "./totp.ts";
import { hasTotp, raiseRights, userOfId } from "./user-rows.ts";

/**
 * People's changes of their own account. Each change of how they prove their identity gives the session a new token.
 */

const serviceName = "Quiz Store";

async function renewed(
  tx: Transaction,
  deps: SignInDeps,
  { userId, sessionId }: SignedIn,
  options = { confirmed: false },
): Promise<SignedInNow> {
  const cookie = await renewSession(tx, deps, sessionId, options);
  return { cookie, me: await meOf(tx, userId, sessionId) };
}

export async function rename(deps: SignInDeps, person: SignedIn, name: string, deadline: Deadline): Promise<Me> {
  return deps.database.transaction(async (tx) => {
    await lockedPerson(tx, person);
    await tx.all(sql`UPDATE users SET name = ${name.trim()} WHERE id = ${person.userId}`);
    return meOf(tx, person.userId, person.sessionId);
  }, deadline);
}

/** Confirms by password, or by a code if there is none [accounts.confirm]. A person with neither uses a fresh link. */
export async function confirm(
  deps: SignInDeps,
  person: SignedIn,
  proof: { password?: string; code?: string },
  origin: Origin,
  deadline: Deadline,
): Promise<SignedInNow> {
  await deps.guesses.chargeSignedIn(person.userId);
  const known = await userOfId(deps.database.reader(deadline), person.userId);
  const byPassword = known !== undefined && known.password !== null;
  const turn = deps.guesses.turnOf(origin.address, true);
  if (byPassword && !(await deps.passwords.matches(proof.password ?? "", known.password, turn, deadline))) {
    throw new Problem("sign_in_failed", { detail: "The password is wrong" });
  }
  return deps.database.transaction(async (tx) => {
    const user = await lockedPerson(tx, person);
    if (user.password !== (known?.password ?? null)) throw new Problem("sign_in_failed");
    if (!byPassword && !(hasTotp(user) && (await consumeCode(tx, deps, user, proof.code ?? "")))) {
      const detail = hasTotp(user) ? wrongCode : "There is no password to give; use a fresh one-time link";
      throw new Problem("sign_in_failed", { detail });
    }
    return renewed(tx, deps, person, { confirmed: true });
  }, deadline);
}

/**
 * Ends all other sessions and all personal tokens, because somebody who knew the old password may be using one or have
 * created one.
 */
export async function setPassword(
  deps: SignInDeps,
  person: SignedIn,
  password: string,
  origin: Origin,
  deadline: Deadline,
): Promise<SignedInNow> {
  await deps.guesses.chargeSignedIn(person.userId);
  const hash = await deps.passwords.hash(password, deps.guesses.turnOf(origin.address, true), deadline);
  return deps.database.transaction(async (tx) => {
    const user = await lockedPerson(tx, person);
    await tx.all(sql`UPDATE users SET password = ${hash} WHERE id = ${user.id}`);
    await raiseRights(tx, user.id);
    await endSessions(tx, user.id, person.sessionId);
    await endTokens(tx, user.id);
    await tellStores(tx, deps, user, origin, { action: "person.password_set" });
    return renewed(tx, deps, person);
  }, deadline);
}

/** Creates a seed for an app; its codes are only required after the first one was entered. */
export async function beginTotp(deps: SignInDeps, person: SignedIn, deadline: Deadline) {
  const seed = newSeed(deps.random);
  return deps.database.transaction(async (tx) => {
    const user = await lockedPerson(tx, person);
    if (hasTotp(user)) throw new Problem("conflict", { detail: "An authenticator app is set up already" });
    const sealed = sealSeed(deps, user.id, seed);
    await tx.all(sql`UPDATE users SET totp_seed = ${sealed}, totp_step = 0 WHERE id = ${user.id}`);
    return { secret: seed, uri: seedAddress(seed, user.email, serviceName) };
  }, deadline);
}

export async function confirmTotp(
  deps: SignInDeps,
  person: SignedIn,
  code: string,
  origin: Origin,
  deadline: Deadline,
): Promise<{ cookie: string; recoveryCodes: string[] }> {
  await deps.guesses.chargeSignedIn(person.userId);
  return deps.database.transaction(async (tx) => {
    const user = await lockedPerson(tx, person);
    if (hasTotp(user) || user.totp_seed === null) {
      throw new Problem("conflict", { detail: "No authenticator app waits for its first code" });
    }
    if (!(await consumeCode(tx, deps, user, code))) throw new Problem("sign_in_failed", { detail: wrongCode });
    const recoveryCodes = newRecoveryCodes(deps.random);
    const now = new Date(deps.calendar.now());
    await tx.all(sql`
      UPDATE users SET totp_since = ${now}, recovery_codes = ${recoveryCodes.map(hashRecoveryCode)}::bytea[]
      WHERE id = ${user.id}`);
    await raiseRights(tx, user.id);
    await endSessions(tx, user.id, person.sessionId);
    await endTokens(tx, user.id);
    await tellStores(tx, deps, user, origin, { action: "person.second_factor_added" });
    return { cookie: await renewSession(tx, deps, person.sessionId, { confirmed: true }), recoveryCodes };
  }, deadline);
}

/** Without an authenticator, only renews the token. */
export async function removeTotp(deps: SignInDeps, person: SignedIn, origin: Origin, deadline: Deadline) {
  return deps.database.transaction(async (tx) => {
    const user = await lockedPerson(tx, person);
    await forgetTotp(tx, user.id);
    if (hasTotp(user)) await tellStores(tx, deps, user, origin, { action: "person.second_factor_removed" });
    return renewed(tx, deps, person);
  }, deadline);
}

export async function forgetTotp(tx: Transaction, userId: string): Promise<void> {
  await tx.all(sql`
    UPDATE users SET totp_seed = NULL, totp_since = NULL, totp_step = 0, recovery_codes = '{}' WHERE id = ${userId}`);
  await raiseRights(tx, userId);
}
