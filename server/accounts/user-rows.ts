import { type Runner, raw, sql, type Transaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import type { AccountDeps } from "./deps.ts";

export interface UserRow {
  id: string;
  email: string;
  name: string;
  operator: boolean;
  password: string | null;
  totp_seed: Buffer | null;
  totp_since: Date | null;
  totp_step: number;
  recovery_codes: Buffer[];
  rights: number;
  email_proven_at: Date | null;
  created_at: Date;
  signed_in_at: Date | null;
  disabled_at: Date | null;
}

const columns = raw(
  "id, email, name, operator, password, totp_seed, totp_since, totp_step, recovery_codes, rights, email_proven_at, created_at, signed_in_at, disabled_at",
);

/** @param email normalised by `readEmail` */
export const userOfEmail = (db: Runner, email: string): Promise<UserRow | undefined> =>
  db.first(sql<UserRow>`SELECT ${columns} FROM users WHERE email = ${email}`);

export const userOfId = (db: Runner, id: string): Promise<UserRow | undefined> =>
  db.first(sql<UserRow>`SELECT ${columns} FROM users WHERE id = ${id}`);

/** The same, locked until the transaction ends, so that a decision based on it is made once. */
export const lockedUser = (tx: Transaction, id: string): Promise<UserRow | undefined> =>
  tx.first(sql<UserRow>`SELECT ${columns} FROM users WHERE id = ${id} FOR UPDATE`);

/** Whether a second factor is required. */
export const hasTotp = ({ totp_seed: seed, totp_since: since }: UserRow): boolean => seed !== null && since !== null;

export interface NewUser {
  email: string;
  name: string;
  /** hashed */
  password?: string | null;
  provenAt?: Date | null;
}

/** Null: somebody already has that address, perhaps since a moment ago. */
export async function makeUser(
  tx: Transaction,
  { calendar, random }: Pick<AccountDeps, "calendar" | "random">,
  { email, name, password = null, provenAt = null }: NewUser,
): Promise<UserRow | null> {
  const now = calendar.now();
  const made = await tx.first(sql<{ id: string }>`
    INSERT INTO users (id, email, name, password, email_proven_at, created_at)
    VALUES (${uuidAt(now, random)}, ${email}, ${name.trim()}, ${password}, ${provenAt}, ${new Date(now)})
    ON CONFLICT (email) DO NOTHING RETURNING id`);
  return made ? ((await userOfId(tx, made.id)) ?? null) : null;
}

/** The user with that address, created if there is none. */
export async function ensureUser(
  tx: Transaction,
  deps: Pick<AccountDeps, "calendar" | "random">,
  email: string,
  name = "",
): Promise<UserRow> {
  const user = (await makeUser(tx, deps, { email, name })) ?? (await userOfEmail(tx, email));
  if (!user) throw new Error("a user could not be created");
  return user;
}

/** Call after the person's rights or credentials have changed: every session gets a new token. */
export const raiseRights = (tx: Transaction, userId: string): Promise<unknown> =>
  tx.all(sql`UPDATE users SET rights = rights + 1 WHERE id = ${userId}`);
