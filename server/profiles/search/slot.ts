import { foldText } from "../../platform/fold-text.ts";
import { canBeStored, type Numbers } from "./numbers.ts";
import { allOf, among, anyOf, type Parameters } from "./parameters.ts";
import type { Condition, Range, Term } from "./terms.ts";
import { wordsOf } from "./words.ts";

/**
 * One slot as a condition on `people p`: at least one of its terms holds. Terms that can be told from a single row of
 * the same table are read in one pass over it, and so are all that need the whole of a session's answers: the worst
 * legal body costs a few passes a slot, not one a term.
 */

export interface Around {
  numbers: Numbers;
  parameters: Parameters;
  latestOnly: boolean;
}

type Source = "answers" | "points" | "formulas" | "sessions";

interface Parts {
  /** conditions on one row */
  rows: Record<Source, string[]>;
  /** answered one of the questions, with none of the options */
  noneOf: { questions: number[]; options: number[] }[];
  /** took the quiz, and answered none of the questions (one question under its several numbers) */
  unanswered: { quiz: number[]; questions: number[] }[];
}

export function slotCondition(slot: readonly Term[], around: Around): string {
  const parts: Parts = { rows: { answers: [], points: [], formulas: [], sessions: [] }, noneOf: [], unanswered: [] };
  for (const term of slot) addTerm(term, around, parts);
  const sets = (Object.keys(parts.rows) as Source[]).flatMap((source) =>
    rowSet(source, parts.rows[source], around.latestOnly),
  );
  if (parts.noneOf.length > 0) sets.push(noneOfSet(parts.noneOf, around.latestOnly));
  if (parts.unanswered.length > 0) sets.push(unansweredSet(parts.unanswered, around.latestOnly));
  return sets.length === 0 ? "false" : `p.person IN (${sets.join(" UNION ALL ")})`;
}

function addTerm(term: Term, around: Around, parts: Parts): void {
  const { quizId, condition } = term;
  const { numbers, parameters } = around;
  const quiz = numbers.quiz(quizId);
  // nobody took it: not even `not_answered` holds for anyone
  if (quiz.length === 0) return;
  if (condition.kind === "session") {
    const status = condition.completed ? "status = 'completed'" : "status = 'left'";
    const page = condition.pageKey === null ? [] : [among("last_page", numbers.page(quizId, condition.pageKey))];
    parts.rows.sessions.push(allOf([among("quiz", quiz), status, ...page]));
  } else if (condition.kind === "winner") {
    const dimensions = condition.dimensionIds.flatMap((id) => numbers.dimension(quizId, id));
    parts.rows.sessions.push(allOf([among("quiz", quiz), among("winner", dimensions)]));
  } else if (condition.kind === "points") {
    const dimension = among("dimension", numbers.dimension(quizId, condition.dimensionId));
    parts.rows.points.push(allOf([dimension, within("total", condition.range, double(parameters))]));
  } else {
    const questions = numbers.question(quizId, condition.componentKey);
    if ("op" in condition && condition.op === "not_answered") parts.unanswered.push({ quiz, questions });
    else if (questions.length > 0) addAnswered(condition, questions, { around, quizId, parts });
  }
}

type Asking = Exclude<Condition, { kind: "session" | "winner" | "points" }>;

function addAnswered(
  condition: Asking,
  questions: readonly number[],
  { around, quizId, parts }: { around: Around; quizId: string; parts: Parts },
): void {
  const { parameters, numbers } = around;
  const asked = among("question", questions);
  if (condition.kind === "choice") {
    const { componentKey, optionIds, optionLabels } = condition;
    const options = numbers.options(quizId, componentKey, optionIds, optionLabels);
    if (condition.op === "not_in") parts.noneOf.push({ questions: [...questions], options });
    else if (options.length > 0) parts.rows.answers.push(allOf([asked, among('"option"', options)]));
  } else if (condition.kind === "formula") {
    parts.rows.formulas.push(allOf([asked, within("value", condition.range, double(parameters))]));
  } else if (condition.kind === "number") {
    parts.rows.answers.push(allOf([asked, within("number", condition.range, double(parameters))]));
  } else if (condition.kind === "date") {
    parts.rows.answers.push(allOf([asked, within('"day"', condition.range, (day) => parameters.day(day))]));
  } else if (!("text" in condition)) {
    parts.rows.answers.push(asked);
  } else if (canBeStored(condition.text)) {
    parts.rows.answers.push(allOf([asked, ...textConditions(condition.op, condition.text, parameters)]));
  }
}

const double = (parameters: Parameters) => (value: number) => parameters.double(value);

function within<Value>(column: string, range: Range<Value>, parameter: (value: Value) => string): string {
  if (range.op === "between") return `${column} BETWEEN ${parameter(range.min)} AND ${parameter(range.max)}`;
  return `${column} ${{ eq: "=", lt: "<", gt: ">" }[range.op]} ${parameter(range.value)}`;
}

function textConditions(op: "contains" | "equals" | "matches", text: string, parameters: Parameters): string[] {
  if (op === "equals") return [`"text" = ${parameters.text(foldText(text))}`];
  if (op === "contains") return [`contains("text", ${parameters.text(foldText(text))})`];
  // plain finding goes first: it costs a tenth of a pattern, and most texts lack the word
  return wordsOf(text).flatMap((word) => [
    `contains("text", ${parameters.text(word.text)})`,
    ...(word.pattern === null ? [] : [`regexp_matches("text", ${parameters.text(word.pattern)})`]),
  ]);
}

const newestTakes = "SELECT session FROM sessions WHERE latest_completed";

function rowSet(source: Source, conditions: readonly string[], latestOnly: boolean): string[] {
  if (conditions.length === 0) return [];
  const newest = source === "sessions" ? "latest_completed" : `session IN (${newestTakes})`;
  const where = ["person IS NOT NULL", ...(latestOnly ? [newest] : []), anyOf(conditions)];
  return [`SELECT person FROM ${source} WHERE ${where.join(" AND ")}`];
}

function noneOfSet(terms: Parts["noneOf"], latestOnly: boolean): string {
  const questions = terms.flatMap((term) => term.questions);
  const holds = terms.map((term) =>
    allOf([
      `bool_or(${among("question", term.questions)})`,
      ...(term.options.length === 0 ? [] : [`bool_or(${among('"option"', term.options)}) IS NOT TRUE`]),
    ]),
  );
  const where = ["person IS NOT NULL", among("question", questions)];
  if (latestOnly) where.push(`session IN (${newestTakes})`);
  return `SELECT person FROM answers WHERE ${where.join(" AND ")} GROUP BY session, person HAVING ${anyOf(holds)}`;
}

function unansweredSet(terms: Parts["unanswered"], latestOnly: boolean): string {
  const questions = terms.flatMap((term) => term.questions);
  const flags = terms.map((term, index) => `bool_or(${among("question", term.questions)}) AS answered_${index}`);
  const answered = `SELECT session, ${flags.join(", ")} FROM answers WHERE ${among("question", questions)} GROUP BY session`;
  const holds = terms.map((term, index) => allOf([among("s.quiz", term.quiz), `a.answered_${index} IS NOT TRUE`]));
  return `SELECT s.person FROM sessions s LEFT JOIN (${answered}) a ON a.session = s.session
    WHERE s.person IS NOT NULL ${latestOnly ? "AND s.latest_completed" : ""} AND ${anyOf(holds)}`;
}
