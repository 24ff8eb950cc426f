import { saveVersion } from "../../contract/quizzes.ts";
import { checkDocument } from "../../engine/check.ts";
import type { QuizDocument } from "../../engine/document.ts";
import type { Transaction } from "../platform/database/database.ts";
import { build } from "../platform/database/statements.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { invalidFields } from "../platform/problems.ts";
import { recordDeed } from "./history.ts";
import { outlineOf, type PageOutline, withRemoved } from "./outline.ts";
import { lockQuiz, parseQuizId, type QuizRow, refuseDuringRun, type VersionRow, versionSummary } from "./rows.ts";
import { type Actor, actorOf, type QuizRouteTools, type QuizTools } from "./tools.ts";

/** POST /v1/quizzes/{quiz_id}/versions: each call makes another version. */
export const saveVersionRoute = (tools: QuizRouteTools) =>
  writeRoute(saveVersion, async ({ caller, params, body }, tx) => {
    const storeId = caller.store.id;
    const quiz = await lockQuiz(tx, storeId, pathId(parseQuizId, params["quiz_id"]));
    refuseDuringRun(quiz, tools.calendar.now());
    const document = await validDraft(tx, storeId, quiz.id);
    const version = await addVersion(tx, tools, storeId, actorOf(caller), quiz, document, body.label ?? null);
    const path = `/v1/quizzes/${formatId("quiz", quiz.id)}/versions/${formatId("ver", version.id)}`;
    return { body: versionSummary(version, quiz.published_version_id), location: path };
  });

async function validDraft(tx: Transaction, storeId: string, quizId: string): Promise<QuizDocument> {
  const row = await tx.first(
    build.selectFrom("quizzes").select("draft").where("store_id", "=", storeId).where("id", "=", quizId),
  );
  const checked = checkDocument(row?.draft);
  if (checked.ok) return checked.document;
  const field = (path: string) => (path === "" ? "draft" : `draft.${path}`);
  throw invalidFields(checked.problems.map(({ path, message }) => ({ field: field(path), message })));
}

/**
 * Saves a document as the next version of a quiz that the transaction has locked, so that numbers have no gaps. Its
 * time is later than that of the version before even within a millisecond: newest first is by number then (8.3).
 */
export async function addVersion(
  tx: Transaction,
  tools: QuizTools,
  storeId: string,
  by: Actor,
  quiz: QuizRow,
  document: QuizDocument,
  label: string | null,
): Promise<VersionRow> {
  const before = await tx.first(
    build
      .selectFrom("quiz_versions")
      .select(["document", "earlier_outline", "created_at"])
      .where("store_id", "=", storeId)
      .where("quiz_id", "=", quiz.id)
      .where("number", "=", quiz.versions_numbered),
  );
  // jsonb, written from this type alone, below
  const earlier = before
    ? withRemoved(outlineOf(before.document), before.earlier_outline as unknown as PageOutline[])
    : [];
  const now = Math.max(tools.calendar.now(), (before?.created_at.getTime() ?? 0) + 1);
  const version: VersionRow = {
    id: uuidAt(now, tools.random),
    quiz_id: quiz.id,
    number: quiz.versions_numbered + 1,
    label,
    page_count: document.pages.length,
    created_at: new Date(now),
  };
  const content = { document: JSON.stringify(document), earlier_outline: JSON.stringify(earlier) };
  await tx.all(build.insertInto("quiz_versions").values({ store_id: storeId, ...version, ...content }));
  await tx.all(
    build
      .updateTable("quizzes")
      .set({ versions_numbered: version.number })
      .where("store_id", "=", storeId)
      .where("id", "=", quiz.id),
  );
  const deed = { quizId: quiz.id, versionId: version.id, action: "saved", at: version.created_at } as const;
  await recordDeed(tx, tools, storeId, by, deed);
  return version;
}
