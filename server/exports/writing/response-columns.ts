import type { EventAnswer, QuizFinishedObject } from "../../../contract/events.ts";
import type { WebhookSession } from "../../sessions/public.ts";
import { type Cell, type Column, joined, phoneCell } from "./csv.ts";

/** A quiz whose sessions may appear in the file. */
export interface QuizQuestions {
  /** public id */
  id: string;
  /** component_key of every question of every version: first the current ones in page order, then removed ones */
  questions: readonly string[];
}

/**
 * The columns of a table of responses [exports.question-columns]. Their order is fixed; new ones go after the fixed
 * columns and before the answers.
 *
 * First the session, then its outcome, then one column per question: `answers.<component_key>` in a file of one quiz,
 * `answers.<quiz_id>.<component_key>` in a file of all. Columns are named by keys, which stay the same when a question
 * is reworded. Several values in a cell (options, contacts, points) are joined by "; ".
 *
 * @param severalQuizzes whether sessions of several quizzes may occur
 */
export const responseColumns = (
  quizzes: readonly QuizQuestions[],
  severalQuizzes: boolean,
): Column<WebhookSession>[] => [
  ...sessionColumns,
  ...quizzes.flatMap(({ id, questions }) =>
    questions.map((key) => ({
      name: severalQuizzes ? `answers.${id}.${key}` : `answers.${key}`,
      cell: ({ quiz_id, answers }: WebhookSession) => (quiz_id === id ? answerCell(answerTo(answers, key)) : null),
    })),
  ),
];

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

const isFinished = (session: WebhookSession): session is QuizFinishedObject => "completed_at" in session;

/** A cell that is empty unless the session was finished. */
const outcome =
  (cell: (session: QuizFinishedObject) => Cell) =>
  (session: WebhookSession): Cell =>
    isFinished(session) ? cell(session) : null;

const contacts = (session: WebhookSession, kind: "email" | "phone") =>
  (session.identities ?? []).filter((identity) => identity.kind === kind);

const consents = (session: WebhookSession, kind: "email" | "phone"): Cell =>
  joined(contacts(session, kind).map(({ consent }) => (consent === null ? "" : String(consent))));

const statusOf = (session: WebhookSession): string => {
  if (isFinished(session)) return "completed";
  return session.ended_at === null ? "in_progress" : "left";
};

const sessionColumns: readonly Column<WebhookSession>[] = [
  { name: "session_id", cell: ({ id }) => id },
  { name: "status", cell: statusOf },
  { name: "quiz_id", cell: (session) => session.quiz_id },
  { name: "quiz_name", cell: (session) => session.quiz_name },
  { name: "version_id", cell: (session) => session.version_id },
  { name: "version_number", cell: (session) => session.version_number },
  { name: "visitor_id", cell: (session) => session.visitor_id },
  { name: "started_at", cell: (session) => session.started_at },
  { name: "completed_at", cell: outcome((session) => session.completed_at) },
  { name: "ended_at", cell: (session) => session.ended_at },
  { name: "channel", cell: (session) => session.channel },
  { name: "country", cell: (session) => session.country },
  { name: "device_class", cell: ({ device }) => device.class },
  { name: "device_browser", cell: ({ device }) => device.browser },
  { name: "device_os", cell: ({ device }) => device.os },
  { name: "page_url", cell: (session) => session.page_url },
  { name: "utm_source", cell: (session) => session.utm_source },
  { name: "utm_medium", cell: (session) => session.utm_medium },
  { name: "utm_campaign", cell: (session) => session.utm_campaign },
  { name: "utm_content", cell: (session) => session.utm_content },
  { name: "utm_term", cell: (session) => session.utm_term },
  { name: "last_page_key", cell: ({ last_page: page }) => page?.page_key ?? null },
  { name: "last_page_title", cell: ({ last_page: page }) => page?.title ?? null },
  { name: "last_page_position", cell: ({ last_page: page }) => page?.position ?? null },
  { name: "answered_count", cell: (session) => session.answered_count },
  { name: "email", cell: (session) => joined(contacts(session, "email").map(({ value }) => value)) },
  { name: "email_consent", cell: (session) => consents(session, "email") },
  { name: "phone", cell: (session) => phoneList(contacts(session, "phone").map(({ value }) => value)) },
  { name: "phone_consent", cell: (session) => consents(session, "phone") },
  { name: "points", cell: outcome(({ points }) => joined(points.map(({ name, total }) => `${name}: ${total}`))) },
  {
    name: "formulas",
    cell: outcome(({ formulas }) => joined(formulas.map(({ label, value }) => `${label}: ${value}`))),
  },
  { name: "result_page_key", cell: outcome(({ terminal_page: page }) => page?.page_key ?? null) },
  { name: "result_page_title", cell: outcome(({ terminal_page: page }) => page?.title ?? null) },
  {
    name: "products_shown",
    cell: outcome((session) => joined(session.products_shown.map(({ title, product_id }) => title ?? product_id))),
  },
];

/** Each is in E.164, so the cell cannot be a formula. */
function phoneList(phones: readonly string[]): Cell {
  const text = joined(phones);
  return text === null ? null : { asIs: text };
}
