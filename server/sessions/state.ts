import type { EnterCause, RejectReason } from "../../contract/storefront.ts";
import type { AnswerValue, QuestionComponent } from "../../engine/document.ts";
import type { Score } from "../../engine/score.ts";
import type { Place } from "./kept-event.ts";

/**
 * A session's state: plain data (stored as one JSON value), a function of nothing but the set of its events, its quiz
 * version and the present moment. All times are milliseconds since 1970 of the server's clock.
 */

export type SessionStatus = "completed" | "in_progress" | "left";
/** what ended the session */
export type EndReason = "finished" | "closed" | "restarted" | "timed_out";

/** The answer in force to one question: the last by `seq`. Cleared answers are absent. */
export type SessionAnswer = {
  component_key: string;
  page_key: string;
  kind: QuestionComponent["kind"];
  /** state of a contact field's checkbox, false if it was not ticked; null for fields without one [sessions.consent] */
  consent: boolean | null;
  time: number;
  seq: number;
  event_id: string;
} & AnswerValue;

/** A contact as it was typed once; a field corrected twice has three. */
export interface ContactCapture {
  component_key: string;
  page_key: string;
  kind: "email" | "phone";
  /** as typed */
  value: string;
  /**
   * normalised, as it is shown [people.contacts]; null: an answer, but not an identity. Missing in rows of releases
   * before this field.
   */
  identity: string | null;
  consent: boolean | null;
  time: number;
  seq: number;
  event_id: string;
  /** whether it is the answer in force: neither replaced nor cleared later */
  current: boolean;
}

/**
 * When a session left contacts that are identities, by the answers in force, including erased ones; in ms
 * [figures.opt-ins]. If two fields of a kind were answered, the earlier time.
 */
export interface OptIns {
  /** an email, and a phone, whose box was ticked or that has none; null: no such contact */
  email_at: number | null;
  phone_at: number | null;
  /** a contact of either kind whose box was left unticked */
  denied_at: number | null;
}

/** A page that was opened, with what the funnel and the paths count. Ordered by first arrival. */
export interface PageVisit {
  page_key: string;
  /** arrivals */
  entries: number;
  entries_by_jump: number;
  first_at: number;
  /** `jump` makes the session one of this page's `sessions_reached_by_jump` */
  first_cause: EnterCause;
  first_jump_rule_key: string | null;
  /**
   * total length of the stays that ended with another arrival or the finish; null: none has ended [funnel.page-time]
   */
  time_ms: number | null;
  /** whether the shopper left it with the skip button, or with the back button, at least once */
  skipped: boolean;
  went_back: boolean;
}

/** A start while a page is open is a restart, so that every move has one of the causes of an edge [paths.edges]. */
export type MoveCause = Exclude<EnterCause, "start">;

/** A session's moves along one edge, ordered by the first of each. */
export interface Move {
  from_page_key: string;
  to_page_key: string;
  cause: MoveCause;
  /** the rule that fired; only jumps have one, and always do */
  jump_rule_key: string | null;
  /** how often; rows of releases before this field lack it, and list each move separately */
  times: number;
}

/** Where the session's way ends: each entry of a page has exactly one move out, or is this one [paths.balance]. */
export interface Exit {
  page_key: string;
  reason: EndReason | "still_here";
}

/** A product that was shown, once for each block that showed it, ordered by first showing. */
export interface ShownProduct {
  page_key: string;
  block_key: string;
  product_id: string;
  variant_id: string | null;
  position: number | null;
  source: string | null;
  first_at: number;
}

export interface AddedProduct {
  product_id: string;
  variant_id: string | null;
  quantity: number;
  time: number;
  event_id: string;
}

export interface SessionState {
  status: SessionStatus;
  /** null if and only if in progress */
  end_reason: EndReason | null;
  opened_at: number;
  started_at: number | null;
  completed_at: number | null;
  ended_at: number | null;
  /** completed - started, never negative (a finish may have an earlier time than the first answer); else null */
  time_to_complete_ms: number | null;
  last_event_at: number;
  /** when this state will change by the passing of time alone; null unless in progress */
  idle_at: number | null;
  /**
   * when the session will count as abandoned [sessions.abandoned]; null without an answer, after a finish and after a
   * restart
   */
  abandon_at: number | null;

  /** in document order */
  answers: SessionAnswer[];
  /** including erased ones */
  answered_count: number;
  /** in `seq` order */
  contacts: ContactCapture[];
  opt_ins: OptIns;
  /** points, winner and formulas of the answers in force; only meaningful once completed */
  outcome: Score;

  /** figures: they exclude everything after the finish [paths.cohort] */
  visits: PageVisit[];
  moves: Move[];
  /** pages that moves passed over because they were hidden, and how often */
  hidden: { page_key: string; times: number }[];
  exit: Exit | null;

  /** distinct pages, and the last one entered by `seq`; both include events after the finish [sessions.last-page] */
  pages_visited: number;
  last_page_key: string | null;
  /** the page of the finish */
  terminal_page_key: string | null;

  shown: ShownProduct[];
  added: AddedProduct[];

  /** what else is needed to continue without the events (fold.ts) */
  fold: KeptFold;
}

/** The sequence of a session's events, as far as its end depends on it (ending.ts). */
export interface Course {
  opened_at: number;
  last_at: number;
  /** whether the last event closed the quiz */
  closed: boolean;
  /** whether a page was entered after the quiz was last closed */
  moved_on: boolean;
  /** the last event before the first gap of 30 minutes between neighbours; null: no gap */
  gap: { at: number; closed: boolean } | null;
  /** the first restart before that gap, and whether there is a restart anywhere */
  restart_at: number | null;
  restarted: boolean;
  /** the last event before the first such gap that comes after an answer */
  abandoned_at: number | null;
}

/**
 * The parts of a fold that the rest of a state lacks. It contains nothing that a shopper typed, so an erasure has
 * nothing to remove from it.
 */
export interface KeptFold {
  /** version of the reduction rules that produced it (`foldRules`) */
  rules: number;
  /** place of the last event applied */
  seq: number;
  id: string;
  /** number of the session's stored events, and the bytes of their data */
  events: number;
  bytes: number;
  course: Course;
  /** since when the exit page has been open; null: none is open */
  open_since: number | null;
  /** pages first entered after the finish */
  later: string[];
  /** finishes whose conditions are not met yet, the first on each page */
  waiting: (Place & { page_key: string })[];
  finish: Place | null;
}

export interface Reduction {
  state: SessionState;
  /** events that do not count at present, by event id; further events may make them count */
  rejections: ReadonlyMap<string, RejectReason>;
}
