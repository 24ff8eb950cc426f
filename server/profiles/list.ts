import { listProfiles, type ProfileSummary } from "../../contract/profiles.ts";
import type { CopyReader } from "../columnar-copy/public.ts";
import { cutPage, older, type Place, readCursor } from "../platform/cursors.ts";
import { joined, ownStore, raw, type Statement, type StoreRunner, sql } from "../platform/database/sql.ts";
import { readRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import { filteredPage, holdsContact, peopleHolding, readFilters } from "./list-filters.ts";
import { type PersonRow, personColumns, personFields } from "./person-row.ts";

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
    if (search === null) {
      const people = q === undefined ? null : await peopleHolding(db, q);
      const selection = people === null ? { holding: q } : { ids: people };
      const rows = await db.all(selectPeople({ ...selection, after }, limit + 1));
      const { rows: shown, ...page } = cutPage(rows, limit, secrets, binding, (row) => {
        return { at: row.last_seen_at.getTime(), id: row.id, upTo: after?.upTo ?? row.newest };
      });
      return { data: shown.map(summaryOf), ...page };
    }
    const places = await filteredPage({ copies, db, deadline }, { search, q }, { after, limit: limit + 1 });
    const { rows: shown, ...page } = cutPage<Place>(places, limit, secrets, binding, (place) => place);
    return { data: await readListed(db, idsOf(shown)), ...page };
  });

export const idsOf = (places: readonly Place[]): string[] => places.map(({ id }) => id);

/** People as lists show them, in the order of the given UUIDs. Skips people who have been removed or merged. */
export async function readListed(db: StoreRunner, ids: readonly string[]): Promise<ProfileSummary[]> {
  if (ids.length === 0) return [];
  const rows = await db.all(selectPeople({ ids }, ids.length));
  const found = new Map(rows.map((row) => [row.id, summaryOf(row)]));
  return ids.map((id) => found.get(id)).filter((summary) => summary !== undefined);
}

interface ListedRow extends PersonRow {
  email: string | null;
  phone: string | null;
  quizzes: { id: string; name: string }[];
  /** `number` of the store's newest person */
  newest: number;
}

interface PeopleSelection {
  ids?: readonly string[];
  /** part of a contact */
  holding?: string | undefined;
  after?: Place | null;
}

/** A list shows only the most recently left email and phone. */
const lastLeft = (kind: "email" | "phone") => sql`(SELECT i.value FROM identities i
  WHERE i.store_id = ${ownStore} AND i.profile_id = p.id AND i.kind = '${raw(kind)}'
  ORDER BY i.last_seen_at DESC NULLS LAST, i.value LIMIT 1) AS ${raw(kind)}`;

function selectPeople({ ids, holding, after = null }: PeopleSelection, limit: number): Statement<ListedRow> {
  const conditions = [sql`p.store_id = ${ownStore} AND p.removed_at IS NULL`];
  if (ids) conditions.push(sql`p.id = ANY (${ids}::uuid[])`);
  if (holding !== undefined) conditions.push(holdsContact(holding));
  // excludes people created since the first page; late events can place them anywhere in the order
  if (after?.upTo !== undefined) conditions.push(sql`p.number <= ${after.upTo}`);
  return sql`
  SELECT ${personColumns}, ${lastLeft("email")}, ${lastLeft("phone")},
    (SELECT r.profiles_numbered FROM store_revisions r WHERE r.store_id = ${ownStore}) AS newest,
    coalesce((SELECT json_agg(json_build_object('id', q.id, 'name', q.name) ORDER BY t.place)
      FROM unnest(p.quiz_ids) WITH ORDINALITY AS t (id, place)
      JOIN quizzes q ON q.store_id = ${ownStore} AND q.id = t.id), '[]') AS quizzes
  FROM profiles p WHERE ${joined(conditions, " AND ")} ${older(after, "p.last_seen_at, p.id")}
  ORDER BY p.last_seen_at DESC, p.id DESC LIMIT ${limit}`;
}

const summaryOf = (row: ListedRow): ProfileSummary => ({
  ...personFields(row),
  email: row.email,
  phone: row.phone,
  quizzes: row.quizzes.map(({ id, name }) => ({ id: formatId("quiz", id), name })),
});
