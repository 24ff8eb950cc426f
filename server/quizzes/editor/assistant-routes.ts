import {
  beginDraftRun,
  changeBounds,
  changeQuizDraft,
  createPreview,
  createQuizDraft,
  endDraftRun,
  getQuizDraft,
} from "../../../contract/drafts.ts";
import type { StoreTransaction } from "../../platform/database/sql.ts";
import { pathId, type Route, readRoute, writeRoute } from "../../platform/http/operations.ts";
import { formatId, parseId } from "../../platform/ids.ts";
import { invalid } from "../../platform/problems.ts";
import { assertRun, beginRun, endRun, renewRun } from "../ai-lease.ts";
import { changeQuiz } from "../change-quiz.ts";
import { readEarlier } from "../definition.ts";
import { type Actor, actorOf } from "../deps.ts";
import { checkDraft, replaceDraft, unstorable } from "../keep-draft.ts";
import { lockQuiz, parseQuizId, readQuiz } from "../rows.ts";
import { refuseFaults } from "../safe-document.ts";
import { answered, type EditorDeps } from "./deps.ts";
import { applyChanges } from "./draft-changes.ts";
import { isStored, recordEditing, sentName } from "./draft-routes.ts";
import { makeQuiz } from "./make-quiz.ts";
import { makePreview } from "./share.ts";
import { draftAnswer, findingsOf, readDraft, readState, savedDraft } from "./state.ts";
import { templateNamed } from "./templates.ts";

/** Editing drafts by API, as an assistant does under its lease [drafts.run, drafts.changes]. */
export const assistantRoutes = (deps: EditorDeps): Route[] => [
  writeRoute(createQuizDraft, async ({ caller, body }, tx) => {
    const template = templateNamed(body.template_id ?? "empty");
    const name = sentName(body.name) ?? template.newName;
    const made = await makeQuiz(tx, deps, caller, { name, document: { ...template.document }, action: "created" });
    // later changes name their run, not a revision, so no entity tag is sent
    return { ...made, headers: {}, location: `/v1/quizzes/${made.body.quiz_id}/draft` };
  }),
  readRoute(getQuizDraft, async ({ params }, db) => {
    const id = pathId(parseQuizId, params["quiz_id"]);
    const state = await readState(db, id);
    const [document, earlier] = await Promise.all([readDraft(db, id), readEarlier(db, id, state.versions_numbered)]);
    return await draftAnswer(state, deps.calendar.now(), document, earlier);
  }),
  writeRoute(beginDraftRun, async ({ params, body }, tx) => {
    const quiz = await lockQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
    const holder = body.holder?.trim().toWellFormed() ?? null;
    return { body: await beginRun(tx, deps, quiz, { holder, runId: runOf(body.run_id) }) };
  }),
  changeRoute(deps),
  writeRoute(endDraftRun, async ({ params, body }, tx) => {
    const quiz = await lockQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
    await endRun(tx, quiz, runOf(body.run_id));
    return { body: { quiz_id: formatId("quiz", quiz.id) } };
  }),
  writeRoute(createPreview, async ({ params, body }, tx) => ({ body: await makePreview(tx, deps, params, body) })),
];

const runOf = (text: string | undefined): string | null => (text === undefined ? null : parseId("run", text));

/** The columnar copy shows the name, so changing it raises the store's revision. */
const changeRoute = (deps: EditorDeps) =>
  writeRoute(changeQuizDraft, async ({ caller, params, body }, tx) => {
    const quiz = await readQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
    const name = sentName(body.name);
    const requested = { runId: runOf(body.run_id), changes: body.changes, name, by: actorOf(caller) };
    const change = () => keepChanges(tx, deps, quiz.id, requested);
    const isRenamed = name !== undefined && name !== quiz.name;
    const { answer, begins } = await (isRenamed ? changeQuiz(tx, deps, quiz.id, change) : change());
    const target = formatId("quiz", quiz.id);
    const renamed = { action: "quiz.renamed", target, details: { before: quiz.name, after: answer.name } };
    return answered(answer, [...(isRenamed ? [renamed] : []), ...(begins ? [{ action: "quiz.edited", target }] : [])]);
  });

interface RequestedChanges {
  runId: string | null;
  changes: Parameters<typeof applyChanges>[1];
  name: string | undefined;
  by: Actor;
}

async function keepChanges(tx: StoreTransaction, deps: EditorDeps, id: string, requested: RequestedChanges) {
  const quiz = await lockQuiz(tx, id);
  await assertRun(tx, deps, quiz, requested.runId);
  const before = await readState(tx, id);
  const earlier = await readEarlier(tx, id, quiz.versions_numbered);
  const changed = await applyChanges(await readDraft(tx, id), requested.changes);
  const checked = await checkDraft(changed, earlier);
  refuseFaults(checked.faults);
  assertStorable(checked.draft);
  const name = requested.name ?? quiz.name;
  let begins = false;
  if (name !== quiz.name || !(await isStored(tx, id, checked.draft))) {
    await replaceDraft(tx, deps, requested.by, quiz, { name, draft: checked.draft });
    begins = await recordEditing(tx, deps, requested.by, before);
  }
  await renewRun(tx, deps, quiz);
  const findings = await findingsOf(checked.draft, earlier, checked);
  const answer = savedDraft(await readState(tx, id), deps.calendar.now(), { findings, document: null });
  return { answer, begins };
}

/** Limits a draft to the size of a request body, so that the editor can send it again. */
function assertStorable(draft: object): void {
  const fault = unstorable(draft);
  if (fault !== null) throw invalid("body.changes", fault);
  if (Buffer.byteLength(JSON.stringify(draft)) > changeBounds.draftBytes)
    throw invalid("body.changes", "would make the draft larger than 1 MiB");
}
