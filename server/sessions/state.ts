import type { EnterCause, RejectReason } from "../../contract/storefront.ts";
import type { AnswerValue, QuestionComponent } from "../../engine/document.ts";
import type { Score } from "../../engine/score.ts";
import type { Place } from "./kept-event.ts";

/**
 * What a session amounts to: plain data (kept as one JSON value), a function of nothing but the set of its events, its
 * quiz version and the present moment. All times are milliseconds since 1970 of the server's clock.
 */

export type SessionStatus = "completed" | "in_progress" | "left";
/** what ended the session */
export type EndReason = "finished" | "closed" | "restarted" | "timed_out";

/** The answer in force to one question: the last by `seq`. Cleared answers are absent. */
export type SessionAnswer = {
  component_key: string;
  page_key: string;
  kind: QuestionComponent["kind"];
  /**
   * of a contact field: its checkbox, false when it has one that was not ticked; null for fields without
   * [sessions.consent]
   */
  consent: boolean | null;
  time: number;
  seq: number;
  event_id: string;
} & AnswerValue;

/** One contact that was typed; a field corrected twice leaves three. */
export interface ContactCapture {
  component_key: string;
  page_key: string;
  kind: "email" | "phone";
  /** as typed */
  value: string;
  /** normalised [people.contacts]; null: an answer, and no identity. Rows of releases before this field lack it. */
  identity: string | null;
  consent: boolean | null;
  time: number;
  seq: number;
  event_id: string;
  /** whether it is the answer in force: not replaced and not cleared later */
  current: boolean;
}

/**
 * When a session left contacts that are identities, by the answers in force, erased ones included; ms
 * [figures.opt-ins]. Where two fields of a kind were answered, the earlier.
 */
export interface OptIns {
  /** an email, and a phone, whose box was ticked or that has none; null: none */
  email_at: number | null;
  phone_at: number | null;
  /** a contact of either kind whose box was left unticked */
  denied_at: number | null;
}

/** A page that was opened, with what the funnel and the paths count of it. In order of first arrival. */
export interface PageVisit {
  page_key: string;
  /** arrivals */
  entries: number;
  entries_by_jump: number;
  first_at: number;
  /** `jump` here makes the session one of `sessions_reached_by_jump` */
  first_cause: EnterCause;
  first_jump_rule_key: string | null;
  /** sum of the stays that ended with another arrival or the finish; null while there is none [funnel.page-time] */
  time_ms: number | null;
  /** whether the shopper left it with the skip button, or with the back button, at least once */
  skipped: boolean;
  went_back: boolean;
}

/** A start while a page is open is a start over, so that every move has one of the causes of an edge [paths.edges]. */
export type MoveCause = Exclude<EnterCause, "start">;

/** The moves of a session along one edge, in order of the first of each. */
export interface Move {
  from_page_key: string;
  to_page_key: string;
  cause: MoveCause;
  /** the rule that fired: of a jump always, of no other cause */
  jump_rule_key: string | null;
  /** how often; rows of releases before this field hold each move apart, and lack it */
  times: number;
}

/** Where the session's way ends: each entry of a page has one move out, or is this one [paths.balance]. */
export interface Exit {
  page_key: string;
  reason: EndReason | "still_here";
}

/** A product that was shown, once for each block that showed it, in order of first showing. */
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
  /** null exactly while in progress */
  end_reason: EndReason | null;
  opened_at: number;
  started_at: number | null;
  completed_at: number | null;
  ended_at: number | null;
  /** completed - started, never negative (a finish may be counted before the first answer's own time); else null */
  time_to_complete_ms: number | null;
  last_event_at: number;
  /** when this state changes by the passing of time alone: set while in progress */
  idle_at: number | null;
  /**
   * from when on the session counts as abandoned [sessions.abandoned]; null without an answer, after a finish and after
   * a restart
   */
  abandon_at: number | null;

  /** in document order */
  answers: SessionAnswer[];
  /** erased ones too */
  answered_count: number;
  /** in `seq` order */
  contacts: ContactCapture[];
  opt_ins: OptIns;
  /** points, winner and formulas of the answers in force; of interest once completed */
  outcome: Score;

  /** figures: nothing after the finish is in them [paths.cohort] */
  visits: PageVisit[];
  moves: Move[];
  /** pages that a move passed over because they were hidden, with how often */
  hidden: { page_key: string; times: number }[];
  exit: Exit | null;

  /** distinct pages, and the last one entered by `seq`; these go on after the finish [sessions.last-page] */
  pages_visited: number;
  last_page_key: string | null;
  /** page of the finish */
  terminal_page_key: string | null;

  shown: ShownProduct[];
  added: AddedProduct[];

  /** what else is needed to go on from here without the events (fold.ts) */
  fold: KeptFold;
}

/** How a session's events follow each other, as far as its end depends on it (ending.ts). */
export interface Course {
  opened_at: number;
  last_at: number;
  /** whether the last event closed the quiz */
  closed: boolean;
  /** whether a page was entered after the quiz was closed for the last time */
  moved_on: boolean;
  /** the last event before the first gap of 30 minutes between neighbours; null without a gap */
  gap: { at: number; closed: boolean } | null;
  /** the first restart before that gap, and whether there is one anywhere */
  restart_at: number | null;
  restarted: boolean;
  /** the last event before the first such gap that has an answer before it */
  abandoned_at: number | null;
}

/**
 * What the rest of a state leaves out of a fold, without a word of what a shopper typed: an erasure has nothing to
 * remove from it.
 */
export interface KeptFold {
  /** the rules of reduction by which it came about (`foldRules`) */
  rules: number;
  /** place of the last event that is in it */
  seq: number;
  id: string;
  /** all events that the session keeps, and the bytes of what they hold */
  events: number;
  bytes: number;
  course: Course;
  /** since when the page of the exit is open; null without one */
  open_since: number | null;
  /** pages that were first entered after the finish */
  later: string[];
  /** finishes whose conditions are not met yet, the first of each page */
  waiting: (Place & { page_key: string })[];
  finish: Place | null;
}

export interface Reduction {
  state: SessionState;
  /** events that do not count as things stand, by event id; those of other events may make them count later */
  rejections: ReadonlyMap<string, RejectReason>;
}
