import type { EnterCause } from "../../contract/storefront.ts";
import type { Quiz } from "../../engine/quiz.ts";
import type { KeptEvent } from "./state.ts";

/** Where a shopper stands: the page that is open, and the pages that were opened so far. */
export interface Position {
  current: string | null;
  readonly entered: Set<string>;
}

export interface Arrival {
  page_key: string;
  cause: EnterCause;
  /** of a jump always, of no other cause */
  jump_rule_key: string | null;
  /** of the version */
  hidden_page_keys: readonly string[];
}

export function moveTo(position: Position, page_key: string): void {
  position.current = page_key;
  position.entered.add(page_key);
}

/** The arrival that nobody reported: the first page of a session is where it starts, any later one comes next. */
function implied(page_key: string, position: Position): Arrival {
  return { page_key, cause: position.current === null ? "start" : "next", jump_rule_key: null, hidden_page_keys: [] };
}

/**
 * The arrival that an event stands for, null for none. An answer on a page not entered yet, cleared or not, counts as
 * entering it [sessions.pages, sessions.reload, sessions.jump-without-rule]. A start on the very page that is open is
 * the page being loaded again, and no arrival; every other `page_entered` is one, even of the open page: then it is a
 * move from the page to itself. A jump by a rule that the version lacks, or by none, came next: each edge of the paths
 * that is a jump has its rule.
 */
export function arrivalOf(quiz: Quiz, event: KeptEvent, position: Position): Arrival | null {
  if (event.type === "answer_saved") {
    return position.entered.has(event.page_key) ? null : implied(event.page_key, position);
  }
  if (event.type !== "page_entered") return null;
  const { page_key, cause, jump_rule_key, hidden_page_keys } = event;
  if (cause === "start" && page_key === position.current) return null;
  const rule = cause === "jump" && quiz.jumpRules.has(jump_rule_key ?? "") ? (jump_rule_key ?? null) : null;
  return {
    page_key,
    cause: cause === "jump" && rule === null ? "next" : cause,
    jump_rule_key: rule,
    hidden_page_keys: (hidden_page_keys ?? []).filter((key) => quiz.pages.has(key)),
  };
}

/** The arrival that a finish which counts stands for: it happens on its page, so the shopper got there. */
export function arrivalOfFinish(page_key: string, position: Position): Arrival | null {
  return position.current === page_key ? null : implied(page_key, position);
}
