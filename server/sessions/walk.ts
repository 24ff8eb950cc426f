import type { EnterCause } from "../../contract/storefront.ts";
import { numberingOf } from "../../engine/numbering.ts";
import type { Quiz } from "../../engine/quiz.ts";
import type { KeptEvent } from "./kept-event.ts";
import type { Move, MoveCause, PageVisit, SessionState } from "./state.ts";

/** A shopper's position: the open page, and the pages opened so far. */
export interface Position {
  current: string | null;
  readonly entered: Set<string>;
}

export interface Arrival {
  page_key: string;
  cause: EnterCause;
  /** set for every jump, and for no other cause */
  jump_rule_key: string | null;
  /** pages of the version only */
  hidden_page_keys: readonly string[];
}

export function moveTo(position: Position, page_key: string): void {
  position.current = page_key;
  position.entered.add(page_key);
}

/** An unreported arrival: a `start` on the session's first page, `next` on any later one. */
function implied(page_key: string, position: Position): Arrival {
  return { page_key, cause: position.current === null ? "start" : "next", jump_rule_key: null, hidden_page_keys: [] };
}

/**
 * The arrival that an event represents; null: none. An answer on a page not entered yet, even a cleared one, counts as
 * entering it [sessions.pages, sessions.reload, sessions.jump-without-rule]. A start on the page that is open is a
 * reload, not an arrival; every other `page_entered` is one, even of the open page: then it is a move from the page to
 * itself. A jump without a rule of this version counts as `next`, because each jump edge of the paths has its rule.
 */
export function arrivalOf(quiz: Quiz, event: KeptEvent, position: Position): Arrival | null {
  if (event.type === "answer_saved") {
    return position.entered.has(event.page_key) ? null : implied(event.page_key, position);
  }
  if (event.type !== "page_entered") return null;
  const { page_key, cause, jump_rule_key, hidden_page_keys } = event;
  if (cause === "start" && page_key === position.current) return null;
  const rule = cause === "jump" && numberingOf(quiz).rules.has(jump_rule_key ?? "") ? (jump_rule_key ?? null) : null;
  return {
    page_key,
    cause: cause === "jump" && rule === null ? "next" : cause,
    jump_rule_key: rule,
    hidden_page_keys: (hidden_page_keys ?? []).filter((key) => quiz.pages.has(key)),
  };
}

/** The arrival implied by a finish that counts: it happens on its page, so the shopper must have been there. */
export function arrivalOfFinish(page_key: string, position: Position): Arrival | null {
  return position.current === page_key ? null : implied(page_key, position);
}

/** A shopper's way through the pages so far, as the funnel and the paths count it. */
export interface Walk {
  position: Position;
  visits: Map<string, PageVisit>;
  /** by edge */
  moves: Map<string, Move>;
  hidden: Map<string, number>;
  /** the page that is open, and since when; after the finish, the page of the finish */
  open: { visit: PageVisit; since: number } | null;
}

export const newWalk = (): Walk => ({
  position: { current: null, entered: new Set() },
  visits: new Map(),
  moves: new Map(),
  hidden: new Map(),
  open: null,
});

/** Restores the walk from a state. */
export function walkOf({ visits, moves, hidden, exit, last_page_key, fold }: SessionState): Walk {
  const byPage = new Map(visits.map((visit) => [visit.page_key, visit]));
  const visit = exit === null ? undefined : byPage.get(exit.page_key);
  return {
    position: { current: last_page_key, entered: new Set([...byPage.keys(), ...fold.later]) },
    visits: byPage,
    moves: new Map(moves.map((move) => [edgeOf(move), move])),
    hidden: new Map(hidden.map(({ page_key, times }) => [page_key, times])),
    open: visit === undefined || fold.open_since === null ? null : { visit, since: fold.open_since },
  };
}

const edgeOf = ({ from_page_key, to_page_key, cause, jump_rule_key }: Omit<Move, "times">): string =>
  JSON.stringify([from_page_key, to_page_key, cause, jump_rule_key]);

/** Ends the stay on the open page. */
export function leave(walk: Walk, time: number): void {
  if (walk.open === null) return;
  const { visit, since } = walk.open;
  // Corrected times may run backwards between neighbours; a stay is never negative.
  visit.time_ms = (visit.time_ms ?? 0) + Math.max(0, time - since);
}

/** An arrival that counts in the figures; those after the finish only change the position [paths.cohort]. */
export function arrive(walk: Walk, arrival: Arrival, time: number): void {
  leave(walk, time);
  if (walk.open !== null) move(walk, walk.open.visit, arrival);
  moveTo(walk.position, arrival.page_key);
  const visit = visitOf(walk, arrival, time);
  visit.entries += 1;
  if (arrival.cause === "jump") visit.entries_by_jump += 1;
  for (const page_key of new Set(arrival.hidden_page_keys)) {
    walk.hidden.set(page_key, (walk.hidden.get(page_key) ?? 0) + 1);
  }
  walk.open = { visit, since: time };
}

function move(walk: Walk, from: PageVisit, { page_key, cause, jump_rule_key }: Arrival): void {
  const moveCause: MoveCause = cause === "start" ? "restart" : cause;
  if (cause === "skip") from.skipped = true;
  if (cause === "back") from.went_back = true;
  const way = { from_page_key: from.page_key, to_page_key: page_key, cause: moveCause, jump_rule_key };
  const edge = edgeOf(way);
  const known = walk.moves.get(edge);
  if (known) known.times += 1;
  else walk.moves.set(edge, { ...way, times: 1 });
}

function visitOf(walk: Walk, { page_key, cause, jump_rule_key }: Arrival, time: number): PageVisit {
  const known = walk.visits.get(page_key);
  if (known) return known;
  const visit: PageVisit = {
    page_key,
    entries: 0,
    entries_by_jump: 0,
    first_at: time,
    first_cause: cause,
    first_jump_rule_key: jump_rule_key,
    time_ms: null,
    skipped: false,
    went_back: false,
  };
  walk.visits.set(page_key, visit);
  return visit;
}
