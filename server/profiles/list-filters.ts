import type { Static } from "typebox";
import type { listProfiles } from "../../contract/profiles.ts";
import type { CopyQuery, CopyReader } from "../columnar-copy/public.ts";
import { searchedForms } from "../platform/contacts.ts";
import type { Place } from "../platform/cursors.ts";
import { containing } from "../platform/database/like.ts";
import { ownStore, type Statement, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { parseId } from "../platform/ids.ts";
import { invalid } from "../platform/problems.ts";
import { compileMatching, compilePage, placeOfRow } from "./search/compile.ts";
import { type Numbers, readNumbers } from "./search/numbers.ts";
import type { Search } from "./search/terms.ts";
import { nextFound } from "./walks.ts";

/**
 * The filters of GET /v1/profiles [people.filters, people.days]: a search without terms, plus part of a contact, which
 * only the database can match.
 */

type Filters = Omit<Static<NonNullable<typeof listProfiles.query>>, "cursor" | "limit" | "q">;

/** Returns null if there are no filters. Throws 422 for contradictory filters or an unknown quiz. */
export async function readFilters(db: StoreRunner, filters: Filters): Promise<Search | null> {
  const { from = null, to = null } = filters;
  const quizId = await readQuizId(db, filters.quiz_id);
  if (from !== null && to !== null && from > to) throw invalid("query.from", "must not be after to");
  if (Object.values(filters).every((value) => value === undefined)) return null;
  return { person: filters, span: { from, to, quizId }, latestOnly: false, groups: [] };
}

/** The UUID of the requested quiz. A deleted quiz of this store is accepted [people.parameters]. */
async function readQuizId(db: StoreRunner, text: string | undefined): Promise<string | null> {
  if (text === undefined) return null;
  const quizId = parseId("quiz", text);
  const known = sql`SELECT 1 FROM quizzes WHERE store_id = ${ownStore} AND id = ${quizId}`;
  if (quizId === null || !(await db.first(known))) throw invalid("query.quiz_id", "is not a quiz of this store");
  return quizId;
}

/** Up to this number, looking people up one by one is faster than walking the list to find them. */
const fewPeople = 5_000;

/**
 * UUIDs of the people who hold a contact that contains `q`; null if there are so many that walking the list finds some
 * soon [people.part-of-contact].
 */
export async function peopleHolding(db: StoreRunner, q: string): Promise<string[] | null> {
  if (q.includes("\u0000")) return [];
  const rows = await db.all(sql<{ profile_id: string }>`
  SELECT i.profile_id FROM identities i WHERE i.store_id = ${ownStore} AND ${contains(q)}
  LIMIT ${fewPeople + 1}`);
  return rows.length > fewPeople ? null : [...new Set(rows.map((row) => row.profile_id))];
}

/** A condition on `profiles p`. */
export const holdsContact = (q: string): Statement<unknown> => sql`EXISTS (SELECT 1 FROM identities i
  WHERE i.store_id = ${ownStore} AND i.profile_id = p.id AND ${contains(q)})`;

function contains(q: string): Statement<unknown> {
  const parts = searchedForms(q).map(containing);
  return sql`(i.value LIKE ANY (${parts}::text[]) OR i.shown LIKE ANY (${parts}::text[]))`;
}

/** people checked per statement for a part of a contact that many people hold */
const walkedAtOnce = 500;

/** One page of a filtered list, found in the columnar copy in the same way as a search. */
export async function filteredPage(
  { copies, db, deadline }: { copies: CopyReader; db: StoreRunner; deadline: Deadline },
  { search, q }: { search: Search; q: string | undefined },
  { after, limit }: { after: Place | null; limit: number },
): Promise<Place[]> {
  const ask = async <Row>(question: (numbers: Numbers) => Statement<Row>): Promise<Row[]> => {
    const work = async (put: CopyQuery) => put(question(await readNumbers(put, search)));
    return (await copies.read(db.storeId, work, deadline)).result;
  };
  const read = (page: { after: Place | null; limit: number }, of?: readonly string[]): Promise<Place[]> => {
    const allowed = of && new Set(of);
    const list = {
      page: async (from: Place | null, rows: number) =>
        (await ask((numbers) => compilePage(search, numbers, { after: from, limit: rows, ...(of && { of }) }))).map(
          (row) => placeOfRow(row, from),
        ),
      matching: async (ids: readonly string[]) => {
        const possible = ids.filter((id) => allowed?.has(id) ?? true);
        return new Set((await ask((numbers) => compileMatching(search, numbers, possible))).map(({ id }) => id));
      },
    };
    return nextFound(db, list, page);
  };
  if (q === undefined) return read({ after, limit });
  const of = await peopleHolding(db, q);
  if (of !== null) return of.length === 0 ? [] : read({ after, limit }, of);
  const found: Place[] = [];
  for (let from = after; ; ) {
    const people = await read({ after: from, limit: walkedAtOnce });
    found.push(...(await holding(db, q, people)));
    const last = people.at(-1);
    if (found.length >= limit || people.length < walkedAtOnce || last === undefined) return found.slice(0, limit);
    from = last;
  }
}

async function holding(db: StoreRunner, q: string, people: readonly Place[]): Promise<Place[]> {
  const ids = people.map(({ id }) => id);
  const rows = await db.all(sql<{ id: string }>`
  SELECT p.id FROM profiles p WHERE p.store_id = ${ownStore} AND p.id = ANY (${ids}::uuid[]) AND ${holdsContact(q)}`);
  const matching = new Set(rows.map((row) => row.id));
  return people.filter(({ id }) => matching.has(id));
}
