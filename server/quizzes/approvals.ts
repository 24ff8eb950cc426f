import { type PublishApproval, requestApproval } from "../../contract/approvals.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { formatId, parseId, uuidAt } from "../platform/ids.ts";
import { notFound, Problem } from "../platform/problems.ts";
import { dayMs, type Retention } from "../platform/retention.ts";
import { refuseDuringRun } from "./ai-lease.ts";
import type { QuizRouteDeps } from "./deps.ts";
import { readPublishable } from "./publishable.ts";
import { lockQuiz, parseQuizId, parseVersionId, type QuizRow } from "./rows.ts";

/** Publishing that a program asks for and a person decides: bound to a version and to the one that it replaces. */

const lifetimeMs = 10 * 60_000;

export const approvalRetention: Retention = {
  table: "publish_approvals",
  keptMs: dayMs,
  olderThan: (moment) => sql`expires_at < ${new Date(moment)}`,
};

export interface ApprovalRow {
  id: string;
  quiz_id: string;
  version_id: string;
  replaces_version_id: string | null;
  requested_by: string;
  created_at: Date;
  expires_at: Date;
  outcome: "published" | "declined" | null;
}

const columns = raw("id, quiz_id, version_id, replaces_version_id, requested_by, created_at, expires_at, outcome");

export const parseApprovalId = (text: string) => parseId("appr", text);

/** @param live UUID of the quiz's live version */
export function statusOf(row: ApprovalRow, live: string | null, now: number): PublishApproval["status"] {
  if (row.outcome !== null) return row.outcome;
  if (row.expires_at.getTime() <= now) return "expired";
  return row.replaces_version_id === live ? "open" : "outdated";
}

export const approvalAnswer = (row: ApprovalRow, live: string | null, at: Place): PublishApproval => ({
  id: formatId("appr", row.id),
  quiz_id: formatId("quiz", row.quiz_id),
  version_id: formatId("ver", row.version_id),
  replaces: row.replaces_version_id && formatId("ver", row.replaces_version_id),
  status: statusOf(row, live, at.now),
  requested_by: row.requested_by,
  created_at: isoTime(row.created_at),
  expires_at: isoTime(row.expires_at),
  url: `${at.baseUrl}/dashboard/approvals/${formatId("appr", row.id)}?store=${formatId("store", at.storeId)}`,
});

interface Place {
  baseUrl: string;
  storeId: string;
  now: number;
}

/** Throws 404 for an approval of another store. */
export async function readApproval(db: StoreRunner, id: string): Promise<ApprovalRow> {
  const row = await db.first(sql<ApprovalRow>`
    SELECT ${columns} FROM publish_approvals WHERE store_id = ${ownStore} AND id = ${id}`);
  if (!row) throw notFound();
  return row;
}

/**
 * Uses an approval up, once, while it is open [mcp.approval-bound]; otherwise throws 409. The caller has locked the
 * quiz, so that nobody can use it at the same time.
 */
export async function decide(
  tx: StoreTransaction,
  { id, quiz, outcome, now }: { id: string; quiz: QuizRow; outcome: "published" | "declined"; now: number },
): Promise<ApprovalRow> {
  const row = await readApproval(tx, id);
  if (row.quiz_id !== quiz.id) throw notFound();
  const status = statusOf(row, quiz.published_version_id, now);
  if (status !== "open") throw new Problem("conflict", { detail: whyClosed[status] });
  await tx.all(sql`
    UPDATE publish_approvals SET outcome = ${outcome} WHERE store_id = ${ownStore} AND id = ${id}`);
  return row;
}

const whyClosed: Readonly<Record<Exclude<PublishApproval["status"], "open">, string>> = {
  published: "This approval has been used: the version was published with it",
  declined: "A person declined this",
  expired: "Ten minutes have passed since it was asked for: ask again",
  outdated: "Another version has gone live since it was asked for: ask again",
};

/** POST .../approvals: a program asks; nothing is published [mcp.publish]. */
export const requestApprovalRoute = (deps: QuizRouteDeps) =>
  writeRoute(requestApproval, async ({ caller, params }, tx) => {
    const versionId = pathId(parseVersionId, params["version_id"]);
    const quiz = await lockQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
    await readPublishable(tx, quiz.id, versionId);
    const now = deps.calendar.now();
    refuseDuringRun(quiz, now);
    if (quiz.published_version_id === versionId) throw new Problem("conflict", { detail: "This version is live" });
    const known = await tx.first(sql<ApprovalRow>`
      SELECT ${columns} FROM publish_approvals
      WHERE store_id = ${ownStore} AND version_id = ${versionId} AND expires_at > ${new Date(now)}
        AND replaces_version_id IS NOT DISTINCT FROM ${quiz.published_version_id}::uuid
        AND outcome IS DISTINCT FROM 'published'
      ORDER BY expires_at DESC, id LIMIT 1`);
    const at = { baseUrl: deps.baseUrl, storeId: tx.storeId, now };
    if (known) return { body: approvalAnswer(known, quiz.published_version_id, at), existing: true, audit: [] };
    const row: ApprovalRow = {
      ...{ id: uuidAt(now, deps.random), quiz_id: quiz.id, version_id: versionId, outcome: null },
      ...{ replaces_version_id: quiz.published_version_id, requested_by: caller.admin },
      ...{ created_at: new Date(now), expires_at: new Date(deps.calendar.afterReal(lifetimeMs)) },
    };
    await tx.all(sql`
      INSERT INTO publish_approvals (store_id, id, quiz_id, version_id, replaces_version_id, requested_by, created_at,
        expires_at)
      VALUES (${ownStore}, ${row.id}, ${quiz.id}, ${versionId}, ${row.replaces_version_id}, ${row.requested_by},
        ${row.created_at}, ${row.expires_at})`);
    const asked = { action: "version.approval_requested", target: formatId("ver", versionId) };
    return { body: approvalAnswer(row, quiz.published_version_id, at), audit: [asked] };
  });
