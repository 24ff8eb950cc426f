import { setImmediate as nextTurn } from "node:timers/promises";
import { saveVersion } from "../../contract/quizzes.ts";
import { checkDocument } from "../../engine/check.ts";
import { circles } from "../../engine/check-circles.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { type ReusedKey, reusedKeys } from "../../engine/key-kinds.ts";
import { namelessOptions } from "../../engine/nameless-options.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { invalidFields } from "../platform/problems.ts";
import { refuseDuringRun } from "./ai-lease.ts";
import { type Earlier, readEarlier } from "./definition.ts";
import { type Actor, actorOf, type QuizDeps, type SaveVersionDeps } from "./deps.ts";
import { recordHistory } from "./history.ts";
import { fieldsOf } from "./read-draft.ts";
import { lockQuiz, parseQuizId, type QuizRow, type VersionRow, versionSummary } from "./rows.ts";
import { type RemovedHtml, refuseFaults, type SafeDocument, safeDocument } from "./safe-document.ts";

/** POST /v1/quizzes/{quiz_id}/versions: each call creates another version [quizzes.versions]. */
export const saveVersionRoute = (deps: SaveVersionDeps) =>
  writeRoute(saveVersion, async ({ caller, params, body }, tx) => {
    const quiz = await lockQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
    refuseDuringRun(quiz, deps.calendar.now());
    const earlier = await readEarlier(tx, quiz.id, quiz.versions_numbered);
    const { document, removed } = await validDraft(tx, quiz.id, earlier);
    // an import reports it itself: this draft was stored before HTML was sanitised
    if (removed.length > 0)
      deps.log.warn({ quiz: quiz.id, removed }, "HTML was removed from a draft that became a version");
    const version = await addVersion(tx, deps, actorOf(caller), quiz, {
      document,
      earlier,
      label: body.label?.toWellFormed() ?? null,
    });
    const path = `/v1/quizzes/${formatId("quiz", quiz.id)}/versions/${formatId("ver", version.id)}`;
    return { body: versionSummary(version, quiz.published_version_id), location: path };
  });

async function validDraft(tx: StoreTransaction, quizId: string, earlier: Earlier): Promise<ValidVersion> {
  const row = await tx.first(
    sql<{ draft: unknown }>`SELECT draft FROM quizzes WHERE store_id = ${ownStore} AND id = ${quizId}`,
  );
  return validVersion(row?.draft, earlier);
}

interface ValidVersion {
  document: QuizDocument;
  /** HTML that was removed from the document */
  removed: RemovedHtml[];
}

/** Converts a draft to a version; throws a 422 that names its problems by `draft.<path>`. */
export async function validVersion(draft: unknown, earlier: Earlier): Promise<ValidVersion> {
  const safe = await safeDocument(fieldsOf(draft));
  refuseFaults(safe.faults);
  await nextTurn();
  const checked = checkVersion(safe, earlier);
  if (checked.ok) return { document: checked.document, removed: safe.removed };
  const field = (path: string) => (path === "" ? "draft" : `draft.${path}`);
  throw invalidFields(checked.problems.map(({ path, message }) => ({ field: field(path), message })));
}

/** As many as of an invalid document. */
const problemsAtMost = 100;

type CheckedVersion = { ok: true; document: QuizDocument } | { ok: false; problems: readonly ReusedKey[] };

/**
 * Whether a draft can be the next version: a valid document, whose keys identify the same things as before
 * [quizzes.valid-version, quiz-documents.option-texts, quiz-documents.circles].
 */
export function checkVersion({ document }: SafeDocument, { keys }: Earlier): CheckedVersion {
  const checked = checkDocument(document);
  if (!checked.ok) return checked;
  const { document: next } = checked;
  const all = [...reusedKeys(next, keys.kinds), ...namelessOptions(next), ...circles(next)];
  const problems = all.slice(0, problemsAtMost);
  return problems.length === 0 ? checked : { ok: false, problems };
}

export interface NewVersion {
  document: QuizDocument;
  /** what the versions before it had */
  earlier: Earlier;
  label: string | null;
}

/**
 * Saves a document as the next version of a quiz that the transaction has locked, so that numbers have no gaps. Its
 * time is later than the previous version's even within a millisecond, so that newest first is also by number
 * [quizzes.version-numbers].
 */
export async function addVersion(
  tx: StoreTransaction,
  deps: QuizDeps,
  by: Actor,
  quiz: QuizRow,
  { document, earlier, label }: NewVersion,
): Promise<VersionRow> {
  const before = await tx.first(sql<{ created_at: Date }>`
    SELECT created_at FROM quiz_versions
    WHERE store_id = ${ownStore} AND quiz_id = ${quiz.id} AND number = ${quiz.versions_numbered}`);
  const now = Math.max(deps.calendar.now(), (before?.created_at.getTime() ?? 0) + 1);
  const version: VersionRow = {
    id: uuidAt(now, deps.random),
    quiz_id: quiz.id,
    number: quiz.versions_numbered + 1,
    label,
    page_count: document.pages.length,
    created_at: new Date(now),
  };
  await tx.all(sql`
    INSERT INTO quiz_versions
      (store_id, id, quiz_id, number, label, page_count, created_at, document, earlier_outline, earlier_keys)
    VALUES (${ownStore}, ${version.id}, ${quiz.id}, ${version.number}, ${label}, ${version.page_count},
      ${version.created_at}, ${JSON.stringify(document)}, ${JSON.stringify(earlier.pages)},
      ${JSON.stringify(earlier.keys)})`);
  await tx.all(sql`
    UPDATE quizzes SET versions_numbered = ${version.number} WHERE store_id = ${ownStore} AND id = ${quiz.id}`);
  const entry = { quizId: quiz.id, versionId: version.id, action: "saved", at: version.created_at } as const;
  await recordHistory(tx, deps, by, entry);
  return version;
}
