import { newestFirst, older, type Place } from "../platform/cursors.ts";
import { joined, ownStore, type Statement, type StoreRunner, sql } from "../platform/database/sql.ts";

/**
 * The pages of a list of people after the first. People who are seen again while somebody pages through the list keep
 * the place that they had on the first page, so that each of them is listed once; those who are new are left out
 * [people.list-pages]. `earlier_places` has the place of whoever changed it since.
 */

/** A place whose list began at a revision of the store. */
type Walk = Place & { asOf: number };

export const isWalk = (place: Place | null): place is Walk => place?.asOf !== undefined;

/** The condition for earlier places (`e`) that counted when paging began, after the last one shown. */
const countedThen = (after: Walk): Statement =>
  sql`e.store_id = ${ownStore} AND e.until_revision >= ${after.asOf}::bigint
    AND (e.placed_after IS NULL OR e.placed_after < ${after.asOf}::bigint) ${older(after, "e.last_seen_at, e.profile_id")}`;

/** The condition for people (`p`) whose place still counts, after the last one shown. */
function stayed(after: Place): Statement {
  const place = older(after, "p.last_seen_at, p.id");
  if (isWalk(after)) return sql`(p.placed_after IS NULL OR p.placed_after < ${after.asOf}::bigint) ${place}`;
  return sql`${after.upTo === undefined ? sql`true` : sql`p.number <= ${after.upTo}`} ${place}`;
}

interface PlaceRow {
  id: string;
  at: Date;
}

/** @param conditions on `profiles p` */
export async function nextPlaces(
  db: StoreRunner,
  conditions: readonly Statement[],
  { after, limit }: { after: Place; limit: number },
): Promise<Place[]> {
  const present = joined([sql`p.store_id = ${ownStore} AND p.removed_at IS NULL`, ...conditions], " AND ");
  const there = sql<PlaceRow>`SELECT p.id, p.last_seen_at AS at FROM profiles p WHERE ${present} AND ${stayed(after)}
    ORDER BY p.last_seen_at DESC, p.id DESC LIMIT ${limit}`;
  if (!isWalk(after)) return placesOf(await db.all(there), after);
  // looked up one by one, as far as the page goes: for a join, all people of the store might be read [database.young-tables]
  const moved = sql`SELECT m.profile_id, m.last_seen_at FROM (
      SELECT e.profile_id, e.last_seen_at FROM earlier_places e WHERE ${countedThen(after)}
      ORDER BY e.last_seen_at DESC, e.profile_id DESC OFFSET 0) m
    WHERE coalesce((SELECT true FROM profiles p WHERE p.id = m.profile_id AND ${present}), false)
    ORDER BY m.last_seen_at DESC, m.profile_id DESC LIMIT ${limit}`;
  const both = sql<PlaceRow>`(${there}) UNION ALL (${moved}) ORDER BY at DESC, id DESC LIMIT ${limit}`;
  return placesOf(await db.all(both), after);
}

const placesOf = (rows: readonly PlaceRow[], { asOf, upTo }: Place): Place[] =>
  rows.map(({ id, at }) => ({ id, at: at.getTime(), ...(asOf === undefined ? { upTo } : { asOf }) }) as Place);

/** A list of people that a columnar copy finds. */
export interface FoundList {
  /** people whose place still counts, in order */
  page(after: Place | null, limit: number): Promise<readonly Place[]>;
  /** those of the given people, by UUID, who are in the list, wherever they are now */
  matching(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** people seen again who are looked up in the copy at once */
export const seenAgainAtOnce = 1_000;

/**
 * The next people of such a list. Looks up only those who were seen again and whose place was between the page's first
 * and last, so mostly nobody. Reads them after the page, so that nobody is missed who moved in between.
 */
export async function nextFound(
  db: StoreRunner,
  list: FoundList,
  { after, limit }: { after: Place | null; limit: number },
): Promise<Place[]> {
  if (!isWalk(after)) return [...(await list.page(after, limit))];
  const found: Place[] = [];
  for (let from = after; ; ) {
    const page = await list.page(from, limit);
    const last = page.length < limit ? undefined : page.at(-1);
    const moved = await seenAgain(db, from, last);
    const ids = moved.map(({ id }) => id);
    const [gone, matching] = [new Set(ids), ids.length === 0 ? new Set<string>() : await list.matching(ids)];
    // with as many as are looked up at once, there may be more behind the last of them
    const end = moved.length < seenAgainAtOnce ? last : moved.at(-1);
    const both = [...page.filter(({ id }) => !gone.has(id)), ...moved.filter(({ id }) => matching.has(id))];
    found.push(...both.sort(newestFirst).filter((place) => end === undefined || newestFirst(place, end) <= 0));
    if (found.length >= limit || end === undefined) return found.slice(0, limit);
    from = { ...end, asOf: after.asOf };
  }
}

async function seenAgain(db: StoreRunner, after: Walk, last: Place | undefined): Promise<Place[]> {
  const within =
    last === undefined ? sql`` : sql`AND (e.last_seen_at, e.profile_id) > (${new Date(last.at)}, ${last.id}::uuid)`;
  const rows = await db.all(sql<PlaceRow>`SELECT e.profile_id AS id, e.last_seen_at AS at FROM earlier_places e
    WHERE ${countedThen(after)} ${within} ORDER BY e.last_seen_at DESC, e.profile_id DESC LIMIT ${seenAgainAtOnce}`);
  return placesOf(rows, after);
}
