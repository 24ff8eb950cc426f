import type { EnterCause } from "../../contract/storefront.ts";
import type { StoredEvent } from "./state.ts";

/** Where a shopper stands: the page that is open, and the pages that were opened so far. */
export interface Position {
  current: string | null;
  readonly entered: Set<string>;
}

export interface Arrival {
  page_key: string;
  cause: EnterCause;
  jump_rule_key: string | null;
  hidden_page_keys: readonly string[];
}

export const nowhere = (): Position => ({ current: null, entered: new Set() });

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
 * entering it (storefront 2). A start on the very page that is open is the page being loaded again, and no arrival;
 * every other `page_entered` is one, even of the open page: then it is a move from the page to itself.
 */
export function arrivalOf(event: StoredEvent, position: Position): Arrival | null {
  if (event.type === "answer_saved") {
    return position.entered.has(event.page_key) ? null : implied(event.page_key, position);
  }
  if (event.type !== "page_entered") return null;
  if (event.cause === "start" && event.page_key === position.current) return null;
  return {
    page_key: event.page_key,
    cause: event.cause,
    jump_rule_key: event.cause === "jump" ? (event.jump_rule_key ?? null) : null,
    hidden_page_keys: event.hidden_page_keys ?? [],
  };
}

/** The arrival that a finish which counts stands for: it happens on its page, so the shopper got there. */
export function arrivalOfFinish(page_key: string, position: Position): Arrival | null {
  return position.current === page_key ? null : implied(page_key, position);
}
