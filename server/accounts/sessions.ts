import type { Role } from "../../contract/roles.ts";
import type { SignedIn } from "../platform/caller.ts";
import { type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { uuidAt } from "../platform/ids.ts";
import { dayMs } from "../platform/retention.ts";
import { type CookieForm, cookieForm, readCookie, writeCookie } from "./cookie.ts";
import type { AccountDeps, Origin } from "./deps.ts";
import { hashToken, isToken, newToken } from "./tokens.ts";

/**
 * Sessions [accounts.sessions]: a row for each signed-in browser. A session ends after seven days without a request and
 * after thirty in any case, by the calendar; then its row is deleted.
 */
const idleMs = 7 * dayMs;
const longestMs = 30 * dayMs;
/** precision of the last use, in ms: not every request writes */
const usedEveryMs = 60_000;
/** ms of real time for which a replaced token is still accepted, from requests that were already under way */
const overlapMs = 30_000;

export const sessionCookie = (baseUrl: string): CookieForm => cookieForm(baseUrl);

export const sessionExpiry = (createdAt: number): number => createdAt + longestMs;

interface SessionRow {
  id: string;
  user_id: string;
  email: string;
  name: string;
  operator: boolean;
  is_current: boolean;
  session_rights: number;
  user_rights: number;
  created_at: Date;
  used_at: Date;
  confirmed_at: Date;
  roles: Record<string, Role>;
}

/**
 * The person signed in with a Cookie header [accounts.sessions]; null: nobody. After somebody else has changed their
 * rights, the session gets a new token, which the answer has to carry.
 */
export async function authenticate(
  deps: AccountDeps,
  cookie: string | undefined,
  deadline: Deadline,
): Promise<SignedIn | null> {
  const found = await sessionOf(deps, cookie, deadline);
  if (found === null) return null;
  const { row, token, person } = found;
  if (!row.is_current || row.session_rights === row.user_rights) return person;
  const renewed = await deps.sideWrites.soon((db) => renew(deps, db, row, token));
  return renewed === null ? person : { ...person, renewedCookie: renewed };
}

/** The same for public routes, whose answers carry no new token: the old one stays. */
export const signedInAlready = async (
  deps: AccountDeps,
  cookie: string | undefined,
  deadline: Deadline,
): Promise<SignedIn | null> => (await sessionOf(deps, cookie, deadline))?.person ?? null;

async function sessionOf(
  deps: AccountDeps,
  cookie: string | undefined,
  deadline: Deadline,
): Promise<{ row: SessionRow; token: string; person: SignedIn } | null> {
  const token = readCookie(sessionCookie(deps.baseUrl), cookie);
  if (token === null || !isToken(token)) return null;
  const db = deps.database.reader(deadline);
  const now = deps.calendar.now();
  const row = await findSession(db, hashToken(token), now);
  if (!row) return null;
  if (row.used_at.getTime() <= now - usedEveryMs) noteUse(deps, row, now);
  const person: SignedIn = {
    userId: row.user_id,
    email: row.email,
    name: row.name,
    operator: row.operator,
    sessionId: row.id,
    confirmedAt: row.confirmed_at.getTime(),
    roles: new Map(Object.entries(row.roles)),
  };
  return { row, token, person };
}

const noteUse = ({ sideWrites }: AccountDeps, { id, used_at: before }: SessionRow, now: number): void =>
  sideWrites.behind(id, (db) =>
    db.all(sql`UPDATE user_sessions SET used_at = ${new Date(now)} WHERE id = ${id} AND used_at = ${before}`),
  );

const findSession = (db: Runner, hash: Buffer, now: number): Promise<SessionRow | undefined> =>
  db.first(sql<SessionRow>`
    SELECT s.id, s.user_id, u.email, u.name, u.operator, s.token_hash = ${hash} AS is_current, s.rights AS session_rights,
      u.rights AS user_rights, s.created_at, s.used_at, s.confirmed_at,
      (SELECT coalesce(jsonb_object_agg(m.store_id, m.role), '{}') FROM memberships m JOIN stores o ON o.id = m.store_id
       WHERE m.user_id = s.user_id AND o.disconnected_at IS NULL) AS roles
    FROM user_sessions s JOIN users u ON u.id = s.user_id
    WHERE (s.token_hash = ${hash} OR (s.previous_hash = ${hash} AND s.previous_until > ${new Date(now)}))
      AND s.used_at > ${new Date(now - idleMs)} AND s.created_at > ${new Date(now - longestMs)} AND u.disabled_at IS NULL`);

/**
 * Replaces the token after somebody else has changed this person's rights; of concurrent requests only one gets the new
 * token, and the old one is accepted a moment longer for the others. If it cannot be replaced now, a later request tries
 * again: rights are read with every request [operations.side-writes].
 */
async function renew(deps: AccountDeps, db: Runner, row: SessionRow, old: string): Promise<string | null> {
  const token = newToken(deps.random);
  const until = new Date(deps.calendar.afterReal(overlapMs));
  const renewed = await db.first(sql`
    UPDATE user_sessions SET token_hash = ${hashToken(token)}, previous_hash = ${hashToken(old)}, previous_until = ${until},
      rights = ${row.user_rights}
    WHERE id = ${row.id} AND token_hash = ${hashToken(old)} RETURNING id`);
  return renewed ? cookieOf(deps, token, row.created_at.getTime()) : null;
}

function cookieOf({ baseUrl, calendar }: AccountDeps, token: string, createdAt: number): string {
  const left = sessionExpiry(createdAt) - calendar.now();
  return writeCookie(sessionCookie(baseUrl), token, Math.max(0, left) / 1_000);
}

/** Signs a person in; returns the cookie. */
export async function beginSession(
  tx: Transaction,
  deps: AccountDeps,
  userId: string,
  { address, userAgent }: Origin,
): Promise<{ cookie: string; sessionId: string }> {
  const now = deps.calendar.now();
  const at = new Date(now);
  const token = newToken(deps.random);
  const id = uuidAt(now, deps.random);
  const user = await tx.first(sql<{ rights: number }>`
    UPDATE users SET signed_in_at = ${at} WHERE id = ${userId} RETURNING rights`);
  if (!user) throw new Error("the user to sign in does not exist");
  await tx.all(sql`
    INSERT INTO user_sessions (id, user_id, token_hash, rights, created_at, used_at, confirmed_at, user_agent, address)
    VALUES (${id}, ${userId}, ${hashToken(token)}, ${user.rights}, ${at}, ${at}, ${at}, ${userAgent}, ${address})`);
  return { cookie: cookieOf(deps, token, now), sessionId: id };
}

/**
 * Gives this session a new token with the person's current rights: the old one ends at once [accounts.new-token].
 *
 * @param confirmed the person has just entered a password or a code, or used a link
 */
export async function renewSession(
  tx: Transaction,
  deps: AccountDeps,
  sessionId: string,
  { confirmed }: { confirmed: boolean },
): Promise<string> {
  const token = newToken(deps.random);
  const confirmedAt = confirmed ? new Date(deps.calendar.now()) : null;
  const user = await tx.first(sql<{ rights: number }>`
    SELECT u.rights FROM users u JOIN user_sessions s ON s.user_id = u.id WHERE s.id = ${sessionId}`);
  const row = await tx.first(sql<{ created_at: Date }>`
    UPDATE user_sessions SET token_hash = ${hashToken(token)}, previous_hash = NULL, previous_until = NULL,
      rights = ${user?.rights ?? 0}, confirmed_at = coalesce(${confirmedAt}::timestamptz, confirmed_at)
    WHERE id = ${sessionId} RETURNING created_at`);
  if (!row) throw new Error("the session ended during a request");
  return cookieOf(deps, token, row.created_at.getTime());
}

export interface ListedSession {
  id: string;
  created_at: Date;
  used_at: Date;
  user_agent: string;
  address: string;
}

export const sessionsOf = (db: Runner, userId: string, now: number): Promise<ListedSession[]> =>
  db.all(sql<ListedSession>`
    SELECT id, created_at, used_at, user_agent, address FROM user_sessions
    WHERE user_id = ${userId} AND used_at > ${new Date(now - idleMs)} AND created_at > ${new Date(now - longestMs)}
    ORDER BY used_at DESC, id DESC LIMIT 100`);

/** Returns whether there was such a session. */
export async function endSession(db: Runner, userId: string, sessionId: string): Promise<boolean> {
  const row = await db.first(sql`
    DELETE FROM user_sessions WHERE id = ${sessionId} AND user_id = ${userId} RETURNING id`);
  return row !== undefined;
}

/** @param but the session to keep */
export const endSessions = (db: Runner, userId: string, but: string | null = null): Promise<unknown> =>
  db.all(sql`DELETE FROM user_sessions WHERE user_id = ${userId} AND (${but}::uuid IS NULL OR id <> ${but}::uuid)`);

/** Deletes ended sessions and links; run by the worker without a store, because they belong to none. */
export async function forgetEndedSessions(db: Runner, now: number): Promise<void> {
  await db.all(sql`
    DELETE FROM user_sessions WHERE used_at <= ${new Date(now - idleMs)} OR created_at <= ${new Date(now - longestMs)}`);
  await db.all(sql`DELETE FROM user_links WHERE expires_at <= ${new Date(now - longestMs)}`);
}
