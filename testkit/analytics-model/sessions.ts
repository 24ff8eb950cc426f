import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { AnswerValue, QuestionComponent, QuizDocument } from "../../engine/document.ts";
import type { Quiz } from "../../engine/quiz.ts";
import type { TimedEvent } from "../histories.ts";
import { type Arrival, answersIn, arrivals, countedEvents, modelSession } from "../session-model.ts";
import { contactOf } from "./contacts.ts";
import type { History, HistorySession } from "./history.ts";

/** The facts about a session that the figures need, derived from all of its events. */
export interface WebhookSession {
  given: HistorySession;
  document: QuizDocument;
  isNew: boolean;
  /** ms */
  opened: number;
  started: number | null;
  completed: number | null;
  ended: number | null;
  lastEventAt: number;
  /** arrivals up to the finish, in order */
  way: Arrival[];
  pages: Map<string, PageStay>;
  moves: Move[];
  exit: { page: string; reason: "finished" | "closed" | "restarted" | "timed_out" | "still_here" } | null;
  /** a page once for each time that it was passed over */
  hidden: string[];
  /** answers in force, by component */
  answers: Map<string, { value: AnswerValue; at: number }>;
  emailAt: number | null;
  phoneAt: number | null;
  /** time of the first contact left with its box unticked */
  deniedAt: number | null;
  shown: { product: string; page: string; block: string; at: number }[];
  added: Set<string>;
}

export interface PageStay {
  entries: number;
  byJump: number;
  firstByJump: boolean;
  /** null: no stay has ended [funnel.page-time] */
  ms: number | null;
  skipped: boolean;
  wentBack: boolean;
}

export interface Move {
  from: string;
  to: string;
  cause: string;
  rule: string | null;
}

const compiled = new WeakMap<QuizDocument, Quiz>();
function quizOf(document: QuizDocument): Quiz {
  const quiz = compiled.get(document) ?? compileQuiz(document);
  compiled.set(document, quiz);
  return quiz;
}

export const documentOf = (history: History, session: HistorySession): QuizDocument => {
  const document = history.quizzes[session.quiz]?.versions[session.version - 1]?.document;
  if (!document) throw new Error("a session of no version");
  return document;
};

/** Every session except previews [figures.previews]. */
export function tellSessions(history: History): WebhookSession[] {
  const told = history.sessions
    .filter((session) => !session.preview)
    .map((session) => tellSession(session, documentOf(history, session), history.now));
  for (const session of told) {
    const own = told.filter((other) => other.given.visitor === session.given.visitor);
    const first = own.toSorted((a, b) => a.opened - b.opened || (a.given.id < b.given.id ? -1 : 1))[0];
    session.isNew = session === first;
  }
  return told;
}

function tellSession(given: HistorySession, document: QuizDocument, now: number): WebhookSession {
  const quiz = quizOf(document);
  const all = countedEvents(given.events);
  const { exitReason, opened, started, completed, ended, rejected } = modelSession(quiz, given.events, now);
  // drops what does not count: Back and Skip after a time-out, and finishes whose conditions were not met
  const counted = all.filter((event) => rejected[event.id] === undefined || event.type === "quiz_finished");
  const finish = completed === null ? null : (counted.find((event) => isFinish(event) && !rejected[event.id]) ?? null);
  const until = finish ? counted.slice(0, counted.indexOf(finish) + 1) : counted;
  const way = arrivals(quiz, until, finish ?? undefined);
  const last = way.at(-1);
  return {
    given,
    document,
    isNew: false,
    opened,
    started,
    completed,
    ended,
    lastEventAt: Math.max(...all.map((event) => event.time)),
    way,
    pages: pagesOf(way, finish?.time ?? null),
    moves: way.slice(1).map(({ page, cause, rule }, index) => {
      const from = way[index]?.page ?? "";
      return { from, to: page, cause: cause === "start" ? "restart" : cause, rule };
    }),
    exit: last ? { page: last.page, reason: exitReason as NonNullable<WebhookSession["exit"]>["reason"] } : null,
    hidden: way.flatMap((arrival) => arrival.hidden),
    answers: answersIn(quiz, all),
    ...contactsLeft(quiz, all, given.country),
    ...productsOf(all),
  };
}

const isFinish = (event: TimedEvent): boolean => event.type === "quiz_finished";

function pagesOf(way: readonly Arrival[], finishedAt: number | null): WebhookSession["pages"] {
  const stays = way.map((arrival, index) => ({ arrival, next: way[index + 1] }));
  const keys = [...new Set(way.map((arrival) => arrival.page))];
  return new Map(
    keys.map((key) => {
      const own = stays.filter(({ arrival }) => arrival.page === key);
      const times = own.flatMap(({ arrival, next }) => {
        const end = next?.time ?? finishedAt;
        return end === null ? [] : [Math.max(0, end - arrival.time)];
      });
      const byJump = own.filter(({ arrival }) => arrival.cause === "jump").length;
      const leftBy = (cause: string) => own.some(({ next }) => next?.cause === cause);
      const stay: PageStay = {
        entries: own.length,
        byJump,
        firstByJump: own[0]?.arrival.cause === "jump",
        ms: times.length === 0 ? null : times.reduce((sum, ms) => sum + ms),
        skipped: leftBy("skip"),
        wentBack: leftBy("back"),
      };
      return [key, stay];
    }),
  );
}

/** Whether the checkbox was ticked; null for a field without one. */
function consentTo(component: QuestionComponent, event: TimedEvent): boolean | null {
  if ((component.kind !== "email" && component.kind !== "phone") || component.consent === null) return null;
  return event.type === "answer_saved" && event.consent === true;
}

/** When contacts in force that can be identities were left [figures.opt-ins, people.typed-contact]. */
function contactsLeft(quiz: Quiz, events: readonly TimedEvent[], country: string | null) {
  const left: { kind: string; consent: boolean | null; at: number }[] = [];
  for (const [key, { component }] of quiz.questions) {
    if (component.kind !== "email" && component.kind !== "phone") continue;
    const last = events.findLast((event) => event.type === "answer_saved" && event.component_key === key);
    if (last?.type !== "answer_saved" || contactOf(component.kind, last.value, country) === null) continue;
    left.push({ kind: component.kind, consent: consentTo(component, last), at: last.time });
  }
  const first = (wanted: typeof left) => (wanted.length === 0 ? null : Math.min(...wanted.map(({ at }) => at)));
  return {
    emailAt: first(left.filter(({ kind, consent }) => kind === "email" && consent !== false)),
    phoneAt: first(left.filter(({ kind, consent }) => kind === "phone" && consent !== false)),
    deniedAt: first(left.filter(({ consent }) => consent === false)),
  };
}

function productsOf(events: readonly TimedEvent[]): Pick<WebhookSession, "shown" | "added"> {
  const shown: WebhookSession["shown"] = [];
  const added = new Set<string>();
  for (const event of events) {
    if (event.type === "product_added") added.add(event.product_id);
    if (event.type !== "products_shown") continue;
    for (const { product_id: product } of event.products) {
      shown.push({ product, page: event.page_key, block: event.block_key, at: event.time });
    }
  }
  return { shown, added };
}
