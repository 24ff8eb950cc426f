import { exportQuiz, previewHours, previewQuiz } from "../../../contract/editor.ts";
import { isoTime } from "../../platform/clock.ts";
import { ownStore, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../../platform/http/dashboard.ts";
import { pathId, readRoute, writeRoute } from "../../platform/http/operations.ts";
import { formatId } from "../../platform/ids.ts";
import { invalid } from "../../platform/problems.ts";
import { previewAddress } from "../previews.ts";
import { parseQuizId, parseVersionId, readQuiz } from "../rows.ts";
import type { EditorDeps } from "./deps.ts";
import { readDraft } from "./state.ts";

/** Ways to share a quiz outside the dashboard: its document as a file, and preview links [drafts.preview]. */
export const shareRoutes = (deps: EditorDeps): DashboardRoute[] => [exportRoute(), previewRoute(deps)];

const exportRoute = () =>
  memberRoute(
    readRoute(exportQuiz, async ({ params }, db) => {
      const quiz = await readQuiz(db, pathId(parseQuizId, params["quiz_id"]));
      return { quiz_id: formatId("quiz", quiz.id), name: quiz.name, document: await readDraft(db, quiz.id) };
    }),
  );

const hourMs = 3_600_000;

/** Anybody with the link sees the quiz, and is not counted [storefront.previews]. */
const previewRoute = (deps: EditorDeps) =>
  memberRoute(
    writeRoute(previewQuiz, async ({ params, body }, tx) => ({ body: await makePreview(tx, deps, params, body) })),
  );

export async function makePreview(
  db: StoreRunner,
  deps: EditorDeps,
  params: Record<string, string>,
  { hours = previewHours.default, version_id }: { hours?: number; version_id?: string },
) {
  const { id } = await readQuiz(db, pathId(parseQuizId, params["quiz_id"]));
  const versionId = version_id === undefined ? null : parseVersionId(version_id);
  if (version_id !== undefined) {
    const known = await db.first(sql`
      SELECT 1 FROM quiz_versions WHERE store_id = ${ownStore} AND quiz_id = ${id} AND id = ${versionId}`);
    if (!known) throw invalid("body.version_id", "is no version of this quiz");
  }
  const expires = deps.calendar.now() + hours * hourMs;
  const url = previewAddress(deps, { storeId: db.storeId, quizId: id, versionId, expires });
  return { url, version_id: version_id ?? null, expires_at: isoTime(new Date(expires)) };
}
