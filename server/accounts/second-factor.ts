import { timingSafeEqual } from "node:crypto";
import { sql, type Transaction } from "../platform/database/sql.ts";
import type { AccountDeps } from "./deps.ts";
import { hashRecoveryCode, isAppCode, stepOfCode } from "./totp.ts";
import type { UserRow } from "./user-rows.ts";

/** Codes of an authenticator app, or recovery codes instead: each is accepted once [accounts.second-factor]. */

const seedPurpose = (userId: string): string => `totp:${userId}`;

export const sealSeed = ({ secrets }: AccountDeps, userId: string, seed: string): Buffer =>
  secrets.encrypt(seed, seedPurpose(userId));

/**
 * Whether the code is the person's; if so, uses it up. @param user locked, so that only one of two concurrent uses
 * succeeds
 */
export async function consumeCode(tx: Transaction, deps: AccountDeps, user: UserRow, code: string): Promise<boolean> {
  const typed = code.replaceAll(/\s/g, "");
  return isAppCode(typed) ? consumeAppCode(tx, deps, user, typed) : consumeRecoveryCode(tx, user, code);
}

async function consumeAppCode(tx: Transaction, deps: AccountDeps, user: UserRow, code: string): Promise<boolean> {
  if (user.totp_seed === null) return false;
  const seed = deps.secrets.decrypt(user.totp_seed, seedPurpose(user.id));
  const step = stepOfCode(seed, code, deps.unixNow(), user.totp_step);
  if (step === null) return false;
  await tx.all(sql`UPDATE users SET totp_step = ${step} WHERE id = ${user.id}`);
  return true;
}

async function consumeRecoveryCode(tx: Transaction, user: UserRow, code: string): Promise<boolean> {
  const hash = hashRecoveryCode(code);
  const found = user.recovery_codes.filter((each) => timingSafeEqual(each, hash));
  if (found.length === 0) return false;
  await tx.all(
    sql`UPDATE users SET recovery_codes = array_remove(recovery_codes, ${hash}::bytea) WHERE id = ${user.id}`,
  );
  return true;
}
