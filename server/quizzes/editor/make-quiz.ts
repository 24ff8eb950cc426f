import { createQuiz, duplicateQuiz, listQuizTemplates, longestQuizName } from "../../../contract/editor.ts";
import type { Caller } from "../../platform/caller.ts";
import type { StoreTransaction } from "../../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../../platform/http/dashboard.ts";
import { pathId, readRoute, writeRoute } from "../../platform/http/operations.ts";
import { formatId, uuidAt } from "../../platform/ids.ts";
import { invalid, invalidFields } from "../../platform/problems.ts";
import { changeQuiz } from "../change-quiz.ts";
import { nothingEarlier } from "../definition.ts";
import { actorOf } from "../deps.ts";
import { type QuizAction, recordHistory } from "../history.ts";
import { checkDraft, insertQuiz, unstorable } from "../keep-draft.ts";
import { parseQuizId, readQuiz } from "../rows.ts";
import { refuseFaults } from "../safe-document.ts";
import { answered, type EditorDeps } from "./deps.ts";
import { readSent, sentName } from "./draft-routes.ts";
import { draftAnswer, readDraft, readState } from "./state.ts";
import { templateNamed, templates } from "./templates.ts";

/**
 * Creates quizzes: empty, from a template, from a document, from another quiz's draft [editor.create, drafts.create].
 */
export const makeQuizRoutes = (deps: EditorDeps): DashboardRoute[] => [
  templatesRoute(),
  createRoute(deps),
  duplicateRoute(deps),
];

const templatesRoute = () =>
  memberRoute(
    readRoute(listQuizTemplates, async () => ({
      data: templates.map(({ template_id, name, description, document }) => ({
        template_id,
        name,
        description,
        page_count: document.pages.length,
      })),
    })),
  );

const createRoute = (deps: EditorDeps) =>
  memberRoute(
    writeRoute(createQuiz, async ({ caller, body }, tx) => {
      const { template_id, document } = body;
      if (template_id !== undefined && document !== undefined)
        throw invalidFields([{ field: "body.template_id", message: "must be left out where a document is given" }]);
      const sent = document === undefined ? null : readSent(document);
      if (sent && sent.document === undefined) throw invalid("body.document", "has no document in it");
      const template = templateNamed(template_id ?? "empty");
      const name = sentName(body.name) ?? sent?.name ?? template.newName;
      const made = { name, document: sent?.document ?? { ...template.document }, action: "created" } as const;
      return makeQuiz(tx, deps, caller, made);
    }),
  );

const duplicateRoute = (deps: EditorDeps) =>
  memberRoute(
    writeRoute(duplicateQuiz, async ({ caller, params, body }, tx) => {
      const quiz = await readQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
      const name = sentName(body.name) ?? copyName(quiz.name);
      const document = await readDraft(tx, quiz.id);
      return makeQuiz(tx, deps, caller, { name, document, action: "duplicated" });
    }),
  );

const copied = "Copy of ";
const copyName = (name: string): string => (copied + name).slice(0, longestQuizName).trimEnd().toWellFormed();

interface Made {
  name: string;
  document: Record<string, unknown>;
  action: QuizAction;
}

export async function makeQuiz(
  tx: StoreTransaction,
  deps: EditorDeps,
  caller: Caller,
  { name, document, action }: Made,
) {
  const checked = await checkDraft(document);
  if (action !== "duplicated") refuseFaults(checked.faults);
  const fault = unstorable(checked.draft);
  if (fault !== null) throw invalid("body.document", fault);
  const id = uuidAt(deps.calendar.now(), deps.random);
  const by = actorOf(caller);
  await changeQuiz(tx, deps, id, async () => {
    const quiz = await insertQuiz(tx, deps, by, id, { name, draft: checked.draft });
    await recordHistory(tx, deps, by, { quizId: id, action, at: quiz.created_at });
  });
  const target = formatId("quiz", id);
  const state = await readState(tx, id);
  return answered(
    await draftAnswer(state, deps.calendar.now(), { ...checked.draft }, nothingEarlier, checked),
    [{ action: `quiz.${action}`, target, details: { name } }],
    `/dashboard/api/quizzes/${target}/draft`,
  );
}
