import { searchLimits } from "../../../contract/search-terms.ts";
import type { Place } from "../../platform/cursors.ts";
import { joined, raw, type Statement, sql } from "../../platform/database/sql.ts";
import { bitsOfGroup, findHits } from "./hits.ts";
import type { Numbers } from "./numbers.ts";
import { allOf, among, anyOf, integerValue, type Part, textValue, uuidValue } from "./parts.ts";
import type { PersonConditions, Search, SessionSpan } from "./terms.ts";

/** Compiles a search into one statement over the copy (its design: server/columnar-copy/schema.ts). */

export interface SearchPage {
  /** null for the first page */
  after: Place | null;
  limit: number;
}

export interface SearchRow {
  /** over all matches, regardless of the page */
  total: number;
  returning_total: number;
  /** UUID; null in the only row of an empty page */
  id: string | null;
  /** ms */
  last_seen: number | null;
  /** the store's revision that the copy is at */
  revision: number;
}

export interface PageRow {
  id: string;
  last_seen: number;
  revision: number;
}

/** @param after the place that the page comes after, which says when paging began; null for the first page */
export const placeOfRow = ({ id, last_seen: at, revision }: PageRow, after: Place | null): Place => {
  const { asOf = revision, upTo } = after ?? {};
  return upTo === undefined ? { id, at, asOf } : { id, at, upTo };
};

const revision = sql`(SELECT m.revision FROM meta m) AS revision`;

/**
 * One page of people in the order of `compileSearch`; `of` restricts it to these UUIDs. After the first page, without
 * those who were seen again since it was read: `walks.ts` adds them where they were.
 */
export function compilePage(
  search: Search,
  numbers: Numbers,
  { after, limit, of }: SearchPage & { of?: readonly string[] },
): Statement<PageRow> {
  const conditions = [following(after, "p.")];
  if (of) conditions.push(isOneOf(of));
  return sql`SELECT CAST(p.id AS VARCHAR) AS id, p.last_seen, ${revision} ${matchingPeople(search, numbers)}
    AND ${joined(conditions, " AND ")} ORDER BY p.last_seen DESC, p.id DESC LIMIT ${integerValue(limit)}`;
}

/** Those of the given people, by UUID, whom a search finds. */
export const compileMatching = (search: Search, numbers: Numbers, of: readonly string[]): Statement<{ id: string }> =>
  sql`SELECT CAST(p.id AS VARCHAR) AS id ${matchingPeople(search, numbers)} AND ${isOneOf(of)}`;

const isOneOf = (ids: readonly string[]): Part =>
  sql`p.id IN (SELECT unnest(from_json(${textValue(JSON.stringify(ids))}, '["UUID"]')))`;

/** Totals and one page of people, in descending order of last seen and then id [people.list]. */
export function compileSearch(search: Search, numbers: Numbers, { after, limit }: SearchPage): Statement<SearchRow> {
  return sql`WITH matches AS MATERIALIZED (
      SELECT p.id, p.person, p.last_seen, p.placed_after, p.visits_count ${matchingPeople(search, numbers)}
    ), totals AS (
      SELECT count(*) AS total, count(*) FILTER (WHERE visits_count >= 2) AS returning_total FROM matches
    ), page AS (
      SELECT id, last_seen FROM matches WHERE ${following(after)}
      ORDER BY last_seen DESC, id DESC LIMIT ${integerValue(limit)}
    )
    SELECT t.total, t.returning_total, CAST(page.id AS VARCHAR) AS id, page.last_seen, ${revision}
    FROM totals t LEFT JOIN page ON true ORDER BY page.last_seen DESC, page.id DESC`;
}

/**
 * The people after a place in the list. People who are new or were seen again since the walk's first page are excluded,
 * wherever they would be in the order [people.list-pages].
 */
function following(after: Place | null, of = ""): Part {
  if (after === null) return sql`true`;
  const at = raw(of);
  const place = sql`(${at}last_seen, ${at}id) < (${integerValue(after.at)}, ${uuidValue(after.id)})`;
  if (after.asOf !== undefined) return sql`${place} AND coalesce(${at}placed_after, -1) < ${integerValue(after.asOf)}`;
  return after.upTo === undefined ? place : sql`${place} AND ${at}person <= ${integerValue(after.upTo)}`;
}

/** `FROM people p ... WHERE ...` that matches each person once. */
export function matchingPeople(search: Search, numbers: Numbers): Part {
  const { person, span, groups, latestOnly } = search;
  const conditions = filterConditions(person, span, numbers);
  if (groups.length === 0) return sql`FROM people p WHERE ${allOf(conditions)}`;
  const hits = findHits(groups, { numbers, latestOnly });
  const possible = hits.groups.filter((group) => group.possible);
  if (hits.sql === null || possible.length === 0) return sql`FROM people p WHERE false`;
  conditions.push(anyOf(possible.map((group) => hasBits(bitsOfGroup(group)))));
  return sql`FROM people p JOIN ${masksOfPeople(hits.sql)} h ON h.person = p.person WHERE ${allOf(conditions)}`;
}

export const hasBits = (bits: number): Part => raw(`(h.mask & ${bits}) = ${bits}`);

/** One row (person, mask) for every person who meets some slot. */
export const masksOfPeople = (hits: Part): Part =>
  sql`(SELECT person, bit_or(mask) AS mask FROM (${hits}) WHERE mask <> 0 GROUP BY person)`;

/** The conditions of a search outside its groups, on `people p`. */
export const filterConditions = (person: PersonConditions, span: SessionSpan, numbers: Numbers): Part[] => [
  ...personConditions(person),
  ...spanConditions(span, numbers),
];

function personConditions(person: PersonConditions): Part[] {
  const flags: [boolean | undefined, string][] = [
    [person.has_email, "p.has_email"],
    [person.has_phone, "p.has_phone"],
    [person.has_marketing_consent, "p.has_consent"],
    [person.has_order, "p.orders_count > 0"],
    [person.is_returning, "p.visits_count >= 2"],
  ];
  return flags.flatMap(([is, condition]) => (is === undefined ? [] : raw(is ? condition : `NOT (${condition})`)));
}

const dayMs = 86_400_000;

/** Days are in UTC, as is a date parsed without a time. */
function spanConditions({ from, to, quizId }: SessionSpan, numbers: Numbers): Part[] {
  const session: Part[] = [];
  if (from !== null) session.push(sql`started >= ${integerValue(Date.parse(from))}`);
  if (to !== null) session.push(sql`started < ${integerValue(Date.parse(to) + dayMs)}`);
  if (quizId !== null) session.push(raw(among("quiz", numbers.quiz(quizId))));
  if (session.length === 0) return [];
  return [sql`p.person IN (SELECT person FROM sessions WHERE person IS NOT NULL AND ${allOf(session)})`];
}

/** `total` as it is returned to the client [search.total]. */
export const cappedTotal = (total: number): { total: number; total_capped: boolean } => ({
  total: Math.min(total, searchLimits.total),
  total_capped: total > searchLimits.total,
});
