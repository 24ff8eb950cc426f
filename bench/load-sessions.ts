import { emailOfHistory, type SeededStore } from "../testkit/seeded/history.ts";
import { eventsBody, eventsEach, hex, requestCount } from "../testkit/seeded/quiz.ts";

/** The sessions of a load run: the contents of their requests, and which of these were acknowledged. */

/** In a session's id: milliseconds since 1970 at which its first request was due, for the receiver of webhooks. */
export const sessionPrefix = "10ad";
const sessionId = (dueAt: number, number: number): string =>
  `sess_${sessionPrefix}${hex(Math.round(dueAt), 12)}${hex(number, 16)}`;

/** Whether a session leaves a new address; every tenth leaves that of an earlier visitor. */
const leavesNewEmail = (number: number): boolean => number % 10 < 3;
const leavesKnownEmail = (number: number): boolean => number % 10 === 3;

interface Opened {
  store: SeededStore;
  subscribed: boolean;
  /** ms since 1970 */
  dueAt: number;
  /** a bit for each request that was sent, and for each that was answered 202 */
  sent: number;
  acknowledged: number;
}

/** Totals that follow from the answered requests, or from all requests sent. */
export interface SessionTotals {
  /** of every store */
  events: number;
  /** for the stores that have an endpoint */
  started: number;
  finished: number;
  /** new addresses in these stores */
  created: number;
}

export class LoadSessions {
  readonly #opened: Opened[] = [];
  #events = 0;

  /** Opens a session, due at this time in ms since 1970; returns its number. */
  open(store: SeededStore, subscribed: boolean, dueAt: number): number {
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
    return eventsBody(
      {
        store: store.publishableKey,
        quiz,
        version,
        session: sessionId(dueAt, number),
        // two sessions per visitor, if both are in the same store
        visitor: `vis_${sessionPrefix}${hex(number >> 1, 28)}`,
        run: "10ad0000",
        number,
        address: this.#email(number, store),
      },
      part,
    );
  }

  #email(number: number, store: SeededStore): string | null {
    if (leavesNewEmail(number)) return `load${number}@example.com`;
    return leavesKnownEmail(number) ? emailOfHistory(store, number) : null;
  }

  acknowledge(number: number, part: number, accepted: number): void {
    const opened = this.#opened[number];
    if (opened === undefined) return;
    opened.acknowledged |= 1 << part;
    this.#events += accepted;
  }

  /** The minimum that must exist. */
  acknowledged(): SessionTotals {
    return { ...this.#totals("acknowledged"), events: this.#events };
  }

  /** The maximum that may exist: a request without an answer may have been committed all the same. */
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
      // the finish counts once all required questions are answered, in whatever order the requests arrived
      if ((bits & 0b111) === 0b111) totals.finished += 1;
      if (bits & 0b100 && leavesNewEmail(number)) totals.created += 1;
    }
    return totals;
  }
}

/**
 * Which session's which request a turn sends: sessions begin one after another, and each continues `apart` sessions
 * later; null: no session can continue yet.
 */
export function turnOf(turn: number, apart: number): { number: number; part: number } | null {
  const part = turn % requestCount;
  const number = Math.floor(turn / requestCount) - part * apart;
  return number < 0 ? null : { number, part };
}
