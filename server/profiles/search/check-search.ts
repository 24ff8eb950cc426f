import { setImmediate as nextTurn } from "node:timers/promises";
import type { FieldError } from "../../../contract/errors.ts";
import type { ProfileSearch } from "../../../contract/search.ts";
import { checkDocument } from "../../../engine/check.ts";
import { compileQuiz } from "../../../engine/compile-quiz.ts";
import { kindOfAnswers } from "../../../engine/kinds/value.ts";
import type { Quiz } from "../../../engine/quiz.ts";
import { plainTexts } from "../../../engine/recall.ts";
import { ownStore, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { foldText } from "../../platform/fold-text.ts";
import type { VersionCache } from "../../quizzes/public.ts";
import { readSearch } from "./read-search.ts";
import type { Search, Term } from "./terms.ts";

interface QuizRow {
  quiz_id: string;
  /** null for a quiz without versions */
  version_id: string | null;
  draft: unknown;
}

/**
 * Converts a body that matches the contract into a search of this store, or returns all its errors. `place` as in
 * `readSearch`.
 */
export async function checkSearch(
  db: StoreRunner,
  versions: VersionCache,
  body: ProfileSearch,
  place: string,
): Promise<{ search: Search } | { errors: FieldError[] }> {
  const read = readSearch(body, place);
  if ("errors" in read) return read;
  const errors = await checkTargets(db, versions, read.search, place);
  return errors.length > 0 ? { errors } : read;
}

/**
 * Finds what a search names but the store does not have [search.targets]: quizzes of other stores, and pages,
 * questions, formulas and dimensions that no version of their quiz ever had. Deleted quizzes and keys of earlier
 * versions are accepted. Options are not checked; nobody has picked an unknown one. `place` as in `readSearch`.
 *
 * Also adds to a choice's option ids those options whose label, in a version read here, is one of the requested labels.
 * The copy knows the labels of versions that somebody took; the current version, in whose words people are shown, may
 * not have been taken yet.
 */
async function checkTargets(
  db: StoreRunner,
  versions: VersionCache,
  search: Search,
  place: string,
): Promise<FieldError[]> {
  const byQuiz = Map.groupBy(search.groups.flat(2), (term) => term.quizId);
  const { quizId } = search.span;
  const quizIds = new Set(quizId === null ? byQuiz.keys() : [quizId, ...byQuiz.keys()]);
  if (quizIds.size === 0) return [];
  // current version first, then newest first, since most terms name things in it; the draft if there are no versions
  const rows = await db.all(sql<QuizRow>`
  SELECT q.id AS quiz_id, v.id AS version_id, CASE WHEN v.id IS NULL THEN q.draft END AS draft
  FROM quizzes q LEFT JOIN quiz_versions v ON v.store_id = q.store_id AND v.quiz_id = q.id
  WHERE q.store_id = ${ownStore} AND q.id = ANY (${[...quizIds]}::uuid[])
  ORDER BY q.id, (v.id = q.published_version_id) IS TRUE DESC, v.number DESC`);
  const known = Map.groupBy(rows, (row) => row.quiz_id);
  const message = "is not a quiz of this store";
  const errors: FieldError[] = quizId === null || known.has(quizId) ? [] : [{ field: `${place}.quiz_id`, message }];
  for (const [id, terms] of byQuiz) {
    const found = known.get(id);
    if (!found) errors.push(...terms.map((term) => ({ field: `${term.field}.quiz_id`, message })));
    else errors.push(...(await unknownIn(db, versions, found, terms)));
  }
  return errors;
}

/** Reads versions of one quiz until everything that the terms name is found. */
async function unknownIn(
  db: StoreRunner,
  versions: VersionCache,
  rows: readonly QuizRow[],
  terms: readonly Term[],
): Promise<FieldError[]> {
  let open = terms;
  const pages = new Set<string>();
  for (const row of rows) {
    const quiz = row.version_id === null ? draftOf(row) : (await versions.get(db, row.version_id))?.quiz;
    if (quiz) await addLabelled(quiz, terms);
    open = open.filter(({ condition }) => !quiz || !names(quiz, condition));
    if (open.length === 0) return [];
    for (const key of quiz?.pages.keys() ?? []) pages.add(key);
  }
  return open.map((term) => unknownTarget(term, pages));
}

function draftOf({ draft }: QuizRow): Quiz | undefined {
  const checked = checkDocument(draft);
  return checked.ok ? compileQuiz(plainTexts(checked.document)) : undefined;
}

async function addLabelled(quiz: Quiz, terms: readonly Term[]): Promise<void> {
  const folded = new Map<string, Map<string, string[]>>();
  for (const { condition } of terms) {
    if (condition.kind !== "choice" || condition.optionLabels.length === 0) continue;
    const { componentKey } = condition;
    const known = folded.get(componentKey);
    const labels = known ?? idsByLabel(quiz, componentKey);
    if (!known) folded.set(componentKey, labels);
    for (const label of new Set(condition.optionLabels.map(foldText)))
      condition.optionIds.push(...(labels.get(label) ?? []));
    // a search may name thousands of labels
    await nextTurn();
  }
}

/** A question's option ids by folded label. */
function idsByLabel(quiz: Quiz, componentKey: string): Map<string, string[]> {
  const byLabel = Map.groupBy(quiz.questions.get(componentKey)?.options ?? [], ([, { label }]) => foldText(label));
  return new Map([...byLabel].map(([label, options]) => [label, options.map(([id]) => id)]));
}

/** Whether a version has the condition's target, with the right kind and on the right page. */
function names(quiz: Quiz, condition: Term["condition"]): boolean {
  switch (condition.kind) {
    case "points":
      return quiz.document.dimensions.some(({ dimension_id: id }) => id === condition.dimensionId);
    case "winner":
      return true;
    case "session":
      if (condition.pageKey !== null && !quiz.pages.has(condition.pageKey)) return false;
      return typeof condition.ending === "string" || hasOutcome(quiz, condition.ending.outcome);
    case "formula":
      return quiz.formulas.get(condition.componentKey)?.placed.page.page_key === condition.pageKey;
    default: {
      const question = quiz.questions.get(condition.componentKey);
      if (question === undefined || question.placed.page.page_key !== condition.pageKey) return false;
      return kindOfAnswers(question.component.kind) === condition.kind;
    }
  }
}

function hasOutcome({ document, pages }: Quiz, outcome: string): boolean {
  if (document.dimensions.some(({ dimension_id }) => dimension_id === outcome)) return true;
  return outcome.startsWith("page:") && pages.get(outcome.slice("page:".length))?.page.kind === "result";
}

function unknownTarget({ field, condition }: Term, pages: ReadonlySet<string>): FieldError {
  if (condition.kind === "points")
    return { field: `${field}.dimension_id`, message: "is not a dimension of this quiz" };
  const pageKey = "pageKey" in condition ? condition.pageKey : null;
  if (pageKey !== null && !pages.has(pageKey))
    return { field: `${field}.page_key`, message: "is not a page of this quiz" };
  if (condition.kind === "session") return { field: `${field}.outcome`, message: "is not a result of this quiz" };
  return { field: `${field}.component_key`, message: `is not a ${condition.kind} component of this page` };
}
