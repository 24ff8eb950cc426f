import { normaliseAnswer } from "../engine/answers.ts";
import type { AnswerValue } from "../engine/document.ts";
import { isFinishPage } from "../engine/path.ts";
import type { Quiz } from "../engine/quiz.ts";
import { visiblePages } from "../engine/visibility.ts";
import type { TimedEvent } from "./histories.ts";

/**
 * A session's state, implemented a second time from the rules (docs/rules/sessions.md, funnel.md, paths.md): slow and
 * plain, with everything recomputed from the whole list. Tests compare the reducer with it.
 */
export interface ModelledSession {
  status: "completed" | "in_progress" | "left";
  reason: string | null;
  opened: number;
  started: number | null;
  completed: number | null;
  ended: number | null;
  /** by page: arrivals, and the total time of the stays that ended */
  pages: Record<string, { entries: number; byJump: number; ms: number | null }>;
  /** each move as `from > to (cause, rule)`, in order */
  moves: string[];
  exitPage: string | null;
  exitReason: string | null;
  lastPage: string | null;
  distinctPages: number;
  rejected: Record<string, string>;
}

const half = 30 * 60_000;

export interface Arrival {
  page: string;
  cause: string;
  rule: string | null;
  /** pages passed over on the way to it */
  hidden: string[];
  time: number;
}

/** By `seq`, with the times at which they count: history's own times, others at most an hour before the first event. */
export function countedEvents(events: readonly TimedEvent[]): TimedEvent[] {
  const key = (event: TimedEvent) => `${String(event.seq).padStart(12, "0")} ${event.id}`;
  const all = [...events].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const bound = (all[0]?.time ?? 0) - 2 * half;
  return all.map((event) => (event.own_time ? event : { ...event, time: Math.max(event.time, bound) }));
}

/** All arrivals in these events; `at`: the finish that counts, if it is among them. */
export function arrivals(quiz: Quiz, events: readonly TimedEvent[], at?: TimedEvent): Arrival[] {
  const list: Arrival[] = [];
  const rules = quiz.document.jump_rules.map((rule) => rule.jump_rule_key);
  const pages = new Set(quiz.document.pages.map((page) => page.page_key));
  for (const event of events) {
    const open = list.at(-1)?.page;
    const unreported = { cause: open === undefined ? "start" : "next", rule: null, hidden: [], time: event.time };
    if (event.type === "page_entered") {
      const reload = event.cause === "start" && event.page_key === open;
      const rule = rules.find((key) => event.cause === "jump" && key === event.jump_rule_key) ?? null;
      const cause = event.cause === "jump" && rule === null ? "next" : event.cause;
      const hidden = [...new Set(event.hidden_page_keys ?? [])].filter((key) => pages.has(key));
      if (!reload) list.push({ page: event.page_key, cause, rule, hidden, time: event.time });
    } else if (event.type === "answer_saved") {
      if (list.every((arrival) => arrival.page !== event.page_key)) list.push({ page: event.page_key, ...unreported });
    } else if (event.type === "quiz_finished" && event.id === at?.id) {
      if (open !== event.page_key) list.push({ page: event.page_key, ...unreported });
    }
  }
  return list;
}

/** The last answer to each question, unless it was cleared. */
export function answersIn(quiz: Quiz, events: readonly TimedEvent[]): Map<string, { value: AnswerValue; at: number }> {
  const answers: ReturnType<typeof answersIn> = new Map();
  for (const [key, { component }] of quiz.questions) {
    const saved = events.findLast((event) => event.type === "answer_saved" && event.component_key === key);
    if (saved?.type !== "answer_saved") continue;
    const answer = normaliseAnswer(component, saved, true);
    if (answer.ok && answer.value !== null) answers.set(key, { value: answer.value, at: saved.time });
  }
  return answers;
}

/** Whether a finish, the last of these events, meets its conditions. */
function isMet(quiz: Quiz, events: readonly TimedEvent[], page: string): boolean {
  const answers = new Map([...answersIn(quiz, events)].map(([key, { value }]) => [key, value]));
  const way = arrivals(quiz, events);
  const visited = new Set([...way.map((arrival) => arrival.page), page]);
  for (const [index, arrival] of way.entries()) {
    const left = way[index - 1]?.page;
    if (arrival.cause === "skip" && left !== undefined) visited.delete(left);
  }
  // A page left by skip is excluded, however often it was visited.
  const open = visiblePages(quiz, answers)
    .filter((shown) => visited.has(shown.page_key))
    .flatMap((shown) => shown.components)
    .filter((part) => "required" in part && part.required && !answers.has(part.component_key));
  return answers.size > 0 && open.length === 0 && isFinishPage(quiz, page, answers);
}

