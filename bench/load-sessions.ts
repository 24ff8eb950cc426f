import { historyEmail, type LoadStore, personNumber } from "./load-data.ts";
import { requestsOf } from "./load-quiz.ts";

/** The sessions of a load run: what each of their requests says, and which of them were acknowledged. */

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");

/** In a session's id: milliseconds since 1970 at which its first request was due, for the receiver of webhooks. */
export const sessionPrefix = "10ad";
export const sessionId = (dueAt: number, number: number): string =>
  `sess_${sessionPrefix}${hex(Math.round(dueAt), 12)}${hex(number, 16)}`;

const requestCount = 4;
const eventsEach = 5;

/** A session that has left an address of its own; every tenth leaves that of somebody who was here before. */
const leavesNewEmail = (number: number): boolean => number % 10 < 3;
const leavesKnownEmail = (number: number): boolean => number % 10 === 3;

export const eventAgents = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36",
];

interface Opened {
  store: LoadStore;
  subscribed: boolean;
  /** ms since 1970 */
  dueAt: number;
  /** a bit for each request that was sent, and for each that was answered 202 */
  sent: number;
  acknowledged: number;
}

/** What follows from requests that were answered, or from all that were sent. */
export interface SessionTotals {
  /** of every store */
  events: number;
  /** of the stores that have an endpoint */
  started: number;
  finished: number;
  /** new addresses of these stores */
  created: number;
}

export class LoadSessions {
  readonly #opened: Opened[] = [];
  #events = 0;

  /** Opens a session, due at so many ms since 1970; its number. */
  open(store: LoadStore, subscribed: boolean, dueAt: number): number {
    return this.#opened.push({ store, subscribed, dueAt, sent: 0, acknowledged: 0 }) - 1;
  }

  get opened(): number {
    return this.#opened.length;
  }

  /** The body of one of its four requests. */
  body(number: number, part: number): string {
    const opened = this.#opened[number];
    if (opened === undefined) throw new Error(`session ${number} was not opened`);
    opened.sent |= 1 << part;
    const { store, dueAt } = opened;
    const { quiz, version } = store.quizzes[number % store.quizzes.length] ?? { quiz: "", version: "" };
    const now = Date.now();
    const events = (requestsOf(number, this.#email(number, store))[part] ?? []).map((event, index) => {
      const seq = part * eventsEach + index;
      const id = `evt_10ad0000-0000-4000-8000-${hex(number * 32 + seq, 12)}`;
      return { id, seq, at: new Date(now - eventsEach + index).toISOString(), ...event };
    });
    const session = {
      id: sessionId(dueAt, number),
      // two sessions a visitor, where both fall to the same store
      visitor_id: `vis_${sessionPrefix}${hex(number >> 1, 28)}`,
      quiz_id: quiz,
      version_id: version,
      channel: "online_store",
      placement: "popup",
      page_url: "https://shop.example.com/pages/quiz?utm_source=mail",
      referrer: "https://search.example.com/",
      utm: { source: "mail", medium: "email", campaign: "spring" },
    };
    return JSON.stringify({ store: store.publishableKey, sent_at: new Date(now).toISOString(), session, events });
  }

  #email(number: number, { sessions, people }: LoadStore): string | null {
    if (leavesNewEmail(number)) return `load${number}@example.com`;
    if (!leavesKnownEmail(number)) return null;
    // sessions 1, 4, 7, ... of the history have left one
    return historyEmail(personNumber(1 + 3 * (number % Math.max(1, Math.floor(sessions / 3))), people));
  }

  acknowledge(number: number, part: number, accepted: number): void {
    const opened = this.#opened[number];
    if (opened === undefined) return;
    opened.acknowledged |= 1 << part;
    this.#events += accepted;
  }

  /** What has to be there. */
  acknowledged(): SessionTotals {
    return { ...this.#totals("acknowledged"), events: this.#events };
  }

  /** What may be there at most: a request without an answer may have been committed all the same. */
  sent(): SessionTotals {
    return this.#totals("sent");
  }

  #totals(of: "sent" | "acknowledged"): SessionTotals {
    const totals = { events: 0, started: 0, finished: 0, created: 0 };
    for (const [number, opened] of this.#opened.entries()) {
      const bits = opened[of];
      for (let part = 0; part < requestCount; part += 1) totals.events += ((bits >> part) & 1) * eventsEach;
      if (!opened.subscribed) continue;
      totals.started += bits & 1;
      // the finish counts once all required questions are answered, in whatever order the requests came
      if ((bits & 0b111) === 0b111) totals.finished += 1;
      if (bits & 0b100 && leavesNewEmail(number)) totals.created += 1;
    }
    return totals;
  }
}

/**
 * Which session's which request is sent in a turn: sessions begin one after another, and each goes on so many sessions
 * later; null before there is one that could go on.
 */
export function turnOf(turn: number, apart: number): { number: number; part: number } | null {
  const part = turn % requestCount;
  const number = Math.floor(turn / requestCount) - part * apart;
  return number < 0 ? null : { number, part };
}
