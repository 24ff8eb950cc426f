import type { QuizFinished } from "../../../contract/events/quiz-finished.ts";
import type { EventAnswer } from "../../../contract/events/session.ts";
import { valueOfText } from "../../../engine/kinds/value.ts";
import type { WebhookSession } from "../../sessions/public.ts";
import { type Column, listColumn, listed } from "./columns.ts";
import { type Cell, joined, phoneCell } from "./csv.ts";
import type { Value, ValueType } from "./table.ts";

/** A question of any version of a quiz. */
export interface AskedQuestion {
  component_key: string;
  question: string;
  /** every kind that it had in some version, images being choices */
  kinds: readonly string[];
  /** whether some version let shoppers choose several options */
  multiple: boolean;
  /** whether some version asked for a time beside the date */
  with_time: boolean;
  /** whether an option had a text field in some version */
  other: boolean;
}

/** A quiz whose sessions may appear in the file. */
export interface QuizQuestions {
  /** public id */
  id: string;
  name: string;
  /** first the current ones in page order, then removed ones */
  questions: readonly AskedQuestion[];
}

/**
 * The columns of a table of responses [exports.question-columns]. Their order is fixed; new ones go after the fixed
 * columns and before the answers.
 *
 * First the session, then its outcome, then one column per question: `answers.<component_key>` in a file of one quiz,
 * `answers.<quiz_id>.<component_key>` in a file of all. Columns are named by keys, which stay the same when a question
 * is reworded. Exact tables have the ids of chosen options in a column of their own, after that of their labels.
 *
 * @param severalQuizzes whether sessions of several quizzes may occur
 */
export function responseColumns(quizzes: readonly QuizQuestions[], severalQuizzes: boolean): Column<WebhookSession>[] {
  let number = 0;
  return [
    ...sessionColumns,
    ...quizzes.flatMap(({ id, questions }) =>
      questions.flatMap((question) => {
        number += 1;
        const name = `answers.${severalQuizzes ? `${id}.` : ""}${question.component_key}`;
        return questionColumns({ ...question, quizId: id, name, number });
      }),
    ),
  ];
}

interface NamedQuestion extends AskedQuestion {
  /** public id */
  quizId: string;
  name: string;
  /** of the question within the table, from 1 */
  number: number;
}

/**
 * Its answers, the ids of chosen options beside their labels [exports.option-ids], and what was written beside an option
 * [exports.other-texts].
 */
function questionColumns(asked: NamedQuestion): Column<WebhookSession>[] {
  const { name, number, multiple } = asked;
  const type = typeOf(asked);
  const words = asked.question.trim() || asked.component_key;
  const of = ({ quiz_id, answers }: WebhookSession): EventAnswer | null =>
    quiz_id === asked.quizId ? answerTo(answers, asked.component_key) : null;
  const labels: Column<WebhookSession> = {
    ...{ name, type, heading: `${number}. ${words}` },
    value: (session) => answerValue(of(session), type, multiple),
    cell: (session) => answerCell(of(session)),
  };
  if (!asked.kinds.some((kind) => valueOfText(kind) === "options")) return [labels];
  const other: Column<WebhookSession> = {
    ...{ name: `${name}.other_text`, type: "text", heading: `${number}. Other: ${words}` },
    value: (session) => of(session)?.other_text ?? null,
  };
  const ids: Column<WebhookSession> = {
    ...{ name: `${name}.option_ids`, type: "text", heading: `${number}. Option ids: ${words}` },
    value: (session) => oneOrList(of(session)?.option_ids ?? [], multiple),
    cell: null,
  };
  return asked.other ? [labels, ids, other] : [labels, ids];
}

/** A question whose kind changed, long ago, is a text: there are values of both. */
function typeOf({ kinds, with_time: withTime }: AskedQuestion): ValueType {
  const [kind, ...others] = kinds;
  const value = others.length > 0 ? null : valueOfText(kind);
  switch (value) {
    case "number":
      return "number";
    case "date":
      return withTime ? "datetime" : "date";
    case "options":
    case "text":
    case "contact":
    case "none":
    case null:
      return "text";
  }
}

const answerTo = (answers: WebhookSession["answers"], key: string): EventAnswer | null =>
  Object.hasOwn(answers, key) ? (answers[key] ?? null) : null;

/** A number stays a number; anything else is shown in words. */
function answerCell(answer: EventAnswer | null): Cell {
  if (answer === null) return null;
  const { kind, value, values } = answer;
  if (typeof value === "number") return value;
  const text = joined(values);
  return kind === "phone" ? phoneCell(text) : text;
}

/**
 * The answer exactly [exports.typed-columns]. What an erasure left of a number or date is no value of that type.
 *
 * @param multiple whether the cells of this question are lists, whatever this shopper chose
 */
function answerValue(answer: EventAnswer | null, type: ValueType, multiple: boolean): Value {
  if (answer === null) return null;
  const { value, values, option_ids: ids } = answer;
  if (type === "number") return typeof value === "number" ? value : null;
  if (ids !== undefined) return oneOrList(values, multiple);
  const text = values[0] ?? null;
  if (type === "text" || text === null) return text;
  if (text === "") return null;
  return type === "date" ? text.slice(0, "YYYY-MM-DD".length) : text;
}

