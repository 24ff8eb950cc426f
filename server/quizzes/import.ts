import type { QuizDocument } from "../../engine/document.ts";
import type { StoreTransaction, Transaction } from "../platform/database/sql.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { OperatorError, UsageError } from "../platform/operator-error.ts";
import { checkAdmin } from "../stores/public.ts";
import { refuseDuringRun } from "./ai-lease.ts";
import { changeQuiz } from "./change-quiz.ts";
import { type Earlier, nothingEarlier, readEarlier } from "./definition.ts";
import type { Actor, QuizDeps } from "./deps.ts";
import { recordHistory } from "./history.ts";
import {
  type CheckedDraft,
  checkDraft,
  insertQuiz,
  nameRule,
  readName,
  replaceDraft,
  unstorable,
} from "./keep-draft.ts";
import { findQuiz, problemsLine, readQuizFile } from "./operators.ts";
import { makeLive } from "./publish-version.ts";
import { lockQuiz, type QuizRow } from "./rows.ts";
import type { RemovedHtml } from "./safe-document.ts";
import { addVersion, type NewVersion } from "./save-version.ts";

export interface QuizImport {
  /** parsed JSON: a quiz document, or `{name, document}` */
  document: unknown;
  /** public id of the quiz whose draft is replaced; without it a quiz is created */
  quizId?: string | undefined;
  name?: string | undefined;
  publish: boolean;
  admin?: string | undefined;
}

export interface ImportedQuiz {
  quiz_id: string;
  /** null: no version was saved */
  version_id: string | null;
  /** what prevents the draft from being saved as a version; absent if nothing does */
  problems?: { path: string; message: string }[];
  /** HTML that was removed; absent if there was none */
  warnings?: RemovedHtml[];
}

/** The checked contents of a file. */
interface CheckedImport extends Omit<CheckedDraft, "version"> {
  name: string | undefined;
  /** the version to publish; null: only a draft was requested */
  version: NewVersion | null;
}

/**
 * Makes a document a quiz's draft, as the editor would: it may still be invalid [quizzes.import], and unsupported HTML
 * is removed and reported. With `publish` it must be valid, and is saved as a version and published, with its event.
 * Throws OperatorErrors.
 */
export async function importQuiz(
  unbound: Transaction,
  deps: QuizDeps,
  storeId: string,
  input: QuizImport,
): Promise<ImportedQuiz> {
  const tx = unbound.forStore(storeId);
  const replaced = input.quizId === undefined ? null : await quizToReplace(unbound, storeId, input.quizId);
  const id = replaced ?? uuidAt(deps.calendar.now(), deps.random);
  const by: Actor = { admin: checkAdmin(input.admin), source: "operator", keyId: null };
  return changeQuiz(tx, deps, id, async () => {
    const before = replaced === null ? null : await lockQuiz(tx, replaced);
    const earlier = before === null ? nothingEarlier : await readEarlier(tx, id, before.versions_numbered);
    const checked = await checkImport(input, earlier);
    const { name = before?.name ?? "Untitled quiz", draft } = checked;
    const content = { name, draft };
    const quiz = await (before ? replaceDraft(tx, deps, by, before, content) : insertQuiz(tx, deps, by, id, content));
    await recordHistory(tx, deps, by, { quizId: id, action: "imported", at: quiz.updated_at });
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
 * Throws OperatorErrors for what cannot be a draft, and for what should be published but cannot be.
 *
 * @param earlier what the versions of the quiz had whose draft is replaced
 */
async function checkImport({ document, name, publish }: QuizImport, earlier: Earlier): Promise<CheckedImport> {
  const file = readQuizFile(document);
  // a name on the command line is a usage error whatever the file contains
  const called = name === undefined ? checkName(file.name, OperatorError) : checkName(name, UsageError);
  const checked = await checkDraft(file.document, earlier);
  if (checked.faults.length > 0)
    throw new OperatorError(`the document is not accepted: ${problemsLine(checked.faults)}`);
  const fault = unstorable(checked.draft);
  if (fault !== null) throw new OperatorError(`the document ${fault}`);
  const version = publish ? { document: publishable(checked), earlier, label: null } : null;
  return { ...checked, name: called, version };
}

function publishable({ version, problems }: CheckedDraft): QuizDocument {
  if (version === null) throw new OperatorError(`the quiz cannot be published: ${problemsLine(problems)}`);
  if (version.pages.length === 0) throw new OperatorError("a quiz without pages cannot be published");
  return version;
}

function checkName(value: string | undefined, Wrong: typeof OperatorError): string | undefined {
  if (value === undefined) return undefined;
  const name = readName(value);
  if (name === null) throw new Wrong(`the name ${nameRule}`);
  return name;
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
