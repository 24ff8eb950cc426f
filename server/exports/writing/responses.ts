import { isTable } from "../../../contract/exports.ts";
import { kindOfAnswers } from "../../../engine/kinds/value.ts";
import { ownStore, raw, type Statement, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import type { FoundPeople } from "../../profiles/search/find-people.ts";
import { fullDefinition, questionForms, quizNames } from "../../quizzes/public.ts";
import { type WebhookSession, webhookSessions } from "../../sessions/public.ts";
import { objectWithoutContacts } from "../../webhooks/privacy.ts";
import { type Dataset, type Part, type WriteDataset, withPeople } from "./dataset.ts";
import { type BuildContext, hasSheets } from "./deps.ts";
import { type AskedQuestion, type QuizQuestions, responseColumns } from "./response-columns.ts";
import { SessionIds } from "./session-ids.ts";
import { eachBatch, eachPage, type Snapshot } from "./snapshot.ts";
import { filteredSpan, type Span } from "./span.ts";

/**
 * One row per started session, in the order of their starts [exports.responses]: finished ones in the form of
 * quiz.finished, others in that of quiz.abandoned, with contacts. `from` and `to` apply to the day of the start; with a
 * search, only sessions of the people found are included. Previews are excluded.
 */
export const writeResponses = (context: BuildContext, write: WriteDataset): Promise<void> =>
  withPeople(context, async (snapshot, people) => write(await responsesOf(context, snapshot, people)));

interface SessionKey {
  id: string;
  /** as text from PostgreSQL, since a Date would lose microseconds */
  started: string;
  quiz_id: string;
  /** `number` of its person, if people were searched */
  person: number | null;
}

/**
 * Without named people, every page reads the same number of sessions, whether they match or not, so that no page takes
 * longer than another. The sessions of named people are looked up first, since the planner might scan everybody's
 * instead.
 */
function selectPage(
  after: SessionKey,
  { start, end, apart }: Span,
  people: FoundPeople | null,
  rows: number,
): Statement<SessionKey> {
  const columns = sql`s.id, s.started_at::text AS started, s.quiz_id`;
  const condition = sql`s.store_id = ${ownStore} AND s.started_at IS NOT NULL AND NOT s.preview
    AND s.started_at >= ${start ?? "-infinity"} AND s.started_at < ${end ?? "infinity"}
    AND NOT s.started_at <@ ${apart}::tstzmultirange
    AND (s.started_at, s.id) > (${after.started}::timestamptz, ${after.id}::uuid)`;
  const order = sql`ORDER BY s.started_at, s.id LIMIT ${raw(rows)}`;
  if (people === null)
    return sql`SELECT ${columns}, NULL::bigint AS person FROM sessions s WHERE ${condition} ${order}`;
  const joinPeople = sql`
    LEFT JOIN profiles p ON p.store_id = ${ownStore} AND p.id = s.profile_id AND p.removed_at IS NULL`;
  if (people.named === null)
    return sql`SELECT ${columns}, p.number AS person FROM sessions s ${joinPeople} WHERE ${condition} ${order}`;
  return sql`
    WITH s AS MATERIALIZED (
      SELECT s.id, s.started_at, s.quiz_id, s.profile_id FROM sessions s
      WHERE s.profile_id = ANY(${people.named}::uuid[]) AND ${condition})
    SELECT ${columns}, p.number AS person FROM s ${joinPeople} ${order}`;
}

async function responsesOf(
  context: BuildContext,
  { db }: Snapshot,
  people: FoundPeople | null,
): Promise<Dataset<WebhookSession>> {
  const { limits, pace, claimed } = context;
  const span = filteredSpan(claimed.filters);
  const isIncluded = ({ quiz_id, person }: SessionKey) =>
    (span.quizId === null || quiz_id === span.quizId) && (people === null || (person !== null && people.has(person)));
  const first = { id: "00000000-0000-0000-0000-000000000000", started: "-infinity", quiz_id: "", person: null };
  const readPage = (after: SessionKey) => db.all(selectPage(after, span, people, limits.pageRows));
  const eachKeys = (work: (keys: readonly SessionKey[]) => Promise<void>) =>
    eachPage({ pageRows: limits.pageRows, pace }, first, readPage, (page) => work(page.filter(isIncluded)));
  const tell = sessionsTold(context, db);
  const quizzes = isTable(claimed.format) ? await readQuestions(db, span) : [];
  if (hasSheets(claimed) && span.quizId === null && quizzes.length > 0)
    return { parts: sheetsOf(context, quizzes, sortedByQuiz(eachKeys), tell) };
  const read: Part<WebhookSession>["read"] = (add) =>
    eachKeys((keys) =>
      eachBatch(
        keys.map(({ id }) => id),
        pace,
        tell,
        add,
      ),
    );
  const [only] = span.quizId === null ? [] : quizzes;
  const columns = isTable(claimed.format) ? responseColumns(quizzes, span.quizId === null) : [];
  return { parts: [{ name: only?.name ?? claimed.dataset, columns, read }] };
}

/** Sessions in the form of webhooks, without contacts if the requester may not have them. */
function sessionsTold({ deps, claimed }: BuildContext, db: StoreRunner) {
  const readWebhookSessions = webhookSessions(db, deps.versions);
  return async (ids: readonly string[]): Promise<WebhookSession[]> => {
    const objects = await readWebhookSessions(ids);
    const rows = ids.flatMap((id) => objects.get(id) ?? []);
    // it is the same type with some fields left out
    return claimed.contacts === false ? rows.map((row) => objectWithoutContacts(row) as WebhookSession) : rows;
  };
}

/** A table for each quiz. */
const sheetsOf = (
  { limits, pace }: BuildContext,
  quizzes: readonly QuizQuestions[],
  sorted: () => Promise<ReadonlyMap<string, SessionIds>>,
  tell: (ids: readonly string[]) => Promise<readonly WebhookSession[]>,
): Part<WebhookSession>[] =>
  quizzes.map((quiz) => ({
    name: quiz.name,
    columns: responseColumns([quiz], false),
    read: async (add) => {
      for (const ids of (await sorted()).get(quiz.id)?.pages(limits.pageRows) ?? []) {
        await eachBatch(ids, pace, tell, add);
        await pace.afterPage();
      }
    },
  }));

/**
 * The sessions of each quiz, by its public id, in the order of their starts. There is no index of a quiz's sessions, so
 * their keys are walked once for all quizzes, when the first is needed: 16 bytes each.
 */
function sortedByQuiz(
  eachKeys: (work: (keys: readonly SessionKey[]) => Promise<void>) => Promise<void>,
): () => Promise<ReadonlyMap<string, SessionIds>> {
  let sorting: Promise<ReadonlyMap<string, SessionIds>> | null = null;
  const sort = async () => {
    const sorted = new Map<string, SessionIds>();
    await eachKeys(async (keys) => {
      for (const { id, quiz_id } of keys) {
        const quizId = formatId("quiz", quiz_id);
        const ids = sorted.get(quizId) ?? new SessionIds();
        sorted.set(quizId, ids);
        ids.add(id);
      }
    });
    return sorted;
  };
  return () => {
    sorting ??= sort();
    return sorting;
  };
}

/** The quizzes of the rows, with every question that any of their versions asked. */
async function readQuestions(db: StoreRunner, span: Span): Promise<QuizQuestions[]> {
  const ids = span.quizId === null ? await startedQuizzes(db, span) : [span.quizId];
  const names = await quizNames(db, ids);
  const quizzes: QuizQuestions[] = [];
  for (const id of ids) {
    const { pages = [] } = (await fullDefinition(db, id)) ?? {};
    const forms = await questionForms(db, id);
    // a question that moved to another page may be listed on both
    const questions = new Map<string, AskedQuestion>();
    for (const { component_key, question, kind } of pages.flatMap(({ components }) => components)) {
      if (questions.has(component_key)) continue;
      const asked = { kinds: [kindOfAnswers(kind)], multiple: false, with_time: false, other: false };
      questions.set(component_key, { component_key, question, ...asked, ...forms.get(component_key) });
    }
    const quizId = formatId("quiz", id);
    quizzes.push({ id: quizId, name: names.get(id) ?? quizId, questions: [...questions.values()] });
  }
  return quizzes;
}

/**
 * Walks the sessions only until each of the store's quizzes has been found, which is early for most. The columnar copy
 * knows the answer too, but possibly for another moment.
 */
async function startedQuizzes(db: StoreRunner, { start, end, apart }: Span): Promise<string[]> {
  const quizzes = await db.all(sql<{ id: string }>`SELECT id FROM quizzes WHERE store_id = ${ownStore}`);
  const missing = new Set(quizzes.map(({ id }) => id));
  const found: string[] = [];
  for (let from: Date | string = start ?? "-infinity"; missing.size > 0; ) {
    const row = await db.first(sql<{ quiz_id: string; started: string }>`
      SELECT s.quiz_id, s.started_at::text AS started FROM sessions s
      WHERE s.store_id = ${ownStore} AND s.started_at >= ${from} AND s.started_at < ${end ?? "infinity"}
        AND NOT s.preview AND s.quiz_id = ANY(${[...missing]}::uuid[]) AND NOT s.started_at <@ ${apart}::tstzmultirange
      ORDER BY s.started_at LIMIT 1`);
    if (!row) break;
    found.push(row.quiz_id);
    missing.delete(row.quiz_id);
    from = row.started;
  }
  return found.sort();
}
