import { type ProfileSummary, profileSummary } from "../../../contract/profiles.ts";
import { ownStore, raw, type Statement, sql } from "../../platform/database/sql.ts";
import { readListed } from "../../profiles/list.ts";
import type { FoundPeople } from "../../profiles/search/find-people.ts";
import { type Column, listColumn } from "./columns.ts";
import { phoneCell } from "./csv.ts";
import { type Dataset, type Part, type WriteDataset, withPeople } from "./dataset.ts";
import type { BuildContext } from "./deps.ts";
import { eachBatch, eachPage, type Snapshot } from "./snapshot.ts";
import { filteredSpan, type Span } from "./span.ts";

/**
 * One row per person who is not removed [exports.profiles], most recently seen first, like the list of people. `from`,
 * `to` and `quiz_id` require one session that meets all three; a search must be met as well.
 *
 * The order of columns is fixed; new ones are added at the end. They are the fields of a person in a list, with
 * `quizzes` as names and `quiz_ids` as ids, both joined by "; ", and `spent` as an amount and its currency.
 */
export const profileColumns: readonly Column<ProfileSummary>[] = [
  { name: "id", type: "text", value: ({ id }) => id },
  { name: "email", type: "text", value: ({ email }) => email },
  { name: "phone", type: "text", value: ({ phone }) => phone, cell: ({ phone }) => phoneCell(phone) },
  { name: "first_seen_at", type: "instant", value: (person) => person.first_seen_at },
  { name: "last_seen_at", type: "instant", value: (person) => person.last_seen_at },
  { name: "last_order_at", type: "instant", value: (person) => person.last_order_at },
  { name: "completed_count", type: "integer", value: (person) => person.completed_count },
  { name: "orders_count", type: "integer", value: (person) => person.orders_count },
  { name: "sessions_count", type: "integer", value: (person) => person.sessions_count },
  listColumn("quizzes", ({ quizzes }) => quizzes.map(({ name }) => name)),
  listColumn("quiz_ids", ({ quizzes }) => quizzes.map(({ id }) => id)),
  { name: "removed", type: "boolean", value: ({ removed }) => removed },
  { name: "returning", type: "boolean", value: ({ returning }) => returning },
  { name: "spent_amount", type: "decimal", value: ({ spent }) => spent.amount },
  { name: "spent_currency", type: "text", value: ({ spent }) => spent.currency },
];

export const writeProfiles = (context: BuildContext, write: WriteDataset): Promise<void> =>
  withPeople(context, (snapshot, people) => write(profilesOf(context, snapshot, people)));

interface PersonKey {
  id: string;
  number: number;
  /** as text from PostgreSQL, since a Date would lose microseconds */
  last_seen: string;
  meets: boolean;
}

/** Checks the person's sessions by person. With EXISTS, PostgreSQL would read all sessions of the store at once. */
const sessionMeets = ({ start, end, apart, quizId }: Span) => sql`
  coalesce((SELECT true FROM sessions s
    WHERE s.store_id = ${ownStore} AND s.profile_id = p.id AND NOT s.preview
      AND (${start}::timestamptz IS NULL OR s.started_at >= ${start})
      AND (${end}::timestamptz IS NULL OR s.started_at < ${end})
      AND NOT s.started_at <@ ${apart}::tstzmultirange AND (${quizId}::uuid IS NULL OR s.quiz_id = ${quizId})
    LIMIT 1), false)`;

/**
 * Without named people, every page reads the same number of people, whether they match or not, so that no page takes
 * longer than another. Named people are looked up first, since the planner might scan everybody instead.
 */
function selectPage(after: PersonKey, span: Span, named: readonly string[] | null, rows: number): Statement<PersonKey> {
  const meets = isOpen(span) ? raw("true") : sessionMeets(span);
  const columns = sql`p.id, p.number, p.last_seen_at::text AS last_seen, ${meets} AS meets`;
  const present = sql`p.store_id = ${ownStore} AND p.removed_at IS NULL
    AND (p.last_seen_at, p.id) < (${after.last_seen}::timestamptz, ${after.id}::uuid)`;
  const order = sql`ORDER BY p.last_seen_at DESC, p.id DESC LIMIT ${raw(rows)}`;
  if (named === null) return sql`SELECT ${columns} FROM profiles p WHERE ${present} ${order}`;
  return sql`
    WITH p AS MATERIALIZED (
      SELECT p.id, p.number, p.last_seen_at FROM profiles p WHERE p.id = ANY(${named}::uuid[]) AND ${present})
    SELECT ${columns} FROM p ${order}`;
}

function profilesOf(context: BuildContext, { db }: Snapshot, people: FoundPeople | null): Dataset<ProfileSummary> {
  const { limits, pace, claimed } = context;
  const span = filteredSpan(claimed.filters);
  const readPage = (after: PersonKey) => db.all(selectPage(after, span, people?.named ?? null, limits.pageRows));
  const isIncluded = (key: PersonKey) => key.meets && (people === null || people.has(key.number));
  const first = { id: "ffffffff-ffff-ffff-ffff-ffffffffffff", number: 0, last_seen: "infinity", meets: true };
  const part: Part<ProfileSummary> = {
    name: claimed.dataset,
    columns: profileColumns,
    read: (add) =>
      eachPage({ pageRows: limits.pageRows, pace }, first, readPage, async (page) => {
        const ids = page.filter(isIncluded).map(({ id }) => id);
        await eachBatch(ids, pace, (some) => readListed(db, some), add);
      }),
  };
  return { shape: profileSummary, parts: [part] };
}

const isOpen = ({ start, end, quizId }: Span): boolean => start === null && end === null && quizId === null;
