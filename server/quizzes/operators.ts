import type { KeyKind } from "../../engine/key-kinds.ts";
import { type Finding, lint } from "../../engine/lint.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, type Runner, type Statement, sql, type Transaction } from "../platform/database/sql.ts";
import { build, written } from "../platform/database/statements.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { everHad } from "./definition.ts";
import type { QuizDeps } from "./deps.ts";
import type { QuizAction } from "./history.ts";
import { parseQuizId } from "./rows.ts";

/** What operators do with quizzes from the command line, but for the import (import.ts). */

/** A mistake of the operator's, told in one sentence. */
export class OperatorError extends Error {}

/** A file holds a bare document, or one with a name around it, as the export writes it. */
export interface QuizFile {
  name: string | undefined;
  document: Record<string, unknown>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function readQuizFile(content: unknown): QuizFile {
  if (!isObject(content)) throw new OperatorError("a quiz document must be a JSON object");
  if ("pages" in content || !isObject(content["document"])) return { name: undefined, document: content };
  const { name, document } = content;
  return { name: typeof name === "string" ? name : undefined, document };
}

/** One line for the problems of a document, each with its path. */
export const problemsLine = (problems: readonly { path: string; message: string }[]): string =>
  problems.map(({ path, message }) => `${path === "" ? "the document" : path} ${message}`).join("; ");

/**
 * Errors and warnings of a document, in a file of either form; an empty list where there is nothing to say.
 *
 * @param earlier what the keys of a quiz's versions stand for, where the document is to be that quiz's next
 */
export const lintFile = (content: unknown, earlier: readonly KeyKind[] = []): Finding[] =>
  lint(isObject(content) ? readQuizFile(content).document : content, earlier);

/** What the keys of a quiz's versions stand for. */
export async function keyKindsOf(db: Runner, publicId: string): Promise<readonly KeyKind[]> {
  const { storeId, quizId, versionsNumbered } = await findQuiz(db, publicId);
  return (await everHad(db, storeId, quizId, versionsNumbered)).keys.kinds;
}

interface FoundQuiz {
  storeId: string;
  quizId: string;
  name: string;
  draft: unknown;
  versionsNumbered: number;
  deleted: boolean;
}

/** A quiz by its public id, deleted ones included, since their record is retained. */
export async function findQuiz(db: Runner, publicId: string): Promise<FoundQuiz> {
  const quizId = parseQuizId(publicId);
  const place =
    quizId && (await db.first(build.selectFrom("quiz_directory").select("store_id").where("quiz_id", "=", quizId)));
  const quiz =
    place &&
    (await db.first(
      build
        .selectFrom("quizzes")
        .select(["id", "name", "draft", "versions_numbered", "deleted_at"])
        .where("store_id", "=", place.store_id)
        .where("id", "=", quizId),
    ));
  if (!quiz) throw new OperatorError(`there is no quiz ${publicId}`);
  return {
    storeId: place.store_id,
    quizId: quiz.id,
    name: quiz.name,
    draft: quiz.draft,
    versionsNumbered: quiz.versions_numbered,
    deleted: quiz.deleted_at !== null,
  };
}

/** The draft with the quiz's name; `quiz import` takes it again. */
export async function exportQuiz(db: Runner, publicId: string) {
  const { name, draft } = await findQuiz(db, publicId);
  return { quiz_id: publicId, name, document: draft };
}

interface HistoryRow {
  at: Date;
  action: string;
  version_id: string | null;
  version_number: number | null;
  admin: string;
  source: string;
  key_id: string | null;
}

/** What one command does at once happened in this order, before anything else of that millisecond. */
const orderWithin: readonly QuizAction[] = ["imported", "saved", "published"];

const historyText = `
  SELECT h.at, h.action, h.version_id, v.number AS version_number, h.admin, h.source, h.key_id
  FROM quiz_history h LEFT JOIN quiz_versions v ON v.store_id = h.store_id AND v.id = h.version_id
  WHERE h.store_id = $1 AND h.quiz_id = $2
  ORDER BY h.at DESC, array_position($3::text[], h.action) DESC NULLS FIRST, h.id DESC`;
const selectHistory = ({ storeId, quizId }: FoundQuiz): Statement<HistoryRow> =>
  written(historyText, [storeId, quizId, orderWithin]);

/** Who did what to a quiz, newest first [quizzes.history]. */
export async function quizHistory(db: Runner, publicId: string) {
  const rows = await db.all(selectHistory(await findQuiz(db, publicId)));
  return rows.map((row) => ({
    at: isoTime(row.at),
    action: row.action,
    version_id: row.version_id && formatId("ver", row.version_id),
    version_number: row.version_number,
    admin: row.admin,
    source: row.source,
    key_id: row.key_id && formatId("key", row.key_id),
  }));
}

const leaseMs = 10 * 60 * 1000;

/**
 * Begins a run of the AI assistant, or renews the one under way: its lease ends ten real minutes later
 * [quizzes.ai-lease].
 */
export async function aiRunStart(tx: Transaction, deps: QuizDeps, publicId: string) {
  const { storeId, quizId, deleted } = await findQuiz(tx, publicId);
  if (deleted) throw new OperatorError(`quiz ${publicId} is deleted`);
  const now = deps.calendar.now();
  const run = await tx
    .forStore(storeId)
    .first(sql<{ ai_run_started_at: Date; ai_run_expires_at: Date }>`UPDATE quizzes SET
         ai_run_id = CASE WHEN ai_run_expires_at > ${new Date(now)} THEN ai_run_id ELSE ${uuidAt(now, deps.random)}::uuid END,
         ai_run_started_at = CASE WHEN ai_run_expires_at > ${new Date(now)} THEN ai_run_started_at ELSE ${new Date(now)}::timestamptz END,
         ai_run_expires_at = ${new Date(deps.calendar.afterReal(leaseMs))}
       WHERE store_id = ${ownStore} AND id = ${quizId}
       RETURNING ai_run_started_at, ai_run_expires_at`);
  if (!run) throw new OperatorError(`there is no quiz ${publicId}`);
  return { quiz_id: publicId, started_at: isoTime(run.ai_run_started_at), expires_at: isoTime(run.ai_run_expires_at) };
}

/** Ends the run; where there is none, nothing changes. */
export async function aiRunEnd(tx: Transaction, publicId: string) {
  const { storeId, quizId } = await findQuiz(tx, publicId);
  await tx.all(
    build
      .updateTable("quizzes")
      .set({ ai_run_id: null, ai_run_started_at: null, ai_run_expires_at: null })
      .where("store_id", "=", storeId)
      .where("id", "=", quizId),
  );
  return { quiz_id: publicId };
}
