import { mostPersonalTokens, type PersonalToken } from "../../contract/personal-tokens.ts";
import type { Role } from "../../contract/roles.ts";
import type { Caller, SignedIn } from "../platform/caller.ts";
import { isoTime } from "../platform/clock.ts";
import { type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { formatId, parseId, uuidAt } from "../platform/ids.ts";
import { invalid, Problem } from "../platform/problems.ts";
import { dayMs } from "../platform/retention.ts";
import {
  bearer,
  callerOf,
  connectedStore,
  hashKey,
  isPersonal,
  isTokenText,
  keyHead,
  keyLastFour,
  newKeyText,
} from "../stores/public.ts";
import { recordAudit } from "./audit.ts";
import type { AccountDeps, Origin } from "./deps.ts";
import { lockedPerson } from "./locked-person.ts";
import { storesOf } from "./memberships.ts";

/**
 * Personal tokens [accounts.tokens]: with one a program acts for its person in one store. Each request looks it up by
 * its hash, like a session, along with the person's membership, so that a token never outlasts the person's rights.
 */

const longestMs = 366 * dayMs;
/** how long an expired token is still listed, in ms */
const listedMs = 30 * dayMs;
/** precision of the last use, in ms: not every request writes */
const usedEveryMs = 60_000;

interface TokenRow {
  id: string;
  name: string;
  head: string;
  last_four: string;
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
  store_id: string;
  store_name: string;
  role: Role;
}

const answerOf = (row: TokenRow): PersonalToken => ({
  id: formatId("tok", row.id),
  name: row.name,
  store: { id: formatId("store", row.store_id), name: row.store_name, role: row.role },
  head: row.head,
  last_four: row.last_four,
  created_at: isoTime(row.created_at),
  expires_at: isoTime(row.expires_at),
  last_used_at: row.last_used_at && isoTime(row.last_used_at),
});

export async function listTokens(db: Runner, userId: string): Promise<PersonalToken[]> {
  const rows = await db.all(sql<TokenRow>`
    SELECT t.id, t.name, t.head, t.last_four, t.created_at, t.expires_at, t.last_used_at, t.store_id,
      s.name AS store_name, m.role
    FROM personal_tokens t JOIN memberships m ON m.user_id = t.user_id AND m.store_id = t.store_id
      JOIN stores s ON s.id = t.store_id
    WHERE t.user_id = ${userId} ORDER BY t.created_at DESC, t.id DESC LIMIT ${mostPersonalTokens}`);
  return rows.map(answerOf);
}

/** @param expires_at in the contract's format */
export interface NewToken {
  name: string;
  store_id: string;
  expires_at: string;
}

function readExpiry(text: string, now: number): Date {
  const at = Date.parse(text);
  if (at <= now) throw invalid("body.expires_at", "must lie in the future");
  if (at > now + longestMs) throw invalid("body.expires_at", "must lie at most 366 days ahead");
  return new Date(at);
}

/** Returns its text, which is not stored. */
export function createToken(
  deps: AccountDeps,
  person: SignedIn,
  input: NewToken,
  origin: Origin,
  deadline: Deadline,
): Promise<PersonalToken & { token: string }> {
  const now = deps.calendar.now();
  const name = input.name.trim();
  if (name === "") throw invalid("body.name", "must not be empty");
  const expiresAt = readExpiry(input.expires_at, now);
  const storeId = parseId("store", input.store_id);
  return deps.database.transaction(async (tx) => {
    // locked, so that somebody who is being removed or disabled creates none afterwards
    const user = await lockedPerson(tx, person);
    const store = (await storesOf(tx, user.id)).find(({ id }) => id === storeId);
    if (!store) throw invalid("body.store_id", "is no store that you belong to");
    await assertRoom(tx, user.id);
    const token = newKeyText(deps.random, "person");
    const row = {
      ...{ id: uuidAt(now, deps.random), name, head: keyHead(token), last_four: keyLastFour(token) },
      ...{ created_at: new Date(now), expires_at: expiresAt, last_used_at: null },
    };
    await tx.all(sql`
      INSERT INTO personal_tokens (id, user_id, store_id, token_hash, name, head, last_four, created_at, expires_at)
      VALUES (${row.id}, ${user.id}, ${store.id}, ${hashKey(token)}, ${name}, ${row.head}, ${row.last_four},
        ${row.created_at}, ${expiresAt})`);
    const made = answerOf({ ...row, store_id: store.id, store_name: store.name, role: store.role });
    const who = { person, role: store.role, address: origin.address };
    const details = { name, expires_at: made.expires_at };
    await recordAudit(tx.forStore(store.id), deps, who, { action: "token.created", target: made.id, details });
    return { ...made, token };
  }, deadline);
}

async function assertRoom(tx: Transaction, userId: string): Promise<void> {
  const row = await tx.first(sql<{ count: number }>`
    SELECT count(*)::int AS count FROM personal_tokens WHERE user_id = ${userId}`);
  if ((row?.count ?? 0) >= mostPersonalTokens)
    throw new Problem("conflict", { detail: `You have ${mostPersonalTokens} personal tokens; revoke one first` });
}

/** Returns whether there was such a token. */
export function revokeToken(
  deps: AccountDeps,
  person: SignedIn,
  tokenId: string,
  origin: Origin,
  deadline: Deadline,
): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const row = await tx.first(sql<{ store_id: string; name: string }>`
      DELETE FROM personal_tokens WHERE id = ${tokenId} AND user_id = ${person.userId} RETURNING store_id, name`);
    if (!row) return false;
    const who = { person, role: person.roles.get(row.store_id), address: origin.address };
    const done = { action: "token.revoked", target: formatId("tok", tokenId), details: { name: row.name } };
    await recordAudit(tx.forStore(row.store_id), deps, who, done);
    return true;
  }, deadline);
}

