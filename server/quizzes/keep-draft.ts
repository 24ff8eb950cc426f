import { setImmediate as nextTurn } from "node:timers/promises";
import { longestQuizName } from "../../contract/editor.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { findFault } from "../platform/http/scan.ts";
import { type Earlier, nothingEarlier } from "./definition.ts";
import type { Actor, QuizDeps } from "./deps.ts";
import type { QuizRow } from "./rows.ts";
import { type FaultyHtml, type RemovedHtml, safeDocument } from "./safe-document.ts";
import { checkVersion } from "./save-version.ts";

/** Stores a document as a quiz's draft, for an import, the editor and templates alike [editor.drafts]. */

export interface CheckedDraft {
  /** what to store: a valid document with all its fields, else the given one, with sanitised HTML */
  draft: object;
  /** null: it cannot be a version yet */
  version: QuizDocument | null;
  /** what prevents it from being a version */
  problems: { path: string; message: string }[];
  removed: RemovedHtml[];
  /** HTML that a stored draft may have, but no new one */
  faults: FaultyHtml[];
}

/** @param earlier what the versions of its quiz had */
export async function checkDraft(
  document: Readonly<Record<string, unknown>>,
  earlier: Earlier = nothingEarlier,
): Promise<CheckedDraft> {
  const safe = await safeDocument(document);
  const { removed, faults } = safe;
  await nextTurn();
  const checked = checkVersion(safe, earlier);
  if (checked.ok) return { draft: checked.document, version: checked.document, problems: [], removed, faults };
  const problems = checked.problems.map(({ path, message }) => ({ path, message }));
  return { draft: safe.document, version: null, problems, removed, faults };
}

/** Twice what a body may have: a valid draft is stored with the fields that were left out. */
const storedBounds = { nul: true, maxFields: 40_000, maxValues: 200_000 };

/**
 * Why a document cannot be stored: jsonb supports neither NUL nor unpaired surrogates, which JSON can contain as
 * escapes; and its size is what every later reading of it costs [api.turns].
 */
export function unstorable(document: object): string | null {
  const json = JSON.stringify(document);
  if (/\\u(0000|d[89a-f])/.test(json.replaceAll("\\\\", "")))
    return "has a character that cannot be stored (NUL, or half of a surrogate pair)";
  return findFault(Buffer.from(json), storedBounds);
}

/** A quiz's name, trimmed; null if it is not a valid name. */
export function readName(name: string): string | null {
  const trimmed = name.trim();
  const isName = trimmed !== "" && trimmed.length <= longestQuizName && !trimmed.includes("\u0000");
  return isName && trimmed.isWellFormed() ? trimmed : null;
}

export const nameRule = `must have 1 to ${longestQuizName} characters`;

export interface NamedDraft {
  name: string;
  draft: object;
}

/** Replaces the draft of a quiz that the transaction has locked, with the next revision [editor.revisions]. */
export async function replaceDraft(
  tx: StoreTransaction,
  deps: QuizDeps,
  by: Actor,
  quiz: QuizRow,
  { name, draft }: NamedDraft,
): Promise<QuizRow> {
  const draft_page_count = pageCount(draft);
  const updated_at = new Date(deps.calendar.now());
  await tx.all(sql`
    UPDATE quizzes SET name = ${name}, draft_page_count = ${draft_page_count}, updated_at = ${updated_at},
      draft = ${JSON.stringify(draft)}, draft_revision = draft_revision + 1, draft_saved_at = ${updated_at},
      draft_saved_by = ${by.admin}
    WHERE store_id = ${ownStore} AND id = ${quiz.id}`);
  return { ...quiz, name, draft_page_count, updated_at, draft_revision: quiz.draft_revision + 1 };
}

/** Locks the store's revision, so that the new quiz is later than all others: newest first [quizzes.list]. */
export async function insertQuiz(
  tx: StoreTransaction,
  deps: QuizDeps,
  by: Actor,
  id: string,
  { name, draft }: NamedDraft,
): Promise<QuizRow> {
  const newest = await tx.first(sql<{ created_at: Date }>`
    SELECT created_at FROM quizzes WHERE store_id = ${ownStore} AND deleted_at IS NULL
    ORDER BY created_at DESC, id DESC LIMIT 1`);
  const at = new Date(Math.max(deps.calendar.now(), (newest?.created_at.getTime() ?? 0) + 1));
  const draft_page_count = pageCount(draft);
  await tx.all(sql`
    INSERT INTO quizzes
      (store_id, id, name, draft_page_count, created_at, updated_at, draft, draft_saved_at, draft_saved_by)
    VALUES (${ownStore}, ${id}, ${name}, ${draft_page_count}, ${at}, ${at}, ${JSON.stringify(draft)}, ${at},
      ${by.admin})`);
  await tx.all(sql`INSERT INTO quiz_directory (quiz_id, store_id) VALUES (${id}, ${ownStore})`);
  return {
    id,
    name,
    draft_page_count,
    created_at: at,
    updated_at: at,
    archived: false,
    published_version_id: null,
    versions_numbered: 0,
    ai_run_started_at: null,
    ai_run_expires_at: null,
    ai_run_holder: null,
    draft_revision: 1,
  };
}

function pageCount(draft: object): number {
  const pages: unknown = "pages" in draft ? draft.pages : [];
  return Array.isArray(pages) ? pages.length : 0;
}
