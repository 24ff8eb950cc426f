import { getDraft, lintDraft, putDraft } from "../../../contract/editor.ts";
import { isObject } from "../../../engine/read.ts";
import { ownStore, type StoreTransaction, sql } from "../../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../../platform/http/dashboard.ts";
import { Tagged } from "../../platform/http/etag.ts";
import { pathId, readRoute, writeRoute } from "../../platform/http/operations.ts";
import { formatId } from "../../platform/ids.ts";
import { invalid } from "../../platform/problems.ts";
import { refuseDuringRun } from "../ai-lease.ts";
import { changeQuiz } from "../change-quiz.ts";
import { readEarlier } from "../definition.ts";
import { type Actor, actorOf } from "../deps.ts";
import { orderWithin, recordHistory } from "../history.ts";
import { type CheckedDraft, checkDraft, nameRule, readName, replaceDraft, unstorable } from "../keep-draft.ts";
import { lockQuiz, parseQuizId, readQuiz } from "../rows.ts";
import { refuseFaults, safeDocument } from "../safe-document.ts";
import { answered, type EditorDeps } from "./deps.ts";
import { assertNamed, namedTag } from "./if-match.ts";
import { type DraftState, draftAnswer, draftTag, findingsOf, readDraft, readState, savedDraft } from "./state.ts";

/** Reads, replaces and previews drafts. */
export const draftRoutes = (deps: EditorDeps): DashboardRoute[] => [
  getDraftRoute(deps),
  putDraftRoute(deps),
  lintDraftRoute(),
];

const getDraftRoute = ({ calendar }: EditorDeps) =>
  memberRoute(
    readRoute(getDraft, async ({ params }, db) => {
      const id = pathId(parseQuizId, params["quiz_id"]);
      const state = await readState(db, id);
      const [document, earlier] = await Promise.all([readDraft(db, id), readEarlier(db, id, state.versions_numbered)]);
      // the assistant's run and the live version can change while the draft stays the same
      return new Tagged(draftTag(state), await draftAnswer(state, calendar.now(), document, earlier), "part");
    }),
  );

const lintDraftRoute = () =>
  memberRoute(
    readRoute(lintDraft, async ({ params, body }, db) => {
      const quiz = await readQuiz(db, pathId(parseQuizId, params["quiz_id"]));
      const earlier = await readEarlier(db, quiz.id, quiz.versions_numbered);
      const { document = await readDraft(db, quiz.id) } = readSent(body);
      const safe = await safeDocument(document);
      return { findings: await findingsOf(safe.document, earlier, safe) };
    }),
  );

/** The fields around a document in an exported file. */
const around = new Set(["name", "document", "quiz_id"]);

interface SentDraft {
  name: string | undefined;
  /** undefined: only the name changes */
  document: Record<string, unknown> | undefined;
}

/** Accepts a bare document, or one with a name around it. */
export function readSent(body: Record<string, unknown>): SentDraft {
  const fields = Object.keys(body);
  if (fields.length === 0 || !fields.every((field) => around.has(field))) return { name: undefined, document: body };
  return { name: sentName(body["name"]), document: sentDocument(body["document"]) };
}

export function sentName(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const name = typeof value === "string" ? readName(value) : null;
  if (name === null) throw invalid("body.name", nameRule);
  return name;
}

function sentDocument(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined || isObject(value)) return value;
  throw invalid("body.document", "must be an object");
}

/**
 * PUT of a draft [editor.revisions]: replaces the one that If-Match names; a draft equal to the stored one is always
 * accepted. The columnar copy shows the name, so changing it raises the store's revision; changing the draft does not.
 */
const putDraftRoute = (deps: EditorDeps) =>
  memberRoute(
    writeRoute(putDraft, async ({ caller, headers, params, body }, tx) => {
      const quiz = await readQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
      const tag = namedTag(headers);
      const sent = readSent(body);
      const renames = sent.name !== undefined && sent.name !== quiz.name;
      const by = actorOf(caller);
      const change = () => keep(tx, deps, { id: quiz.id, tag, sent, by });
      const { answer, changed, begins } = await (renames ? changeQuiz(tx, deps, quiz.id, change) : change());
      const target = formatId("quiz", quiz.id);
      const details = { before: quiz.name, after: answer.name };
      return answered(answer, [
        ...(renames && changed ? [{ action: "quiz.renamed", target, details }] : []),
        ...(begins ? [{ action: "quiz.edited", target }] : []),
      ]);
    }),
  );

interface Change {
  id: string;
  tag: string;
  sent: SentDraft;
  by: Actor;
}

async function keep(tx: StoreTransaction, deps: EditorDeps, { id, tag, sent, by }: Change) {
  const quiz = await lockQuiz(tx, id);
  const now = deps.calendar.now();
  refuseDuringRun(quiz, now);
  const before = await readState(tx, id);
  const earlier = await readEarlier(tx, id, quiz.versions_numbered);
  const submitted = sent.document ?? (await readDraft(tx, id));
  const checked = await checkDraft(submitted, earlier);
  if (sent.document !== undefined) refuseFaults(checked.faults);
  const fault = unstorable(checked.draft);
  if (fault !== null) throw invalid("body.document", fault);
  const name = sent.name ?? quiz.name;
  const isSame = name === quiz.name && (await isStored(tx, id, checked.draft));
  // a client that missed the answer sends the same draft again
  if (!isSame) assertNamed(tag, before);
  let begins = false;
  if (!isSame) {
    await replaceDraft(tx, deps, by, quiz, { name, draft: checked.draft });
    begins = await recordEditing(tx, deps, by, before);
  }
  const state = isSame ? before : await readState(tx, id);
  const document = await storedDocument(tx, id, submitted, checked);
  const findings = await findingsOf(checked.draft, earlier, checked);
  return { answer: savedDraft(state, now, { findings, document }), changed: !isSame, begins };
}

/** Whether the stored draft equals this document, ignoring the order of fields. */
export async function isStored(tx: StoreTransaction, id: string, draft: object): Promise<boolean> {
  const row = await tx.first(sql<{ same: boolean }>`
    SELECT draft = ${JSON.stringify(draft)}::jsonb AS same FROM quizzes WHERE store_id = ${ownStore} AND id = ${id}`);
  return row?.same ?? false;
}

/** Null if the stored draft equals what was sent, ignoring the order of fields. */
async function storedDocument(tx: StoreTransaction, id: string, submitted: object, checked: CheckedDraft) {
  return (await isStored(tx, id, submitted)) ? null : { ...checked.draft };
}

/**
 * Authors save every second: editing is recorded once, and again after a pause of this many ms or somebody else's
 * change.
 */
const pauseMs = 30 * 60 * 1_000;

/** Returns whether it was recorded now. */
export async function recordEditing(
  tx: StoreTransaction,
  deps: EditorDeps,
  by: Actor,
  before: DraftState,
): Promise<boolean> {
  const at = new Date(deps.calendar.now());
  const last = await tx.first(sql<{ action: string; admin: string; source: string }>`
    SELECT action, admin, source FROM quiz_history WHERE store_id = ${ownStore} AND quiz_id = ${before.id}
    ORDER BY at DESC, array_position(${orderWithin}::text[], action) DESC, id DESC LIMIT 1`);
  const rested = at.getTime() - before.saved_at.getTime() >= pauseMs;
  const isSame = last?.action === "edited" && last.admin === by.admin && last.source === by.source;
  if (isSame && !rested) return false;
  await recordHistory(tx, deps, by, { quizId: before.id, action: "edited", at });
  return true;
}
