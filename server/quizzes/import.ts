import type { QuizDocument } from "../../engine/document.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { build } from "../platform/database/statements.ts";
import { formatId } from "../platform/ids.ts";
import type { Earlier } from "./definition.ts";
import type { Actor, QuizDeps } from "./deps.ts";
import { recordDeed } from "./history.ts";
import { findQuiz, OperatorError, problemsLine, readQuizFile } from "./operators.ts";
import { makeLive } from "./publish-version.ts";
import { lockQuiz, type QuizRow, refuseDuringRun } from "./rows.ts";
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
}

const longestName = 200;

/** What an import comes to before anything is written. */
export interface TakenDraft {
  name: string | undefined;
  draft: object;
  /** what to publish; null: a draft is all that is asked for */
  ready: NewVersion | null;
  problems: { path: string; message: string }[];
  admin: string;
}

/**
 * Throws OperatorErrors for what cannot be a draft, and for what cannot be published though it should be.
 *
 * @param earlier what the versions of the quiz had whose draft is replaced
 */
export function readImport({ document, name, publish, admin = "operator" }: QuizImport, earlier: Earlier): TakenDraft {
  const file = readQuizFile(document);
  const checked = checkVersion(file.document, earlier);
  return {
    name: checkName(name ?? file.name),
    draft: checked.ok ? checked.document : storable(file.document),
    ready: publish ? { document: publishable(checked), earlier, label: null } : null,
    problems: checked.ok ? [] : checked.problems.map(({ path, message }) => ({ path, message })),
    admin,
  };
}

/** Writes the draft, and the version that goes live where one should; `id` is the new quiz's, or the replaced one's. */
export async function writeImport(
  tx: Transaction,
  deps: QuizDeps,
  storeId: string,
  id: string,
  replaces: boolean,
  taken: TakenDraft,
): Promise<ImportedQuiz> {
  const by: Actor = { admin: taken.admin, source: "operator", keyId: null };
  const write = replaces ? replaceDraft : createQuiz;
  const quiz = await write(tx, deps, storeId, id, taken);
  await recordDeed(tx, deps, storeId, by, { quizId: id, action: "imported", at: quiz.updated_at });
  const versionId = taken.ready && (await publishDraft(tx, deps, storeId, by, quiz, taken.ready));
  const result = { quiz_id: formatId("quiz", id), version_id: versionId && formatId("ver", versionId) };
  return taken.problems.length === 0 ? result : { ...result, problems: taken.problems };
}

export async function quizToReplace(tx: Transaction, storeId: string, publicId: string): Promise<string> {
  const quiz = await findQuiz(tx, publicId);
  if (quiz.storeId !== storeId) throw new OperatorError(`the store has no quiz ${publicId}`);
  if (quiz.deleted) throw new OperatorError(`quiz ${publicId} is deleted`);
  return quiz.quizId;
}

function publishable(checked: ReturnType<typeof checkVersion>): QuizDocument {
  if (!checked.ok) throw new OperatorError(`the quiz cannot be published: ${problemsLine(checked.problems)}`);
  if (checked.document.pages.length === 0) throw new OperatorError("a quiz without pages cannot be published");
  return checked.document;
}

/** jsonb holds neither NUL nor half of a surrogate pair; in JSON both are written as these escapes. */
function storable(document: Record<string, unknown>): Record<string, unknown> {
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
  tx: Transaction,
  deps: QuizDeps,
  storeId: string,
  quizId: string,
  { name, draft }: TakenDraft,
): Promise<QuizRow> {
  const quiz = await lockQuiz(tx, storeId, quizId);
  const changed = {
    name: name ?? quiz.name,
    draft_page_count: pageCount(draft),
    updated_at: new Date(deps.calendar.now()),
  };
  await tx.all(
    build
      .updateTable("quizzes")
      .set({ ...changed, draft: JSON.stringify(draft) })
      .where("store_id", "=", storeId)
      .where("id", "=", quizId),
  );
  return { ...quiz, ...changed };
}

/**
 * The store's revision is locked, so that the new quiz can be made later than every other: newest first [quizzes.list].
 */
async function createQuiz(
  tx: Transaction,
  deps: QuizDeps,
  storeId: string,
  id: string,
  { name = "Untitled quiz", draft }: TakenDraft,
): Promise<QuizRow> {
  const newest = await tx.first(
    build
      .selectFrom("quizzes")
      .select("created_at")
      .where("store_id", "=", storeId)
      .where("deleted_at", "is", null)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(1),
  );
  const at = new Date(Math.max(deps.calendar.now(), (newest?.created_at.getTime() ?? 0) + 1));
  const row = { id, name, draft_page_count: pageCount(draft), created_at: at, updated_at: at };
  await tx.all(build.insertInto("quizzes").values({ store_id: storeId, ...row, draft: JSON.stringify(draft) }));
  await tx.all(build.insertInto("quiz_directory").values({ quiz_id: id, store_id: storeId }));
  return { ...row, archived: false, published_version_id: null, versions_numbered: 0, ai_run_expires_at: null };
}

async function publishDraft(
  tx: Transaction,
  deps: QuizDeps,
  storeId: string,
  by: Actor,
  quiz: QuizRow,
  ready: NewVersion,
): Promise<string> {
  refuseDuringRun(quiz, deps.calendar.now());
  const version = await addVersion(tx, deps, storeId, by, quiz, ready);
  await makeLive(tx, deps, storeId, by, quiz, version);
  return version.id;
}
