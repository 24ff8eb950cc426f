import type { Quiz } from "../../engine/quiz.ts";
import type { Finish } from "./finish.ts";
import { type Arrival, arrivalOf, arrivalOfFinish, moveTo, nowhere } from "./position.ts";
import type { Move, MoveCause, PageVisit, StoredEvent } from "./state.ts";

/** A shopper's way through the pages, as the funnel and the paths count it (2.9, D10). */
export interface Walk {
  visits: PageVisit[];
  moves: Move[];
  hidden: { page_key: string; times: number }[];
  /** the page on which the figures end: where it finished, else the last one; null without any page */
  exit_page_key: string | null;
  pages_visited: number;
  last_page_key: string | null;
}

interface Figures {
  visits: Map<string, PageVisit>;
  moves: Move[];
  edges: Set<string>;
  hidden: Map<string, number>;
  /** the page that is open and since when */
  open: { visit: PageVisit; since: number } | null;
}

function leave(figures: Figures, time: number): void {
  if (figures.open === null) return;
  const { visit, since } = figures.open;
  // Corrected times may run backwards between neighbours; a stay is never negative.
  visit.time_ms = (visit.time_ms ?? 0) + Math.max(0, time - since);
}

function visitOf(figures: Figures, { page_key, cause, jump_rule_key }: Arrival, time: number): PageVisit {
  const known = figures.visits.get(page_key);
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
  figures.visits.set(page_key, visit);
  return visit;
}

function move(figures: Figures, from: PageVisit, { page_key, cause, jump_rule_key }: Arrival, time: number): void {
  const moveCause: MoveCause = cause === "start" ? "restart" : cause;
  if (cause === "skip") from.skipped = true;
  if (cause === "back") from.went_back = true;
  const edge = JSON.stringify([from.page_key, page_key, moveCause, jump_rule_key]);
  const first = !figures.edges.has(edge);
  figures.edges.add(edge);
  const from_page_key = from.page_key;
  figures.moves.push({ from_page_key, to_page_key: page_key, cause: moveCause, jump_rule_key, time, first });
}

function arrive(figures: Figures, arrival: Arrival, time: number): void {
  leave(figures, time);
  if (figures.open !== null) move(figures, figures.open.visit, arrival, time);
  const visit = visitOf(figures, arrival, time);
  visit.entries += 1;
  if (arrival.cause === "jump") visit.entries_by_jump += 1;
  for (const page_key of new Set(arrival.hidden_page_keys)) {
    figures.hidden.set(page_key, (figures.hidden.get(page_key) ?? 0) + 1);
  }
  figures.open = { visit, since: time };
}

/** Rules and hidden pages that the version lacks are left out of the figures (see `checkEvent`). */
function withKnownKeys(quiz: Quiz, rules: ReadonlySet<string>, arrival: Arrival): Arrival {
  const { jump_rule_key } = arrival;
  return {
    ...arrival,
    jump_rule_key: jump_rule_key !== null && rules.has(jump_rule_key) ? jump_rule_key : null,
    hidden_page_keys: arrival.hidden_page_keys.filter((page_key) => quiz.pages.has(page_key)),
  };
}

/**
 * Follows the events that count, by `seq`. The figures stop at the finish (D10); the last page and the number of pages
 * do not.
 */
export function walkPages(quiz: Quiz, events: readonly StoredEvent[], finish: Finish | null): Walk {
  const rules = new Set(quiz.document.jump_rules.map((rule) => rule.jump_rule_key));
  const figures: Figures = { visits: new Map(), moves: [], edges: new Set(), hidden: new Map(), open: null };
  const position = nowhere();
  let finished = false;
  for (const event of events) {
    const arrival = event === finish ? arrivalOfFinish(finish.page_key, position) : arrivalOf(event, position);
    if (arrival !== null) {
      moveTo(position, arrival.page_key);
      if (!finished) arrive(figures, withKnownKeys(quiz, rules, arrival), event.time);
    }
    if (event === finish) {
      leave(figures, event.time);
      finished = true;
    }
  }
  return {
    visits: [...figures.visits.values()],
    moves: figures.moves,
    hidden: Array.from(figures.hidden, ([page_key, times]) => ({ page_key, times })),
    exit_page_key: figures.open?.visit.page_key ?? null,
    pages_visited: position.entered.size,
    last_page_key: position.current,
  };
}
