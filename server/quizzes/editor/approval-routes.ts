import { approvePublishing, declinePublishing, getApproval } from "../../../contract/approvals.ts";
import { differenceSteps } from "../../../engine/difference.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import { ownStore, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../../platform/http/dashboard.ts";
import { pathId, readRoute, writeRoute } from "../../platform/http/operations.ts";
import { formatId } from "../../platform/ids.ts";
import { inSteps } from "../../platform/in-steps.ts";
import { notFound } from "../../platform/problems.ts";
import { type ApprovalRow, approvalAnswer, decide, parseApprovalId, readApproval } from "../approvals.ts";
import { readEarlier } from "../definition.ts";
import { publishApproved } from "../publish-version.ts";
import { readPublishable } from "../publishable.ts";
import { lockQuiz, readQuiz } from "../rows.ts";
import { shownDocument } from "../safe-document.ts";
import type { EditorDeps } from "./deps.ts";
import { findingsOf } from "./state.ts";

/**
 * Where a signed-in person decides what a program asks to publish [mcp.publish]. No key and no personal token reaches
 * these routes, so that whoever asks cannot answer.
 */
export const approvalRoutes = (deps: EditorDeps): DashboardRoute[] => [
  showRoute(deps),
  approveRoute(deps),
  declineRoute(deps),
];

interface ShownVersion {
  id: string;
  number: number;
  label: string | null;
  document: QuizDocument;
}

const readVersion = (db: StoreRunner, quizId: string, versionId: string): Promise<ShownVersion | undefined> =>
  db.first(sql<ShownVersion>`
    SELECT id, number, label, document FROM quiz_versions
    WHERE store_id = ${ownStore} AND id = ${versionId} AND quiz_id = ${quizId}`);

const namedVersion = ({ id, number, label }: ShownVersion) => ({ version_id: formatId("ver", id), number, label });

const showRoute = ({ baseUrl, calendar }: EditorDeps) =>
  memberRoute(
    readRoute(getApproval, async ({ params }, db) => {
      const row = await readApproval(db, pathId(parseApprovalId, params["approval_id"]));
      const quiz = await readQuiz(db, row.quiz_id);
      const liveId = quiz.published_version_id;
      const [version, live] = await Promise.all([
        readVersion(db, quiz.id, row.version_id),
        liveId === null ? undefined : readVersion(db, quiz.id, liveId),
      ]);
      if (!version) throw notFound();
      const [earlier, before, after] = await Promise.all([
        readEarlier(db, quiz.id, version.number - 1),
        live === undefined ? {} : shownDocument(live.document),
        shownDocument(version.document),
      ]);
      const at = { baseUrl, storeId: db.storeId, now: calendar.now() };
      return {
        ...approvalAnswer(row, liveId, at),
        quiz_name: quiz.name,
        version: namedVersion(version),
        live: live === undefined ? null : namedVersion(live),
        findings: await findingsOf(version.document, earlier),
        changes: await inSteps(differenceSteps(before, after)),
      };
    }),
  );

const approveRoute = (deps: EditorDeps) =>
  memberRoute(
    writeRoute(approvePublishing, async ({ caller, params }, tx) => {
      const approval = params["approval_id"] ?? "";
      const row = await readApproval(tx, pathId(parseApprovalId, approval));
      const version = await readPublishable(tx, row.quiz_id, row.version_id);
      await publishApproved(tx, deps, caller, { quizId: row.quiz_id, version, approval });
      return { body: decided(row, "published"), audit: [entry("version.approved", row)] };
    }),
  );

const declineRoute = ({ calendar }: EditorDeps) =>
  memberRoute(
    writeRoute(declinePublishing, async ({ params }, tx) => {
      const id = pathId(parseApprovalId, params["approval_id"]);
      const quiz = await lockQuiz(tx, (await readApproval(tx, id)).quiz_id);
      const row = await decide(tx, { id, quiz, outcome: "declined", now: calendar.now() });
      return { body: decided(row, "declined"), audit: [entry("version.approval_declined", row)] };
    }),
  );

const decided = <Status extends "published" | "declined">(row: ApprovalRow, status: Status) => ({
  id: formatId("appr", row.id),
  quiz_id: formatId("quiz", row.quiz_id),
  status,
});

const entry = (action: string, row: ApprovalRow) => ({
  action,
  target: formatId("ver", row.version_id),
  details: { requested_by: row.requested_by },
});
