import { sql } from "kysely";
import type { Static } from "typebox";
import type { listProfiles } from "../../contract/profiles.ts";
import type { Runner } from "../platform/database/sql.ts";
import { statement } from "../platform/database/statements.ts";
import { parseId } from "../platform/ids.ts";
import { invalid } from "../platform/problems.ts";
import type { Search } from "./search/terms.ts";

/**
 * The filters of GET /v1/profiles [people.facts, people.days]: a search without terms, and a part of a contact, which
 * only the database knows.
 */

export type Filters = Omit<Static<NonNullable<typeof listProfiles.query>>, "cursor" | "limit" | "q">;

/** null: nothing is asked for. Throws the 422 of a filter that cannot be meant. */
export async function readFilters(db: Runner, storeId: string, filters: Filters): Promise<Search | null> {
  const { from = null, to = null } = filters;
  const quizId = await readQuizId(db, storeId, filters.quiz_id);
  if (from !== null && to !== null && from > to) throw invalid("query.from", "must not be after to");
  if (Object.values(filters).every((value) => value === undefined)) return null;
  const { has_email, has_phone, has_order, has_marketing_consent, is_returning } = filters;
  return {
    facts: {
      ...(has_email === undefined ? {} : { hasEmail: has_email }),
      ...(has_phone === undefined ? {} : { hasPhone: has_phone }),
      ...(has_order === undefined ? {} : { hasOrder: has_order }),
      ...(has_marketing_consent === undefined ? {} : { hasConsent: has_marketing_consent }),
      ...(is_returning === undefined ? {} : { isReturning: is_returning }),
    },
    span: { from, to, quizId },
    latestOnly: false,
    groups: [],
  };
}

/** The UUID of the quiz that is asked for; a deleted one of the store's own is accepted [people.parameters]. */
async function readQuizId(db: Runner, storeId: string, text: string | undefined): Promise<string | null> {
  if (text === undefined) return null;
  const quizId = parseId("quiz", text);
  const known = sql`SELECT 1 FROM quizzes WHERE store_id = ${storeId} AND id = ${quizId}`;
  if (quizId === null || !(await db.first(statement(known)))) {
    throw invalid("query.quiz_id", "is not a quiz of this store");
  }
  return quizId;
}

/** So many people are looked up one by one in less time than it takes to find their place in the list. */
const fewPeople = 5_000;

/** Who holds a contact with this part, by UUID; null where they are so many that one soon meets them in the list. */
export async function peopleHolding(db: Runner, storeId: string, q: string): Promise<string[] | null> {
  if (q.includes("\u0000")) return [];
  const rows = await db.all(
    statement(sql<{ profile_id: string }>`
      SELECT i.profile_id FROM identities i WHERE i.store_id = ${storeId} AND i.value LIKE ${likePart(q)}
      LIMIT ${fewPeople + 1}`),
  );
  return rows.length > fewPeople ? null : [...new Set(rows.map((row) => row.profile_id))];
}

/** A condition on `profiles p` of the store that is $1; `pattern` is the parameter with the part of the contact. */
export const holdsContact = (pattern: string): string =>
  `EXISTS (SELECT 1 FROM identities i WHERE i.store_id = $1 AND i.profile_id = p.id AND i.value LIKE ${pattern})`;

/** Contacts are stored in lower case and NFC; `%`, `_` and `\` of the text stand for themselves. */
export const likePart = (text: string): string =>
  `%${text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\\%_]/g, "\\$&")}%`;
