import type { LiveQuiz } from "../live-quiz.ts";
import type { Notice } from "../run/types.ts";
import type { CartLine } from "../view/types.ts";

/** The interfaces between embed.js, its chunks and the page. Types only, so importing them adds no code. */

/** Part of every event of a quiz. */
interface EventBase {
  quiz_id: string;
  /** null before a session runs, and in previews, which have none */
  session_id: string | null;
}

type NoticeOf<Type extends Notice["type"]> = EventBase & Omit<Extract<Notice, { type: Type }>, "type">;

/**
 * `unknown`: no live quiz with that id, or no store with that key; `away`: the server could not be reached; `too_new`:
 * the document contains something unknown to this player; `refused`: the server refuses some events for good;
 * `storage`: the browser stores nothing; `cart`: the shop's cart refused; `failed`: an error in the player or in a
 * handler.
 */
export type ErrorKind = "unknown" | "away" | "too_new" | "refused" | "storage" | "cart" | "failed";

/** The `quizstore:<name>` events of an element, by name. */
export interface QuizEvents {
  /** the quiz was loaded and is about to be drawn */
  ready: EventBase & { name: string; version_id: string | null };
  /** the first page is visible; for a popup or drawer, each time that it opens */
  opened: EventBase;
  page: NoticeOf<"page">;
  answered: NoticeOf<"answered">;
  result: NoticeOf<"result">;
  "product-added": NoticeOf<"product-added">;
  finished: NoticeOf<"finished">;
  /** the popup or drawer was closed, or the element removed from the page */
  closed: EventBase;
  error: EventBase & { kind: ErrorKind; reason: string | null; message: string };
}

export type QuizEventName = keyof QuizEvents;

/** What a handler of `quizstore.cart()` has to add to the shop's cart. */
export interface CartRequest {
  quiz_id: string;
  lines: readonly CartLine[];
  /** the quiz's titles, prices and addresses, by product_id */
  catalog: LiveQuiz["catalog"];
  /** for the shop's order, so that it is attributed to the session; null without the shopper's consent */
  session_id: string | null;
  visitor_id: string | null;
}

/** If the cart refused, it throws, or returns a sentence for the shopper or `false`; anything else means success. */
export type CartHandler = (request: CartRequest) => unknown;

/** A call queued until the script is loaded: a method's name and its arguments. */
export type QueuedCall = ArrayLike<unknown> & Iterable<unknown>;

/** `window.quizstore` once embed.js has run; before that, an array of queued calls. */
export interface QuizStoreApi {
  push(...calls: QueuedCall[]): number;
  /** opens the popup or drawer of a quiz; a quiz that is not on the page gets a popup */
  open(quiz?: string, opener?: Element | null): void;
  /** without an id, closes whichever is open */
  close(quiz?: string): void;
  /** without an id, restarts the open one, else all of the page */
  restart(quiz?: string): void;
  /** returns a function that removes the handler */
  on<Name extends QuizEventName>(
    name: Name,
    handler: (detail: QuizEvents[Name], event: CustomEvent<QuizEvents[Name]>) => void,
  ): () => void;
  consent(granted: boolean): void;
  /** null: removes the handler */
  cart(handler: CartHandler | null): void;
}

/** State shared by all quizzes of a page. */
export interface PageState {
  /** address of embed.js's folder */
  base: string;
  /** the last value passed to `quizstore.consent()`; null: none yet */
  consent: boolean | null;
  cart: CartHandler | null;
  /** the open popup or drawer */
  open: HTMLElement | null;
  /** keys from `keyOfClosed` of popups and drawers that were closed since the page was loaded */
  closed: Set<string>;
  /** the page's campaign, as `utm_...=...`, when embed.js ran: a page without reloads changes its address later */
  landing: string[];
}

/** A quiz mounted in an element. */
export interface Mounted {
  /** shows the popup or drawer; on closing, focus returns to `opener` unless the browser restores it itself */
  open(opener: Element | null): void;
  close(): void;
  restart(): void;
  /** the language or direction changed */
  redraw(): void;
  /** the shopper's consent may have changed */
  consent(): void;
  /** the element left the page, or becomes another quiz */
  unmount(): void;
}

/** Where a quiz is mounted. */
export interface Place {
  element: HTMLElement;
  root: ShadowRoot;
  page: PageState;
  /** its first rule reserves space for an inline quiz until the shopper leaves the first page */
  room: CSSStyleSheet | null;
}

/** The interface of the chunk for popups and drawers that were not opened yet. */
export interface WaitingChunk {
  wait(element: HTMLElement, page: PageState, open: () => void, signal: AbortSignal): void;
}

/** The interface of the main chunk for embed.js. */
export interface MainChunk {
  mount(place: Place): Promise<Mounted>;
}

declare global {
  interface Window {
    quizstore?: QuizStoreApi | QueuedCall[];
  }
}
