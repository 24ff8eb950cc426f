import { saveVersion } from "../../contract/quizzes.ts";
import { checkDocument } from "../../engine/check.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { type ReusedKey, reusedKeys } from "../../engine/key-kinds.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { invalidFields } from "../platform/problems.ts";
import { refuseDuringRun } from "./ai-lease.ts";
import { type Earlier, everHad } from "./definition.ts";
import { type Actor, actorOf, type QuizDeps, type QuizRouteDeps } from "./deps.ts";
import { recordDeed } from "./history.ts";
import { lockQuiz, parseQuizId, type QuizRow, type VersionRow, versionSummary } from "./rows.ts";

/** POST /v1/quizzes/{quiz_id}/versions: each call makes another version. */
export const saveVersionRoute = (deps: QuizRouteDeps) =>
  writeRoute(saveVersion, async ({ caller, params, body }, tx) => {
    const quiz = await lockQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
    refuseDuringRun(quiz, deps.calendar.now());
    const earlier = await everHad(tx, quiz.id, quiz.versions_numbered);
    const document = await validDraft(tx, quiz.id, earlier);
    const version = await addVersion(tx, deps, actorOf(caller), quiz, {
      document,
      earlier,
      label: body.label?.toWellFormed() ?? null,
    });
    const path = `/v1/quizzes/${formatId("quiz", quiz.id)}/versions/${formatId("ver", version.id)}`;
    return { body: versionSummary(version, quiz.published_version_id), location: path };
  });

async function validDraft(tx: StoreTransaction, quizId: string, earlier: Earlier): Promise<QuizDocument> {
  const row = await tx.first(
    sql<{ draft: unknown }>`SELECT draft FROM quizzes WHERE store_id = ${ownStore} AND id = ${quizId}`,
  );
  const checked = checkVersion(row?.draft, earlier);
  if (checked.ok) return checked.document;
  const field = (path: string) => (path === "" ? "draft" : `draft.${path}`);
  throw invalidFields(checked.problems.map(({ path, message }) => ({ field: field(path), message })));
}

type CheckedVersion = { ok: true; document: QuizDocument } | { ok: false; problems: readonly ReusedKey[] };

/**
 * Whether a draft can be the next version: a valid document, whose keys stand for what they stood for until now
 * [quizzes.valid-version].
 */
export function checkVersion(draft: unknown, { keys }: Earlier): CheckedVersion {
  const checked = checkDocument(draft);
  if (!checked.ok) return checked;
  const problems = reusedKeys(checked.document, keys.kinds);
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
 * time is later than that of the version before even within a millisecond: newest first is then by number
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
  const deed = { quizId: quiz.id, versionId: version.id, action: "saved", at: version.created_at } as const;
  await recordDeed(tx, deps, by, deed);
  return version;
}
