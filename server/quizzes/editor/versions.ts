import {
  compareDocuments,
  getVersionDocument,
  listQuizHistory,
  restoreVersion,
} from "../../../contract/quiz-history.ts";
import { differenceSteps } from "../../../engine/difference.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import { isoTime } from "../../platform/clock.ts";
import { ownStore, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../../platform/http/dashboard.ts";
import { pathId, readRoute, writeRoute } from "../../platform/http/operations.ts";
import { formatId } from "../../platform/ids.ts";
import { inSteps } from "../../platform/in-steps.ts";
import { invalid, notFound } from "../../platform/problems.ts";
import { refuseDuringRun } from "../ai-lease.ts";
import { readEarlier } from "../definition.ts";
import { type Actor, actorOf } from "../deps.ts";
import { orderWithin, type QuizAction, recordHistory } from "../history.ts";
import { replaceDraft } from "../keep-draft.ts";
import { lockQuiz, parseQuizId, parseVersionId, type QuizRow, readQuiz } from "../rows.ts";
import { shownDocument } from "../safe-document.ts";
import { answered, type EditorDeps } from "./deps.ts";
import { assertNamed, namedTag } from "./if-match.ts";
import { draftAnswer, readDraft, readState } from "./state.ts";

/** A quiz's history: its versions as documents, the differences between them, and who did what. */
export const versionRoutes = (deps: EditorDeps): DashboardRoute[] => [
  versionDocumentRoute(),
  restoreRoute(deps),
  compareRoute(),
  historyRoute(),
];

interface VersionDocument {
  number: number;
  document: QuizDocument;
}

async function readVersion(db: StoreRunner, quizId: string, versionId: string): Promise<VersionDocument | undefined> {
  const row = await db.first(sql<VersionDocument>`
    SELECT number, document FROM quiz_versions
    WHERE store_id = ${ownStore} AND id = ${versionId} AND quiz_id = ${quizId}`);
  return row && { number: row.number, document: await shownDocument(row.document) };
}

const versionDocumentRoute = () =>
  memberRoute(
    readRoute(getVersionDocument, async ({ params }, db) => {
      const quiz = await readQuiz(db, pathId(parseQuizId, params["quiz_id"]));
      const versionId = pathId(parseVersionId, params["version_id"]);
      const version = await readVersion(db, quiz.id, versionId);
      if (!version) throw notFound();
      const { number, document } = version;
      return {
        quiz_id: formatId("quiz", quiz.id),
        version_id: formatId("ver", versionId),
        number,
        document: { ...document },
      };
    }),
  );

/** Makes a version the draft again [editor.restore]; the replaced draft is lost unless it was published. */
const restoreRoute = (deps: EditorDeps) =>
  memberRoute(
    writeRoute(restoreVersion, async ({ caller, headers, params }, tx) => {
      const quiz = await lockQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
      const versionId = pathId(parseVersionId, params["version_id"]);
      const tag = namedTag(headers);
      const version = await readVersion(tx, quiz.id, versionId);
      if (!version) throw notFound();
      const now = deps.calendar.now();
      refuseDuringRun(quiz, now);
      assertNamed(tag, await readState(tx, quiz.id));
      const by = actorOf(caller);
      await replaceDraft(tx, deps, by, quiz, { name: quiz.name, draft: version.document });
      await recordHistory(tx, deps, by, { quizId: quiz.id, versionId, action: "restored", at: new Date(now) });
      const details = { version: version.number };
      const state = await readState(tx, quiz.id);
      const earlier = await readEarlier(tx, quiz.id, quiz.versions_numbered);
      const body = await draftAnswer(state, now, { ...version.document }, earlier);
      return answered(body, [{ action: "quiz.restored", target: formatId("quiz", quiz.id), details }]);
    }),
  );

const compareRoute = () =>
  memberRoute(
    readRoute(compareDocuments, async ({ params, query }, db) => {
      const quiz = await readQuiz(db, pathId(parseQuizId, params["quiz_id"]));
      const [from, to] = await Promise.all([
        readSide(db, quiz, query.from ?? "live", "query.from"),
        readSide(db, quiz, query.to ?? "draft", "query.to"),
      ]);
      return { from: from.name, to: to.name, changes: await inSteps(differenceSteps(from.document, to.document)) };
    }),
  );

async function readSide(db: StoreRunner, quiz: QuizRow, side: string, field: string) {
  if (side === "draft") return { name: "draft", document: await readDraft(db, quiz.id) };
  const live = quiz.published_version_id;
  if (side === "live" && live === null) return { name: "nothing", document: {} };
  const id = side === "live" ? live : parseVersionId(side);
  const version = id === null ? undefined : await readVersion(db, quiz.id, id);
  if (id === null || !version) throw invalid(field, "must be draft, live, or the id of a version of the quiz");
  return { name: formatId("ver", id), document: version.document };
}

interface HistoryRow {
  at: Date;
  action: QuizAction;
  admin: string;
  source: Actor["source"];
  version_id: string | null;
  number: number | null;
  label: string | null;
}

const entriesAtMost = 500;

const historyRoute = () =>
  memberRoute(
    readRoute(listQuizHistory, async ({ params }, db) => {
      const quiz = await readQuiz(db, pathId(parseQuizId, params["quiz_id"]));
      const rows = await db.all(sql<HistoryRow>`
        SELECT h.at, h.action, h.admin, h.source, h.version_id, v.number, v.label
        FROM quiz_history h LEFT JOIN quiz_versions v ON v.store_id = h.store_id AND v.id = h.version_id
        WHERE h.store_id = ${ownStore} AND h.quiz_id = ${quiz.id}
        ORDER BY h.at DESC, array_position(${orderWithin}::text[], h.action) DESC NULLS FIRST, h.id DESC
        LIMIT ${entriesAtMost}`);
      const data = rows.map((row) => ({
        at: isoTime(row.at),
        action: row.action,
        by: row.admin,
        source: row.source,
        version_id: row.version_id && formatId("ver", row.version_id),
        version_number: row.number,
        label: row.label,
        live: row.version_id !== null && row.version_id === quiz.published_version_id,
      }));
      return { data };
    }),
  );
