import type { LiveQuiz } from "../live-quiz.ts";
import type { Notice } from "../run/types.ts";
import type { CartLine } from "../view/types.ts";

/** What embed.js, its chunks and the page around them say to each other. Types only: whoever reads them pays nothing. */

/** In every event of a quiz. */
interface Told {
  quiz_id: string;
  /** null before a session runs, and in previews, which have none */
  session_id: string | null;
}

type NoticeOf<Type extends Notice["type"]> = Told & Omit<Extract<Notice, { type: Type }>, "type">;

/**
 * `unknown`: no live quiz of that id, or no store of that key; `away`: the server could not be reached; `too_new`: the
 * document holds what this player does not know; `refused`: the server takes some events at no time; `storage`: the
 * browser keeps nothing; `cart`: the shop's cart took nothing; `failed`: a fault of the player or of a handler.
 */
export type ErrorKind = "unknown" | "away" | "too_new" | "refused" | "storage" | "cart" | "failed";

/** `quizstore:<name>` events of an element, by name. */
export interface QuizEvents {
  /** the quiz is there and is about to be drawn */
  ready: Told & { name: string; version_id: string | null };
  /** its first page is before the shopper; of a popup or drawer each time that it opens */
  opened: Told;
  page: NoticeOf<"page">;
  answered: NoticeOf<"answered">;
  result: NoticeOf<"result">;
  "product-added": NoticeOf<"product-added">;
  finished: NoticeOf<"finished">;
  /** the popup or drawer was closed, or the element taken out of the page */
  closed: Told;
  error: Told & { kind: ErrorKind; reason: string | null; message: string };
}

export type QuizEventName = keyof QuizEvents;

/** What a handler of `quizstore.cart()` is asked to put into the shop's cart. */
export interface CartRequest {
  quiz_id: string;
  lines: readonly CartLine[];
  /** of the quiz: titles, prices and addresses by product_id */
  catalog: LiveQuiz["catalog"];
  /** for the shop's order, so that it is counted for the session; null without the shopper's consent */
  session_id: string | null;
  visitor_id: string | null;
}

/** Throws, or gives a sentence for the shopper or `false`, where the cart took nothing; anything else means that it did. */
export type CartHandler = (request: CartRequest) => unknown;

/** A call put off until the script is there: the name of a method and what it is given. */
export type QueuedCall = ArrayLike<unknown> & Iterable<unknown>;

/** `window.quizstore` once embed.js has run; before, it is an array of the calls to make. */
export interface QuizStoreApi {
  push(...calls: QueuedCall[]): number;
  /** by the id of a quiz: its popup or drawer opens; one that the page does not have becomes a popup */
  open(quiz?: string, opener?: Element | null): void;
  /** without an id whichever is open */
  close(quiz?: string): void;
  /** without an id the one that is open, else all of the page */
  restart(quiz?: string): void;
  /** gives what takes the handler away again */
  on<Name extends QuizEventName>(
    name: Name,
    handler: (detail: QuizEvents[Name], event: CustomEvent<QuizEvents[Name]>) => void,
  ): () => void;
  consent(granted: boolean): void;
  /** null: none any more */
  cart(handler: CartHandler | null): void;
}

/** What all quizzes of a page share. */
export interface PageState {
  /** address of the folder that embed.js lies in */
  base: string;
  /** what `quizstore.consent()` was last given; null: nothing yet */
  consent: boolean | null;
  cart: CartHandler | null;
  /** the popup or drawer that is open */
  open: HTMLElement | null;
  /** by `keyOfClosed`: quizzes whose popup or drawer was closed since the page was loaded */
  closed: Set<string>;
}

/** A quiz that was put into an element. */
export interface Mounted {
  /** shows the popup or drawer; focus returns to `opener` where the browser knows nothing better */
  open(opener: Element | null): void;
  close(): void;
  restart(): void;
  /** the language or direction is another one */
  redraw(): void;
  /** what the shopper agreed to may be another */
  consent(): void;
  /** the element has left the page, or becomes another quiz */
  unmount(): void;
}

/** Where a quiz is put. */
export interface Place {
  element: HTMLElement;
  root: ShadowRoot;
  page: PageState;
  /** its first rule holds room for a quiz of the page until the shopper goes on from the first page */
  room: CSSStyleSheet | null;
}

/** The main chunk, as embed.js finds it. */
export interface MainChunk {
  mount(place: Place): Promise<Mounted>;
}

declare global {
  interface Window {
    quizstore?: QuizStoreApi | QueuedCall[];
  }
}
