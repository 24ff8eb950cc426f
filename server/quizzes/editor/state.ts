import type { Draft, EditedQuiz, SavedDraft } from "../../../contract/editor.ts";
import { type Finding, lintSteps } from "../../../engine/lint.ts";
import { isoTime } from "../../platform/clock.ts";
import { ownStore, raw, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import { inSteps } from "../../platform/in-steps.ts";
import { notFound } from "../../platform/problems.ts";
import { assistantRun } from "../ai-lease.ts";
import type { Earlier } from "../definition.ts";
import { fieldsOf } from "../read-draft.ts";
import type { QuizRow } from "../rows.ts";
import { htmlFindings, type SafeDocument } from "../safe-document.ts";

/** A draft and what its author has to know: who changed it, what is live, and its findings. */

export interface DraftState extends QuizRow {
  saved_at: Date;
  saved_by: string | null;
  /** number of the live version */
  live_number: number | null;
  published_at: Date | null;
  /** whether the draft differs from what shoppers see */
  differs: boolean;
}

/** The columns of a quiz `q` with its live version `v` and its last publish `p`. */
export const stateColumns = raw(`q.id, q.name, q.archived, q.draft_page_count, q.published_version_id, q.created_at,
    q.updated_at, q.versions_numbered, q.ai_run_started_at, q.ai_run_expires_at, q.ai_run_holder, q.draft_revision,
    coalesce(q.draft_saved_at, q.updated_at) AS saved_at, q.draft_saved_by AS saved_by, v.number AS live_number,
    p.at AS published_at, q.draft IS DISTINCT FROM v.document AS differs`);
export const stateTables = sql`quizzes q
    LEFT JOIN quiz_versions v ON v.store_id = q.store_id AND v.id = q.published_version_id
    LEFT JOIN LATERAL (
      SELECT h.at FROM quiz_history h
      WHERE h.store_id = ${ownStore} AND h.quiz_id = q.id AND h.action = 'published'
        AND h.version_id = q.published_version_id
      ORDER BY h.at DESC LIMIT 1
    ) p ON true`;

/** Throws 404 for a quiz that is deleted or never existed. */
export async function readState(db: StoreRunner, quizId: string): Promise<DraftState> {
  const row = await db.first(sql<DraftState>`
    SELECT ${stateColumns} FROM ${stateTables}
    WHERE q.store_id = ${ownStore} AND q.id = ${quizId} AND q.deleted_at IS NULL`);
  if (!row) throw notFound();
  return row;
}

/** The draft itself, which is by far the largest part. */
export async function readDraft(db: StoreRunner, quizId: string): Promise<Record<string, unknown>> {
  const row = await db.first(sql<{ draft: unknown }>`
    SELECT draft FROM quizzes WHERE store_id = ${ownStore} AND id = ${quizId} AND deleted_at IS NULL`);
  if (!row) throw notFound();
  return { ...fieldsOf(row.draft) };
}

type AboutHtml = Pick<SafeDocument, "removed" | "faults">;
const nothingAboutHtml: AboutHtml = { removed: [], faults: [] };

/** Findings for an author: about the document, and about its HTML [editor.findings]. */
export async function findingsOf(
  document: unknown,
  earlier: Earlier,
  html: AboutHtml = nothingAboutHtml,
): Promise<Finding[]> {
  return [...(await inSteps(lintSteps(document, earlier.keys.kinds))), ...htmlFindings(html)];
}

/** The opaque part of a draft's entity tag. */
export const draftTag = ({ draft_revision }: Pick<QuizRow, "draft_revision">): string => String(draft_revision);

const savedFields = (state: DraftState) => ({
  revision: state.draft_revision,
  saved_at: isoTime(state.saved_at),
  saved_by: state.saved_by,
});

function liveOf({ published_version_id: version, live_number: number, published_at }: DraftState) {
  if (version === null || number === null) return null;
  return { version_id: formatId("ver", version), number, published_at: published_at && isoTime(published_at) };
}

const commonFields = (state: DraftState, now: number) => ({
  name: state.name,
  archived: state.archived,
  ...savedFields(state),
  live: liveOf(state),
  differs_from_live: state.differs,
  assistant: assistantRun(state, now),
});

export const editedQuiz = (state: DraftState, now: number): EditedQuiz => ({
  id: formatId("quiz", state.id),
  status: state.published_version_id === null ? "draft" : "published",
  page_count: state.draft_page_count,
  created_at: isoTime(state.created_at),
  updated_at: isoTime(state.updated_at),
  ...commonFields(state, now),
});

/** `document`: the stored one, if it differs from what was sent. */
export const savedDraft = (
  state: DraftState,
  now: number,
  fields: Pick<SavedDraft, "findings" | "document">,
): SavedDraft => ({ quiz_id: formatId("quiz", state.id), ...commonFields(state, now), ...fields });

export const draftAnswer = async (
  state: DraftState,
  now: number,
  document: Record<string, unknown>,
  earlier: Earlier,
  html: AboutHtml = nothingAboutHtml,
): Promise<Draft> => ({
  quiz_id: formatId("quiz", state.id),
  ...commonFields(state, now),
  findings: await findingsOf(document, earlier, html),
  document,
  earlier_keys: earlier.keys.kinds.map((kind) => [...kind]),
});
