import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Static } from "typebox";
import type { listProfiles } from "../../contract/profiles.ts";
import { type Runner, statement } from "../platform/database/statements.ts";
import { parseId } from "../platform/ids.ts";
import { invalid } from "../platform/problems.ts";
import { dayBounds } from "../platform/time-zones.ts";

/** The filters of GET /v1/profiles as conditions on `profiles p` (E). */

export type Filters = Omit<Static<NonNullable<typeof listProfiles.query>>, "cursor" | "limit">;

type Condition = RawBuilder<SqlBool>;

/** Throws the 422 of a filter that cannot be meant. */
export async function readFilters(db: Runner, storeId: string, filters: Filters): Promise<Condition[]> {
  const quizId = await readQuizId(db, storeId, filters.quiz_id);
  return [...factConditions(filters), ...(await sessionConditions(db, storeId, filters, quizId))];
}

/** The UUID of the quiz that is asked for; a deleted one of the store's own is accepted (A15). */
async function readQuizId(db: Runner, storeId: string, text: string | undefined): Promise<string | null> {
  if (text === undefined) return null;
  const quizId = parseId("quiz", text);
  const known = sql`SELECT 1 FROM quizzes WHERE store_id = ${storeId} AND id = ${quizId}`;
  if (quizId === null || !(await db.first(statement(known)))) {
    throw invalid("query.quiz_id", "is not a quiz of this store");
  }
  return quizId;
}

function factConditions(filters: Filters): Condition[] {
  const conditions: Condition[] = [];
  const want = (wanted: boolean | undefined, condition: Condition) => {
    if (wanted !== undefined) conditions.push(wanted ? condition : sql`NOT (${condition})`);
  };
  const contact = (condition: Condition): Condition =>
    sql`EXISTS (SELECT 1 FROM identities i WHERE i.store_id = p.store_id AND i.profile_id = p.id AND ${condition})`;
  if (filters.q !== undefined) conditions.push(contains(filters.q, contact));
  want(filters.has_email, contact(sql`i.kind = 'email'`));
  want(filters.has_phone, contact(sql`i.kind = 'phone'`));
  want(filters.has_marketing_consent, contact(sql`i.consent`));
  want(filters.has_order, sql`p.orders_count > 0`);
  want(filters.is_returning, sql`p.visits_count >= 2`);
  return conditions;
}

/** No contact holds a NUL, and PostgreSQL takes none even to compare it. */
const contains = (q: string, contact: (condition: Condition) => Condition): Condition =>
  q.includes("\u0000") ? sql`false` : contact(sql`i.value LIKE ${likePart(q)}`);

/** Contacts are stored in lower case and NFC; `%`, `_` and `\` of the text stand for themselves. */
const likePart = (text: string): string =>
  `%${text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\\%_]/g, "\\$&")}%`;

/** So many people are looked up one by one in less time than it takes to find their place in the list. */
const listedAtMost = 5_000;
const dayMs = 86_400_000;

/**
 * People with one session that meets `from`, `to` and the quiz (E); days are those of its start, in UTC. Days with few
 * sessions yield their people; else the list is walked from its head, where a match is then soon found. Left to
 * itself, the planner always walks: for one day among 300,000 people 3.5 s instead of 20 ms.
 */
async function sessionConditions(
  db: Runner,
  storeId: string,
  { from, to }: Filters,
  quizId: string | null,
): Promise<Condition[]> {
  if (from !== undefined && to !== undefined && from > to) throw invalid("query.from", "must not be after to");
  const taken: Condition[] = quizId === null ? [] : [sql`${quizId}::uuid = ANY(p.quiz_ids)`];
  if (from === undefined && to === undefined) return taken;
  const start = from === undefined ? null : dayBounds(from, "UTC").start;
  const end = to === undefined ? null : dayBounds(to, "UTC").end;
  const meets = sql.join(
    [
      sql`s.profile_id IS NOT NULL AND s.started_at IS NOT NULL AND NOT s.preview`,
      ...(start === null ? [] : [sql`s.started_at >= ${new Date(start)}`]),
      ...(end === null ? [] : [sql`s.started_at < ${new Date(end)}`]),
      ...(quizId === null ? [] : [sql`s.quiz_id = ${quizId}`]),
    ],
    sql` AND `,
  );
  const some = sql<{ profile_id: string }>`SELECT s.profile_id FROM sessions s
    WHERE s.store_id = ${storeId} AND ${meets} LIMIT ${listedAtMost + 1}`;
  const found = await db.all(statement(some));
  if (found.length <= listedAtMost) {
    const people = [...new Set(found.map((row) => row.profile_id))];
    return [sql`p.id IN (SELECT unnest(${people}::uuid[]))`];
  }
  // Whom these two rule out needs no look at sessions. A day of room: times within a session may run backwards.
  if (start !== null) taken.push(sql`p.last_seen_at >= ${new Date(start - dayMs)}`);
  if (end !== null) taken.push(sql`p.first_seen_at < ${new Date(end + dayMs)}`);
  taken.push(sql`EXISTS (SELECT 1 FROM sessions s WHERE s.store_id = p.store_id AND s.profile_id = p.id AND ${meets})`);
  return taken;
}
