import { saveVersion } from "../../contract/quizzes.ts";
import { checkDocument } from "../../engine/check.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { type ReusedKey, reusedKeys } from "../../engine/key-kinds.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { build } from "../platform/database/statements.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { invalidFields } from "../platform/problems.ts";
import { type Earlier, everHad } from "./definition.ts";
import { type Actor, actorOf, type QuizDeps, type QuizRouteDeps } from "./deps.ts";
import { recordDeed } from "./history.ts";
import { lockQuiz, parseQuizId, type QuizRow, refuseDuringRun, type VersionRow, versionSummary } from "./rows.ts";

/** POST /v1/quizzes/{quiz_id}/versions: each call makes another version. */
export const saveVersionRoute = (deps: QuizRouteDeps) =>
  writeRoute(saveVersion, async ({ caller, params, body }, tx) => {
    const storeId = caller.store.id;
    const quiz = await lockQuiz(tx, storeId, pathId(parseQuizId, params["quiz_id"]));
    refuseDuringRun(quiz, deps.calendar.now());
    const earlier = await everHad(tx, storeId, quiz.id, quiz.versions_numbered);
    const document = await validDraft(tx, storeId, quiz.id, earlier);
    const version = await addVersion(tx, deps, storeId, actorOf(caller), quiz, {
      document,
      earlier,
      label: body.label?.toWellFormed() ?? null,
    });
    const path = `/v1/quizzes/${formatId("quiz", quiz.id)}/versions/${formatId("ver", version.id)}`;
    return { body: versionSummary(version, quiz.published_version_id), location: path };
  });

async function validDraft(tx: Transaction, storeId: string, quizId: string, earlier: Earlier): Promise<QuizDocument> {
  const row = await tx.first(
    build.selectFrom("quizzes").select("draft").where("store_id", "=", storeId).where("id", "=", quizId),
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
  tx: Transaction,
  deps: QuizDeps,
  storeId: string,
  by: Actor,
  quiz: QuizRow,
  { document, earlier, label }: NewVersion,
): Promise<VersionRow> {
  const before = await tx.first(
    build
      .selectFrom("quiz_versions")
      .select("created_at")
      .where("store_id", "=", storeId)
      .where("quiz_id", "=", quiz.id)
      .where("number", "=", quiz.versions_numbered),
  );
  const now = Math.max(deps.calendar.now(), (before?.created_at.getTime() ?? 0) + 1);
  const version: VersionRow = {
    id: uuidAt(now, deps.random),
    quiz_id: quiz.id,
    number: quiz.versions_numbered + 1,
    label,
    page_count: document.pages.length,
    created_at: new Date(now),
  };
  const content = {
    document: JSON.stringify(document),
    earlier_outline: JSON.stringify(earlier.pages),
    earlier_keys: JSON.stringify(earlier.keys),
  };
  await tx.all(build.insertInto("quiz_versions").values({ store_id: storeId, ...version, ...content }));
  await tx.all(
    build
      .updateTable("quizzes")
      .set({ versions_numbered: version.number })
      .where("store_id", "=", storeId)
      .where("id", "=", quiz.id),
  );
  const deed = { quizId: quiz.id, versionId: version.id, action: "saved", at: version.created_at } as const;
  await recordDeed(tx, deps, storeId, by, deed);
  return version;
}
