import type { KeyKind } from "../../engine/key-kinds.ts";
import { type Finding, lint } from "../../engine/lint.ts";
import { isObject } from "../../engine/read.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, type Runner, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import type { StoreCalendars } from "../platform/store-calendars.ts";
import { storeNamed } from "../stores/public.ts";
import { readEarlier } from "./definition.ts";
import { orderWithin } from "./history.ts";
import { parseQuizId } from "./rows.ts";
import { htmlFindings, safeDocument } from "./safe-document.ts";

/** Commands on quizzes, except for the import (import.ts) and the assistant's lease (ai-lease.ts). */

/** A file contains a bare document, or one with a name around it, as the export writes it. */
export interface QuizFile {
  name: string | undefined;
  document: Record<string, unknown>;
}

export function readQuizFile(content: unknown): QuizFile {
  if (!isObject(content)) throw new OperatorError("a quiz document must be a JSON object");
  if ("pages" in content || !isObject(content["document"])) return { name: undefined, document: content };
  const { name, document } = content;
  return { name: typeof name === "string" ? name : undefined, document };
}

/** A document's problems in one line, each with its path. */
export const problemsLine = (problems: readonly { path: string; message: string }[]): string =>
  problems.map(({ path, message }) => `${path === "" ? "the document" : path} ${message}`).join("; ");

/**
 * The errors and warnings of a document, in a file of either form, and the HTML that an import would remove; an empty
 * list if there are none.
 *
 * @param earlier the keys of the quiz's versions and what they identify, if the document is to become that quiz's next
 * version
 */
export async function lintFile(content: unknown, earlier: readonly KeyKind[] = []): Promise<Finding[]> {
  if (!isObject(content)) return lint(content, earlier);
  const safe = await safeDocument(readQuizFile(content).document);
  return [...lint(safe.document, earlier), ...htmlFindings(safe)];
}

/** The keys of a quiz's versions and what they identify. */
export async function keyKindsOf(db: Runner, publicId: string): Promise<readonly KeyKind[]> {
  const { storeId, quizId, versionsNumbered } = await findQuiz(db, publicId);
  return (await readEarlier(db.forStore(storeId), quizId, versionsNumbered)).keys.kinds;
}

interface FoundQuiz {
  storeId: string;
  quizId: string;
  name: string;
  draft: unknown;
  versionsNumbered: number;
  deleted: boolean;
}

/** A quiz by its public id, including deleted ones, whose rows stay. */
export async function findQuiz(db: Runner, publicId: string): Promise<FoundQuiz> {
  const quizId = parseQuizId(publicId);
  const place = await db.first(
    sql<{ store_id: string }>`SELECT store_id FROM quiz_directory WHERE quiz_id = ${quizId}`,
  );
  const quiz =
    place &&
    (await db.forStore(place.store_id).first(sql<Omit<FoundQuiz, "storeId">>`
      SELECT id AS "quizId", name, draft, versions_numbered AS "versionsNumbered", deleted_at IS NOT NULL AS deleted
      FROM quizzes WHERE store_id = ${ownStore} AND id = ${quizId}`));
  if (!quiz) throw new OperatorError(`there is no quiz ${publicId}`);
  return { storeId: place.store_id, ...quiz };
}

/** Runs work for a quiz named on the command line, in its store's time [test-stores.clock]. */
export async function inTimeOfQuiz<Result>(
  db: Runner,
  calendar: Pick<StoreCalendars, "within">,
  publicId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { storeId } = await findQuiz(db, publicId);
  return calendar.within(await storeNamed(db, formatId("store", storeId)), work);
}

/** The draft with the quiz's name; `quiz import` accepts it [quizzes.export]. */
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

/** Who did what to a quiz, newest first [quizzes.history]. */
export async function quizHistory(db: Runner, publicId: string) {
  const { storeId, quizId } = await findQuiz(db, publicId);
  const rows = await db.forStore(storeId).all(sql<HistoryRow>`
    SELECT h.at, h.action, h.version_id, v.number AS version_number, h.admin, h.source, h.key_id
    FROM quiz_history h LEFT JOIN quiz_versions v ON v.store_id = h.store_id AND v.id = h.version_id
    WHERE h.store_id = ${ownStore} AND h.quiz_id = ${quizId}
    ORDER BY h.at DESC, array_position(${orderWithin}::text[], h.action) DESC NULLS FIRST, h.id DESC`);
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
