import { ownStore, sql } from "../../platform/database/sql.ts";
import { written } from "../../platform/database/statements.ts";
import { formatId } from "../../platform/ids.ts";
import type { FoundPeople } from "../../profiles/search/find-people.ts";
import { fullDefinition } from "../../quizzes/public.ts";
import { type ToldSession, toldSessions } from "../../sessions/public.ts";
import { type Dataset, type Take, withPeople } from "./dataset.ts";
import type { BuildContext } from "./deps.ts";
import { type AskedQuiz, responseColumns } from "./response-columns.ts";
import { eachBatch, eachPage, type Snapshot } from "./snapshot.ts";
import { filteredSpan, type Span } from "./span.ts";

/**
 * One row per session that started, in the order of their starts [exports.responses]: finished ones in the form of
 * quiz.finished, others in that of quiz.abandoned, with contacts. `from` and `to` are about the day of the start;
 * with a search, only sessions of the people found. Previews are in no file.
 */
export const takeResponses = (context: BuildContext, take: Take): Promise<void> =>
  withPeople(context, async (snapshot, people) => take(await responsesOf(context, snapshot, people)));

interface SessionKey {
  id: string;
  /** as PostgreSQL writes it, since a date here would lose digits of it */
  started: string;
  quiz_id: string;
  /** the number of its person, where people were searched */
  person: number | null;
}

const joinPeople = "LEFT JOIN profiles p ON p.store_id = $1 AND p.id = s.profile_id AND p.removed_at IS NULL";

/**
 * Without names every page is of as many sessions, whether they are wanted or not, so that none takes longer than
 * another. Of a few people the sessions are looked up first: the planner might go through those of everybody instead.
 */
function pageSql(people: FoundPeople | null, rows: number): string {
  const columns = (person: string) => `SELECT s.id, s.started_at::text AS started, s.quiz_id, ${person} AS person`;
  const wanted = `s.store_id = $1 AND s.started_at IS NOT NULL AND NOT s.preview AND s.started_at >= $2
    AND s.started_at < $3 AND NOT s.started_at <@ $6::tstzmultirange AND (s.started_at, s.id) > ($4::timestamptz, $5::uuid)`;
  const page = `ORDER BY s.started_at, s.id LIMIT ${rows}`;
  if (people === null) return `${columns("NULL::bigint")} FROM sessions s WHERE ${wanted} ${page}`;
  if (people.named === null) return `${columns("p.number")} FROM sessions s ${joinPeople} WHERE ${wanted} ${page}`;
  return `WITH s AS MATERIALIZED (
      SELECT s.id, s.started_at, s.quiz_id, s.profile_id FROM sessions s
      WHERE s.profile_id = ANY($7::uuid[]) AND ${wanted})
    ${columns("p.number")} FROM s ${joinPeople} ${page}`;
}

async function responsesOf(
  context: BuildContext,
  { db }: Snapshot,
  people: FoundPeople | null,
): Promise<Dataset<ToldSession>> {
  const { store, deps, limits, pace, claimed } = context;
  const span = filteredSpan(claimed.filters);
  const sql = pageSql(people, limits.pageRows);
  const named = people?.named ? [people.named] : [];
  const readPage = ({ started, id }: SessionKey) => {
    const bounds = [span.start ?? "-infinity", span.end ?? "infinity"];
    return db.all(written<SessionKey>(sql, [store.id, ...bounds, started, id, span.apart, ...named]));
  };
  const isWanted = ({ quiz_id, person }: SessionKey) =>
    (span.quizId === null || quiz_id === span.quizId) && (people === null || (person !== null && people.has(person)));
  const first = { id: "00000000-0000-0000-0000-000000000000", started: "-infinity", quiz_id: "", person: null };
  const tellSessions = toldSessions(db.forStore(store.id), deps.versions);
  return {
    columns:
      claimed.format === "csv" ? responseColumns(await askedQuizzes(context, db, span), span.quizId === null) : [],
    read: (take) =>
      eachPage({ pageRows: limits.pageRows, pace }, first, readPage, async (page) => {
        const ids = page.filter(isWanted).map(({ id }) => id);
        const tell = async (some: readonly string[]) => {
          const told = await tellSessions(some);
          return some.flatMap((id) => told.get(id) ?? []);
        };
        await eachBatch(ids, pace, tell, take);
      }),
  };
}

/** The quizzes that the rows are of, with every question that any of their versions asked. */
async function askedQuizzes(context: BuildContext, db: Snapshot["db"], span: Span): Promise<AskedQuiz[]> {
  const { store } = context;
  const ids = span.quizId === null ? await startedQuizzes(db, store.id, span) : [span.quizId];
  const quizzes: AskedQuiz[] = [];
  for (const id of ids) {
    const { pages = [] } = (await fullDefinition(db.forStore(store.id), id)) ?? {};
    const keys = pages.flatMap(({ components }) => components.map(({ component_key }) => component_key));
    // a question that changed its page may be listed on both
    quizzes.push({ id: formatId("quiz", id), questions: [...new Set(keys)] });
  }
  return quizzes;
}

/**
 * Goes through the sessions that the rows are made of only until each of the store's quizzes was found, which most are
 * early. The columnar copy would know, but may be of another moment.
 */
async function startedQuizzes(db: Snapshot["db"], storeId: string, { start, end, apart }: Span): Promise<string[]> {
  const quizzes = written<{ id: string }>("SELECT id FROM quizzes WHERE store_id = $1", [storeId]);
  const missing = new Set((await db.all(quizzes)).map(({ id }) => id));
  const found: string[] = [];
  for (let from: Date | string = start ?? "-infinity"; missing.size > 0; ) {
    const row = await db
      .forStore(storeId)
      .first(sql<{ quiz_id: string; started: string }>`SELECT s.quiz_id, s.started_at::text AS started FROM sessions s
    WHERE s.store_id = ${ownStore} AND s.started_at >= ${from} AND s.started_at < ${end ?? "infinity"} AND NOT s.preview AND s.quiz_id = ANY(${[...missing]}::uuid[])
      AND NOT s.started_at <@ ${apart}::tstzmultirange
    ORDER BY s.started_at LIMIT 1`);
    if (!row) break;
    found.push(row.quiz_id);
    missing.delete(row.quiz_id);
    from = row.started;
  }
  return found.sort();
}