function takenFinish(quiz: Quiz, events: readonly TimedEvent[]): TimedEvent | null {
  for (const end of events.keys()) {
    const sofar = events.slice(0, end + 1);
    const met = sofar.find((event) => event.type === "quiz_finished" && isMet(quiz, sofar, event.page_key));
    if (met) return met;
  }
  return null;
}

function ending(events: readonly TimedEvent[], gap: number, finish: TimedEvent | null, now: number) {
  if (finish) return { status: "completed", reason: "finished", ended: finish.time } as const;
  const alive = events.slice(0, gap);
  const last = alive.at(-1);
  if (!last) throw new Error("no events");
  const restarted = alive.find((event) => event.type === "quiz_restarted");
  if (restarted) return { status: "left", reason: "restarted", ended: restarted.time } as const;
  if (last.type === "quiz_closed") return { status: "left", reason: "closed", ended: last.time } as const;
  const timedOut = alive.length < events.length || now - last.time >= half;
  if (timedOut) return { status: "left", reason: "timed_out", ended: last.time + half } as const;
  return { status: "in_progress", reason: null, ended: null } as const;
}

function figures(quiz: Quiz, events: readonly TimedEvent[], finish: TimedEvent | null) {
  const counted = finish ? events.slice(0, events.indexOf(finish) + 1) : events;
  const way = arrivals(quiz, counted, finish ?? undefined);
  const pages: ModelledSession["pages"] = {};
  for (const page of new Set(way.map((arrival) => arrival.page))) {
    const stays = way
      .map((arrival, index) => ({ arrival, until: way[index + 1]?.time ?? finish?.time ?? null }))
      .filter(({ arrival }) => arrival.page === page);
    const ended = stays.flatMap(({ arrival, until }) => (until === null ? [] : [Math.max(0, until - arrival.time)]));
    const byJump = stays.filter(({ arrival }) => arrival.cause === "jump").length;
    pages[page] = { entries: stays.length, byJump, ms: ended.length === 0 ? null : ended.reduce((a, b) => a + b) };
  }
  const moves = way.slice(1).map((arrival, index) => {
    const cause = arrival.cause === "start" ? "restart" : arrival.cause;
    return `${way[index]?.page} > ${arrival.page} (${cause}, ${arrival.rule})`;
  });
  return { pages, moves, exitPage: way.at(-1)?.page ?? null };
}

/** If a page was entered after the last closing, the quiz was not closed on its last page. */
function exitReason(quiz: Quiz, events: readonly TimedEvent[], reason: string | null): string {
  const closing = events.findLastIndex((event) => event.type === "quiz_closed");
  const before = arrivals(quiz, events.slice(0, closing + 1)).length;
  if (reason === "closed" && arrivals(quiz, events).length > before) return "timed_out";
  return reason ?? "still_here";
}

export function modelSession(quiz: Quiz, unordered: readonly TimedEvent[], now: number): ModelledSession {
  const all = countedEvents(unordered);
  let gap = all.length;
  for (let index = all.length - 1; index > 0; index--) {
    if ((all[index]?.time ?? 0) - (all[index - 1]?.time ?? 0) >= half) gap = index;
  }
  const isLate = (event: TimedEvent) =>
    all.indexOf(event) >= gap && event.type === "page_entered" && ["back", "skip"].includes(event.cause);
  const events = all.filter((event) => !isLate(event));
  const finish = takenFinish(quiz, events);
  const until = finish ? events.indexOf(finish) : events.length;
  const short = events.slice(0, until).filter((event) => event.type === "quiz_finished");
  const started = all.find(
    (event, index) => event.type === "answer_saved" && answersIn(quiz, all.slice(0, index + 1)).size > 0,
  );
  const ended = ending(all, gap, finish, now);
  const everywhere = arrivals(quiz, events, finish ?? undefined);
  return {
    ...ended,
    opened: all[0]?.time ?? Number.NaN,
    started: started?.time ?? null,
    completed: finish?.time ?? null,
    ...figures(quiz, events, finish),
    exitReason: everywhere.length === 0 ? null : exitReason(quiz, events, ended.reason),
    lastPage: everywhere.at(-1)?.page ?? null,
    distinctPages: new Set(everywhere.map((arrival) => arrival.page)).size,
    rejected: Object.fromEntries([
      ...all.filter(isLate).map((event) => [event.id, "timed_out"] as const),
      ...short.map((event) => [event.id, "incomplete"] as const),
    ]),
  };
}
