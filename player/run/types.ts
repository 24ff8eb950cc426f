import type { ShopperEvent } from "../../contract/storefront.ts";
import type { RawAnswer } from "../../engine/answers.ts";
import type { Answers, AnswerValue, Page } from "../../engine/document.ts";
import type { MissingAnswer } from "../../engine/missing.ts";
import type { ShownProduct } from "../../engine/products.ts";

/** An event as the run emits it; the recorder adds `id`, `seq` and `at`. */
type Bare<Event> = Event extends ShopperEvent ? Omit<Event, "id" | "seq" | "at"> : never;
export type NewEvent = Bare<ShopperEvent>;

/** What a run tells the screen and the page around it. */
export type Notice =
  | { type: "page"; page_key: string; position: number; of: number }
  | { type: "answered"; page_key: string; component_key: string; answer: AnswerValue | null }
  | {
      type: "result";
      page_key: string;
      winner: Winner | null;
      points: Record<string, number>;
      products: ShownProduct[];
      outcome: { page_key: string; dimension_id: string | null; name: string };
    }
  | { type: "product-added"; product_id: string; variant_id: string | null; quantity: number }
  /** the finish counts, by the server's conditions */
  | { type: "finished"; page_key: string };

export interface Winner {
  dimension_id: string;
  name: string;
}

/** The stored state of a run, from which it continues after a reload. Plain JSON. */
export interface SavedRun {
  page_key: string | null;
  /** pages that Back returns to, the nearest last */
  trail: string[];
  /** pages that were ever entered in the session */
  entered: string[];
  answers: [component_key: string, answer: AnswerValue][];
  consents: [component_key: string, consent: boolean | null][];
  /** pages left by Skip */
  skipped: string[];
  /** reported product blocks, with the products as JSON */
  shown: [block_key: string, products: string][];
  /** pages whose finish was reported, in order */
  finishes: string[];
  finished: boolean;
  ended: boolean;
  /** products in the cart; this and the next are missing in states stored by an earlier player */
  added?: string[];
  closed?: boolean;
  progress: number;
}

/** The state of a run for a screen to draw. A new object after each change, so that screens can compare by identity. */
export interface RunView {
  /** null: the quiz has no visible page */
  page: Page | null;
  /** number of pages on the way here, including this one; 0 without a page */
  position: number;
  /** that number plus the pages still to come with the current answers */
  of: number;
  /** progress from 0 to 1: pages that an answer adds do not reduce it, only Back does [player.progress] */
  progress: number;
  answers: Answers;
  consents: ReadonlyMap<string, boolean | null>;
  /** values of the formulas of the page by component_key; null: the formula has no value */
  formulas: ReadonlyMap<string, number | null>;
  /** products of the page's blocks by block_key */
  products: ReadonlyMap<string, readonly ShownProduct[]>;
  /** ids of products that this run added to the cart */
  added: ReadonlySet<string>;
  winner: Winner | null;
  points: Readonly<Record<string, number>>;
  canGoBack: boolean;
  canSkip: boolean;
  /**
   * nothing comes after this page: its button finishes the quiz; a result page then has no button
   * [player.finish-button]
   */
  isLast: boolean;
  /** this page's finish button was pressed, and the shopper neither went back nor changed anything since */
  ended: boolean;
  /** the finish counts: there is an answer, and no required one is missing on the visited pages */
  finished: boolean;
}

/**
 * One shopper's way through one version of a quiz: no screen, no network, no clock, no storage [player.engine-decides].
 */
export interface Run {
  readonly view: RunView;
  readonly saved: SavedRun;
  /** opens the quiz and enters its first page; does nothing if the saved run is on a page [player.first-page] */
  start(): void;
  /**
   * sets the answer on a page that was entered, or returns why not; null, blank text and an empty list clear it
   * [player.answers]
   */
  answer(component_key: string, raw: RawAnswer, consent?: boolean | null): "ok" | "invalid_value" | "unknown_option";
  /** goes to the next page, or stays and returns what is missing; on the last page it finishes [player.required] */
  next(): readonly MissingAnswer[];
  /** leaves a page that may be skipped, whatever is missing on it [player.skip] */
  skip(): void;
  /** goes to the previous page; from the end to the last page, without an event */
  back(): void;
  addProduct(product_id: string, variant_id: string | null, quantity: number): void;
  /** the popup was closed, or the page left; any later action reopens it [player.close] */
  close(): void;
  /** ends this run; the next one has a session with this id [player.restart] */
  restart(next_session_id: string): void;
  /** derives the view anew, after the quiz's blocks changed */
  completeStep(): void;
  /** reports the way so far again, for a session that begins in the middle of it */
  replay(): void;
  /** called before an action of the shopper changes the run */
  onAct(hear: () => void): () => void;
  on(hear: (notice: Notice) => void): () => void;
  onEvent(hear: (event: NewEvent) => void): () => void;
  onView(hear: (view: RunView) => void): () => void;
}
