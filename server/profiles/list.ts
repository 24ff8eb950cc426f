import { listProfiles, type ProfileSummary } from "../../contract/profiles.ts";
import type { CopyReader } from "../columnar-copy/public.ts";
import { type CursorPage, cutPage, type Place, readCursor } from "../platform/cursors.ts";
import { joined, ownStore, raw, type Statement, type StoreRunner, sql } from "../platform/database/sql.ts";
import { readRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import { filteredPage, holdsContact, peopleHolding, readFilters } from "./list-filters.ts";
import { type PersonRow, personColumns, personFields } from "./person-row.ts";
import { nextPlaces } from "./walks.ts";

/**
 * GET /v1/profiles [people.list]: people who are not removed, most recently seen first. Without filters, or with only
 * `q`, the database reads them in index order; all other filters run in the columnar copy like a search.
 */
export const listProfilesRoute = ({ secrets, copies }: { secrets: Secrets; copies: CopyReader }) =>
  readRoute(listProfiles, async ({ query, deadline }, db) => {
    const { cursor, limit = 20, ...filters } = query;
    const { q, ...others } = filters;
    const search = await readFilters(db, others);
    const binding = { storeId: db.storeId, route: listProfiles.id, filters };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const more = { after, limit: limit + 1 };
    const cut = <Row>(rows: Row[], placeOf: (row: Row) => Place) => cutPage(rows, limit, secrets, binding, placeOf);
    if (search !== null) {
      return listedAt(db, cut(await filteredPage({ copies, db, deadline }, { search, q }, more), itself));
    }
    const people = q === undefined ? null : await peopleHolding(db, q);
    const conditions = people !== null ? [isOneOf(people)] : q === undefined ? [] : [holdsContact(q)];
    if (after !== null) return listedAt(db, cut(await nextPlaces(db, conditions, { ...more, after }), itself));
    const { rows, ...page } = cut(await db.all(selectPeople(conditions, more.limit)), (row) => {
      return { at: row.last_seen_at.getTime(), id: row.id, asOf: row.revision };
    });
    return { data: rows.map(summaryOf), ...page };
  });

const itself = (place: Place): Place => place;

/** A page of people, as lists show them. */
export async function listedAt(db: StoreRunner, { rows, ...page }: CursorPage<Place>) {
  const ids = rows.map(({ id }) => id);
  return { data: await readListed(db, ids), ...page };
}

/** People as lists show them, in the order of the given UUIDs. Skips people who have been removed or merged. */
export async function readListed(db: StoreRunner, ids: readonly string[]): Promise<ProfileSummary[]> {
  if (ids.length === 0) return [];
  const rows = await db.all(selectPeople([isOneOf(ids)], ids.length));
  const found = new Map(rows.map((row) => [row.id, summaryOf(row)]));
  return ids.map((id) => found.get(id)).filter((summary) => summary !== undefined);
}

interface ListedRow extends PersonRow {
  email: string | null;
  phone: string | null;
  quizzes: { id: string; name: string }[];
  /** the store's */
  revision: number;
}

const isOneOf = (ids: readonly string[]): Statement => sql`p.id = ANY (${ids}::uuid[])`;

/** A list shows only the most recently left email and phone. */
const lastLeft = (kind: "email" | "phone") => sql`(SELECT coalesce(i.shown, i.value) FROM identities i
  WHERE i.store_id = ${ownStore} AND i.profile_id = p.id AND i.kind = '${raw(kind)}'
  ORDER BY i.last_seen_at DESC NULLS LAST, i.value LIMIT 1) AS ${raw(kind)}`;

/** @param conditions on `profiles p` */
const selectPeople = (conditions: readonly Statement[], limit: number): Statement<ListedRow> => sql`
  SELECT ${personColumns}, ${lastLeft("email")}, ${lastLeft("phone")},
    (SELECT r.revision FROM store_revisions r WHERE r.store_id = ${ownStore}) AS revision,
    coalesce((SELECT json_agg(json_build_object('id', q.id, 'name', q.name) ORDER BY t.place)
      FROM unnest(p.quiz_ids) WITH ORDINALITY AS t (id, place)
      JOIN quizzes q ON q.store_id = ${ownStore} AND q.id = t.id), '[]') AS quizzes
  FROM profiles p
  WHERE ${joined([sql`p.store_id = ${ownStore} AND p.removed_at IS NULL`, ...conditions], " AND ")}
  ORDER BY p.last_seen_at DESC, p.id DESC LIMIT ${limit}`;

const summaryOf = (row: ListedRow): ProfileSummary => ({
  ...personFields(row),
  email: row.email,
  phone: row.phone,
  quizzes: row.quizzes.map(({ id, name }) => ({ id: formatId("quiz", id), name })),
});
