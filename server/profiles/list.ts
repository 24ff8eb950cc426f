import { listProfiles, type ProfileSummary } from "../../contract/profiles.ts";
import type { CopyReader } from "../columnar-copy/public.ts";
import { isoTime } from "../platform/clock.ts";
import { cutPage, type Place, readCursor } from "../platform/cursors.ts";
import type { Runner, Statement } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";
import { readRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import { minorUnits, moneyFromMinor } from "../platform/money.ts";
import type { Secrets } from "../platform/secrets.ts";
import { filteredPage } from "./filtered.ts";
import { holdsContact, likePart, peopleHolding, readFilters } from "./list-filters.ts";

/**
 * GET /v1/profiles [people.list]: people who are not removed, last seen first. Without filters, or with no other than
 * `q`, the database's index has them in order; who meets the others is found as a search finds them.
 */
export const listProfilesRoute = ({ secrets, facts }: { secrets: Secrets; facts: CopyReader }) =>
  readRoute(listProfiles, async ({ caller, query, deadline }, db) => {
    const { cursor, limit = 20, ...filters } = query;
    const { q, ...others } = filters;
    const { store } = caller;
    const search = await readFilters(db, store.id, others);
    const binding = { storeId: store.id, route: listProfiles.id, filters };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const wanted = { after, limit: limit + 1 };
    if (search === null) {
      const rows = await db.all(await selectPage(db, store.id, q, wanted));
      const place = (row: PersonRow) => ({
        ...{ at: row.last_seen_at.getTime(), id: row.id },
        upTo: after?.upTo ?? row.newest,
      });
      const { rows: shown, ...page } = cutPage(rows, limit, secrets, binding, place);
      return { data: shown.map((row) => summaryOf(row)), ...page };
    }
    const places = await filteredPage({ facts, db, deadline }, { storeId: store.id, search, q }, wanted);
    const { rows: shown, ...page } = cutPage<Place>(places, limit, secrets, binding, (place) => place);
    return { data: await readListed(db, store.id, shown), ...page };
  });

async function selectPage(
  db: Runner,
  storeId: string,
  q: string | undefined,
  page: { after: Place | null; limit: number },
) {
  const { after, limit } = page;
  const people = q === undefined ? null : await peopleHolding(db, storeId, q);
  const wanted = people === null ? { holding: q } : { ids: people };
  return selectPeople(storeId, { ...wanted, after }, limit);
}

/** People whom the copy found, as they are listed, in its order; who was removed or merged since is left out. */
export async function readListed(db: Runner, storeId: string, places: readonly Place[]): Promise<ProfileSummary[]> {
  if (places.length === 0) return [];
  const ids = places.map(({ id }) => id);
  const rows = await db.all(selectPeople(storeId, { ids }, ids.length));
  const found = new Map(rows.map((row) => [row.id, summaryOf(row)]));
  return ids.map((id) => found.get(id)).filter((summary) => summary !== undefined);
}

interface PersonRow {
  id: string;
  email: string | null;
  phone: string | null;
  first_seen_at: Date | null;
  last_seen_at: Date;
  last_order_at: Date | null;
  completed_count: number;
  orders_count: number;
  sessions_count: number;
  visits_count: number;
  spent: string;
  /** that `spent` was counted in: the store's as it is now, which the caller's remembered one may lag behind */
  currency: string;
  quizzes: { id: string; name: string }[];
  /** number of the store's newest person */
  newest: number;
}

interface Wanted {
  ids?: readonly string[];
  /** part of a contact */
  holding?: string | undefined;
  after?: Place | null;
}

/** Of several emails or phones the one last left is shown. */
function selectPeople(storeId: string, { ids, holding, after }: Wanted, limit: number): Statement<PersonRow> {
  const parameters: unknown[] = [storeId, limit];
  const given = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = ["p.store_id = $1 AND p.removed_at IS NULL"];
  if (ids) conditions.push(`p.id = ANY(${given(ids)}::uuid[])`);
  if (holding !== undefined) conditions.push(holdsContact(given(likePart(holding))));
  if (after) conditions.push(`(p.last_seen_at, p.id) < (${given(new Date(after.at))}, ${given(after.id)}::uuid)`);
  // somebody whose events come late is new, and last seen before others
  if (after?.upTo !== undefined) conditions.push(`p.number <= ${given(after.upTo)}`);
  const newest = (kind: "email" | "phone") => `
    (SELECT i.value FROM identities i WHERE i.store_id = $1 AND i.profile_id = p.id AND i.kind = '${kind}'
     ORDER BY i.last_seen_at DESC NULLS LAST, i.value LIMIT 1)`;
  return written(
    `SELECT p.id, p.first_seen_at, p.last_seen_at, p.last_order_at, p.completed_count, p.orders_count, p.sessions_count,
      p.visits_count, p.spent, (SELECT currency FROM stores WHERE id = $1) AS currency, ${newest("email")} AS email, ${newest("phone")} AS phone,
      (SELECT r.profiles_numbered FROM store_revisions r WHERE r.store_id = $1) AS newest,
      coalesce((SELECT json_agg(json_build_object('id', q.id, 'name', q.name) ORDER BY t.place)
        FROM unnest(p.quiz_ids) WITH ORDINALITY AS t (id, place)
        JOIN quizzes q ON q.store_id = $1 AND q.id = t.id), '[]') AS quizzes
    FROM profiles p WHERE ${conditions.join(" AND ")}
    ORDER BY p.last_seen_at DESC, p.id DESC LIMIT $2`,
    parameters,
  );
}

function summaryOf(row: PersonRow): ProfileSummary {
  return {
    id: formatId("prof", row.id),
    email: row.email,
    phone: row.phone,
    first_seen_at: row.first_seen_at && isoTime(row.first_seen_at),
    last_seen_at: isoTime(row.last_seen_at),
    last_order_at: row.last_order_at && isoTime(row.last_order_at),
    completed_count: row.completed_count,
    orders_count: row.orders_count,
    sessions_count: row.sessions_count,
    quizzes: row.quizzes.map(({ id, name }) => ({ id: formatId("quiz", id), name })),
    removed: false,
    returning: row.visits_count >= 2,
    spent: moneyFromMinor(minorUnits(row.spent, row.currency), row.currency),
  };
}