/** Ends the tokens of an account whose credentials change: people who knew the old ones may have created some. */
export const endTokens = (tx: Runner, userId: string): Promise<unknown> =>
  tx.all(sql`DELETE FROM personal_tokens WHERE user_id = ${userId}`);

/** Ends the tokens of a store that is disconnected, like its keys. */
export const endTokensOfStore = (tx: Runner, storeId: string): Promise<unknown> =>
  tx.all(sql`DELETE FROM personal_tokens WHERE store_id = ${storeId}`);

/** Deletes tokens that expired a while ago; run by the worker without a store, because they belong to none. */
export const forgetExpiredTokens = (db: Runner, now: number): Promise<unknown> =>
  db.all(sql`DELETE FROM personal_tokens WHERE expires_at <= ${new Date(now - listedMs)}`);

interface HolderRow {
  id: string;
  user_id: string;
  email: string;
  store_id: string;
  role: Role;
  last_used_at: Date | null;
}

/** The same answer for everything that can be wrong with a token. */
const refused = () =>
  new Problem("invalid_api_key", {
    detail: "The personal token is malformed, revoked or expired, or its person has left the store",
  });

/**
 * The caller that a token in an Authorization header stands for [accounts.tokens]; null: it contains none
 * [accounts.token-rights].
 */
export function tokenHolder(
  deps: AccountDeps,
  authorization: string | undefined,
  deadline: Deadline,
): Promise<Caller> | null {
  const text = bearer(authorization);
  return text !== null && isPersonal(text) ? readHolder(deps, text, deadline) : null;
}

async function readHolder(deps: AccountDeps, text: string, deadline: Deadline): Promise<Caller> {
  // a mistyped token costs no query
  if (!isTokenText(text)) throw refused();
  const db = deps.database.reader(deadline);
  const now = deps.calendar.now();
  const row = await db.first(sql<HolderRow>`
    SELECT t.id, t.user_id, t.store_id, t.last_used_at, u.email, m.role
    FROM personal_tokens t JOIN users u ON u.id = t.user_id
      JOIN memberships m ON m.user_id = t.user_id AND m.store_id = t.store_id
    WHERE t.token_hash = ${hashKey(text)} AND t.expires_at > ${new Date(now)} AND u.disabled_at IS NULL`);
  const store = row && (await connectedStore(db, row.store_id));
  if (!store) throw refused();
  noteUse(deps, row, now);
  const person = { userId: row.user_id, email: row.email };
  return callerOf(person, store, { role: row.role, token: { id: row.id } });
}

function noteUse({ sideWrites }: AccountDeps, { id, last_used_at: before }: HolderRow, now: number): void {
  if (before !== null && now - before.getTime() < usedEveryMs) return;
  const minute = new Date(now - (now % usedEveryMs));
  sideWrites.behind(id, (db) => db.all(sql`UPDATE personal_tokens SET last_used_at = ${minute} WHERE id = ${id}`));
}
