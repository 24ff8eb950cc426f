import type { QuizDocument } from "../../engine/document.ts";
import { ownStore, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { refuseDuringRun } from "./ai-lease.ts";
import { changeQuiz } from "./change-quiz.ts";
import { type Earlier, everHad, nothingEarlier } from "./definition.ts";
import type { Actor, QuizDeps } from "./deps.ts";
import { recordDeed } from "./history.ts";
import { findQuiz, problemsLine, readQuizFile } from "./operators.ts";
import { makeLive } from "./publish-version.ts";
import { lockQuiz, type QuizRow } from "./rows.ts";
import { type RemovedHtml, safeDocument } from "./safe-document.ts";
import { addVersion, checkVersion, type NewVersion } from "./save-version.ts";

export interface QuizImport {
  /** parsed JSON: a quiz document, or `{name, document}` */
  document: unknown;
  /** public id of the quiz whose draft is replaced; without it a quiz is made */
  quizId?: string | undefined;
  name?: string | undefined;
  publish: boolean;
  admin?: string | undefined;
}

export interface ImportedQuiz {
  quiz_id: string;
  /** null: no version was saved */
  version_id: string | null;
  /** what keeps the draft from being saved as a version; absent without any */
  problems?: { path: string; message: string }[];
  /** HTML that was taken out of it; absent where nothing was */
  warnings?: RemovedHtml[];
}

const longestName = 200;

/** What a file holds, checked. */
interface CheckedImport {
  name: string | undefined;
  draft: object;
  /** what to publish; null: a draft is all that is asked for */
  version: NewVersion | null;
  problems: { path: string; message: string }[];
  removed: RemovedHtml[];
}

/**
 * Makes a document a quiz's draft, as the editor would: it need not be valid yet [quizzes.import], and HTML that it may
 * not hold is taken out and named. With `publish` it must be valid, and is saved as a version and published, with its
 * event. Throws OperatorErrors.
 */
export async function importQuiz(
  unbound: Transaction,
  deps: QuizDeps,
  storeId: string,
  given: QuizImport,
): Promise<ImportedQuiz> {
  const tx = unbound.forStore(storeId);
  const replaced = given.quizId === undefined ? null : await quizToReplace(unbound, storeId, given.quizId);
  const id = replaced ?? uuidAt(deps.calendar.now(), deps.random);
  const by: Actor = { admin: given.admin ?? "operator", source: "operator", keyId: null };
  return changeQuiz(tx, deps, id, async () => {
    const before = replaced === null ? null : await lockQuiz(tx, replaced);
    const earlier = before === null ? nothingEarlier : await everHad(tx, id, before.versions_numbered);
    const checked = await checkImport(given, earlier);
    const quiz = await (before === null ? createQuiz(tx, deps, id, checked) : replaceDraft(tx, deps, before, checked));
    await recordDeed(tx, deps, by, { quizId: id, action: "imported", at: quiz.updated_at });
    const versionId = checked.version && (await publishDraft(tx, deps, by, quiz, checked.version));
    const result = { quiz_id: formatId("quiz", id), version_id: versionId && formatId("ver", versionId) };
    return {
      ...result,
      ...(checked.problems.length === 0 ? {} : { problems: checked.problems }),
      ...(checked.removed.length === 0 ? {} : { warnings: checked.removed }),
    };
  });
}

async function quizToReplace(tx: Transaction, storeId: string, publicId: string): Promise<string> {
  const quiz = await findQuiz(tx, publicId);
  if (quiz.storeId !== storeId) throw new OperatorError(`the store has no quiz ${publicId}`);
  if (quiz.deleted) throw new OperatorError(`quiz ${publicId} is deleted`);
  return quiz.quizId;
}

/**
 * Throws OperatorErrors for what cannot be a draft, and for what cannot be published though it should be.
 *
 * @param earlier what the versions of the quiz had whose draft is replaced
 */
async function checkImport({ document, name, publish }: QuizImport, earlier: Earlier): Promise<CheckedImport> {
  const file = readQuizFile(document);
  const safe = await safeDocument(file.document);
  const checked = checkVersion(safe, earlier);
  return {
    name: checkName(name ?? file.name),
    draft: checked.ok ? checked.document : storable(safe.document),
    version: publish ? { document: publishable(checked), earlier, label: null } : null,
    problems: checked.ok ? [] : checked.problems.map(({ path, message }) => ({ path, message })),
    removed: safe.removed,
  };
}

function publishable(checked: ReturnType<typeof checkVersion>): QuizDocument {
  if (!checked.ok) throw new OperatorError(`the quiz cannot be published: ${problemsLine(checked.problems)}`);
  if (checked.document.pages.length === 0) throw new OperatorError("a quiz without pages cannot be published");
  return checked.document;
}

/** jsonb holds neither NUL nor half of a surrogate pair; in JSON both are written as these escapes. */
function storable(document: object): object {
  if (/\\u(0000|d[89a-f])/.test(JSON.stringify(document).replaceAll("\\\\", ""))) {
    throw new OperatorError("the document has a character that cannot be stored (NUL, or half of a surrogate pair)");
  }
  return document;
}

function checkName(name: string | undefined): string | undefined {
  const trimmed = name?.trim();
  if (trimmed === undefined) return undefined;
  if (trimmed === "" || trimmed.length > longestName || trimmed.includes("\u0000") || !trimmed.isWellFormed()) {
    throw new OperatorError(`the name must have 1 to ${longestName} characters`);
  }
  return trimmed;
}

const pageCount = (draft: object): number => {
  const pages: unknown = "pages" in draft ? draft.pages : [];
  return Array.isArray(pages) ? pages.length : 0;
};

async function replaceDraft(
  tx: StoreTransaction,
  deps: QuizDeps,
  quiz: QuizRow,
  { name = quiz.name, draft }: CheckedImport,
): Promise<QuizRow> {
  const draft_page_count = pageCount(draft);
  const updated_at = new Date(deps.calendar.now());
  await tx.all(sql`
    UPDATE quizzes SET name = ${name}, draft_page_count = ${draft_page_count}, updated_at = ${updated_at},
      draft = ${JSON.stringify(draft)}
    WHERE store_id = ${ownStore} AND id = ${quiz.id}`);
  return { ...quiz, name, draft_page_count, updated_at };
}

/**
 * The store's revision is locked, so that the new quiz can be made later than every other: newest first [quizzes.list].
 */
async function createQuiz(
  tx: StoreTransaction,
  deps: QuizDeps,
  id: string,
  { name = "Untitled quiz", draft }: CheckedImport,
): Promise<QuizRow> {
  const newest = await tx.first(sql<{ created_at: Date }>`
    SELECT created_at FROM quizzes WHERE store_id = ${ownStore} AND deleted_at IS NULL
    ORDER BY created_at DESC, id DESC LIMIT 1`);
  const at = new Date(Math.max(deps.calendar.now(), (newest?.created_at.getTime() ?? 0) + 1));
  const row = { id, name, draft_page_count: pageCount(draft), created_at: at, updated_at: at };
  await tx.all(sql`
    INSERT INTO quizzes (store_id, id, name, draft_page_count, created_at, updated_at, draft)
    VALUES (${ownStore}, ${id}, ${name}, ${row.draft_page_count}, ${at}, ${at}, ${JSON.stringify(draft)})`);
  await tx.all(sql`INSERT INTO quiz_directory (quiz_id, store_id) VALUES (${id}, ${ownStore})`);
  return { ...row, archived: false, published_version_id: null, versions_numbered: 0, ai_run_expires_at: null };
}

async function publishDraft(
  tx: StoreTransaction,
  deps: QuizDeps,
  by: Actor,
  quiz: QuizRow,
  draft: NewVersion,
): Promise<string> {
  refuseDuringRun(quiz, deps.calendar.now());
  const version = await addVersion(tx, deps, by, quiz, draft);
  await makeLive(tx, deps, by, quiz, version);
  return version.id;
}