const oneOrList = (texts: readonly string[], multiple: boolean): string | null =>
  multiple || texts.length > 1 ? listed(texts) : (texts[0] ?? null);

const isFinished = (session: WebhookSession): session is QuizFinished => "completed_at" in session;

/** A value that only a finished session has. */
const outcome =
  <Result>(value: (session: QuizFinished) => Result) =>
  (session: WebhookSession): Result | null =>
    isFinished(session) ? value(session) : null;

const outcomeList = (name: string, texts: (session: QuizFinished) => readonly string[]) =>
  listColumn<WebhookSession>(name, (session) => outcome(texts)(session) ?? []);

const contacts = (session: WebhookSession, kind: "email" | "phone") =>
  (session.identities ?? []).filter((identity) => identity.kind === kind);

/** The consent beside each contact; of several as one value only where all are alike, or one is denied. */
function consentColumn(kind: "email" | "phone"): Column<WebhookSession> {
  const given = (session: WebhookSession) => contacts(session, kind).map(({ consent }) => consent);
  return {
    ...{ name: `${kind}_consent`, type: "boolean" },
    value: (session) => {
      const consents = given(session);
      if (consents.includes(false)) return false;
      return consents.length > 0 && consents.every((consent) => consent === true) ? true : null;
    },
    cell: (session) => joined(given(session).map((consent) => (consent === null ? "" : String(consent)))),
  };
}

const statusOf = (session: WebhookSession): string => {
  if (isFinished(session)) return "completed";
  return session.ended_at === null ? "in_progress" : "left";
};

const phones = (session: WebhookSession): string | null => joined(contacts(session, "phone").map(({ value }) => value));

const sessionColumns: readonly Column<WebhookSession>[] = [
  { name: "session_id", type: "text", value: ({ id }) => id },
  { name: "status", type: "text", value: statusOf },
  { name: "quiz_id", type: "text", value: (session) => session.quiz_id },
  { name: "quiz_name", type: "text", value: (session) => session.quiz_name },
  { name: "version_id", type: "text", value: (session) => session.version_id },
  { name: "version_number", type: "integer", value: (session) => session.version_number },
  { name: "visitor_id", type: "text", value: (session) => session.visitor_id },
  { name: "started_at", type: "instant", value: (session) => session.started_at },
  { name: "completed_at", type: "instant", value: outcome((session) => session.completed_at) },
  { name: "ended_at", type: "instant", value: (session) => session.ended_at },
  { name: "channel", type: "text", value: (session) => session.channel },
  { name: "country", type: "text", value: (session) => session.country },
  { name: "device_class", type: "text", value: ({ device }) => device.class },
  { name: "device_browser", type: "text", value: ({ device }) => device.browser },
  { name: "device_os", type: "text", value: ({ device }) => device.os },
  { name: "page_url", type: "text", value: (session) => session.page_url },
  { name: "utm_source", type: "text", value: (session) => session.utm_source },
  { name: "utm_medium", type: "text", value: (session) => session.utm_medium },
  { name: "utm_campaign", type: "text", value: (session) => session.utm_campaign },
  { name: "utm_content", type: "text", value: (session) => session.utm_content },
  { name: "utm_term", type: "text", value: (session) => session.utm_term },
  { name: "last_page_key", type: "text", value: ({ last_page: page }) => page?.page_key ?? null },
  { name: "last_page_title", type: "text", value: ({ last_page: page }) => page?.title ?? null },
  { name: "last_page_position", type: "integer", value: ({ last_page: page }) => page?.position ?? null },
  { name: "answered_count", type: "integer", value: (session) => session.answered_count },
  { name: "email", type: "text", value: (session) => joined(contacts(session, "email").map(({ value }) => value)) },
  consentColumn("email"),
  { name: "phone", type: "text", value: phones, cell: phoneList },
  consentColumn("phone"),
  outcomeList("points", ({ points }) => points.map(({ name, total }) => `${name}: ${total}`)),
  outcomeList("formulas", ({ formulas }) => formulas.map(({ label, value }) => `${label}: ${value}`)),
  { name: "result_page_key", type: "text", value: outcome(({ terminal_page: page }) => page?.page_key ?? null) },
  { name: "result_page_title", type: "text", value: outcome(({ terminal_page: page }) => page?.title ?? null) },
  outcomeList("products_shown", (session) =>
    session.products_shown.map(({ title, product_id }) => title ?? product_id),
  ),
  { name: "outcome_dimension_id", type: "text", value: outcome((session) => session.outcome?.dimension_id ?? null) },
  { name: "outcome_name", type: "text", value: outcome((session) => session.outcome?.name ?? null) },
];

/** Each is in E.164, so the cell cannot be a formula. */
function phoneList(session: WebhookSession): Cell {
  const text = phones(session);
  return text === null ? null : { asIs: text };
}
