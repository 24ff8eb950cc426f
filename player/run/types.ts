import type { ShopperEvent } from "../../contract/storefront.ts";
import type { RawAnswer } from "../../engine/answers.ts";
import type { Answers, AnswerValue, Page } from "../../engine/document.ts";
import type { MissingAnswer } from "../../engine/missing.ts";
import type { ShownProduct } from "../../engine/products.ts";

/** An event as the run makes it; whoever keeps it adds `id`, `seq` and `at`. */
type Bare<Event> = Event extends ShopperEvent ? Omit<Event, "id" | "seq" | "at"> : never;
export type NewEvent = Bare<ShopperEvent>;

/** What a screen, and the page around it, hear of a run. */
export type Notice =
  | { type: "page"; page_key: string; position: number; of: number }
  | { type: "answered"; page_key: string; component_key: string; answer: AnswerValue | null }
  | {
      type: "result";
      page_key: string;
      winner: Winner | null;
      points: Record<string, number>;
      products: ShownProduct[];
    }
  | { type: "product-added"; product_id: string; variant_id: string | null; quantity: number }
  /** the finish counts, as the server counts it */
  | { type: "finished"; page_key: string };

export interface Winner {
  dimension_id: string;
  name: string;
}

/** What is kept of a run, so that it goes on after a reload. Plain JSON. */
export interface SavedRun {
  page_key: string | null;
  /** pages to which Back leads, the nearest last */
  trail: string[];
  /** pages that were ever entered in the session */
  entered: string[];
  answers: [component_key: string, answer: AnswerValue][];
  consents: [component_key: string, consent: boolean | null][];
  /** pages left by Skip */
  skipped: string[];
  /** product blocks that were reported, as JSON of what they showed */
  shown: [block_key: string, products: string][];
  /** pages on which a finish was reported, the earliest first */
  finishes: string[];
  finished: boolean;
  ended: boolean;
  /** missing in what an earlier player kept */
  closed?: boolean;
  progress: number;
}

/** Where a run stands, for a screen to draw. A new object after each change, so that screens compare by identity. */
export interface RunView {
  /** null: the quiz has no visible page */
  page: Page | null;
  /** pages on the way here, with this one; 0 without a page */
  position: number;
  /** those, and the ones that are still to come as the answers stand */
  of: number;
  /**
   * how far the shopper has come, 0 to 1: pages that an answer brings up do not take it back, only Back does
   * [player.progress]
   */
  progress: number;
  answers: Answers;
  consents: ReadonlyMap<string, boolean | null>;
  /** values of the formulas of the page by component_key; null: it has none */
  formulas: ReadonlyMap<string, number | null>;
  /** products of the page's blocks by block_key */
  products: ReadonlyMap<string, readonly ShownProduct[]>;
  winner: Winner | null;
  points: Readonly<Record<string, number>>;
  canGoBack: boolean;
  canSkip: boolean;
  /**
   * nothing comes after this page: its button finishes the quiz, or there is none on a result page
   * [player.finish-button]
   */
  isLast: boolean;
  /** the finish button of this page was pressed, and the shopper did not go back or change anything since */
  ended: boolean;
  /** the finish counts: an answer was given, and no question is missing on the pages that were visited */
  finished: boolean;
}

/**
 * One shopper's way through one version of a quiz: no screen, no network, no clock, no storage [player.engine-decides].
 */
export interface Run {
  readonly view: RunView;
  readonly saved: SavedRun;
  /** opens the quiz and enters its first page; nothing where the run was saved on a page [player.first-page] */
  start(): void;
  /**
   * what the shopper typed or chose on a page that was entered: taken, or why not; cleared by null, blank text and an
   * empty list [player.answers]
   */
  answer(component_key: string, raw: RawAnswer, consent?: boolean | null): "ok" | "invalid_value" | "unknown_option";
  /** goes on, or says what is missing on this page and stays; on the last page it finishes [player.required] */
  next(): readonly MissingAnswer[];
  /** leaves a page that may be skipped, whatever is missing on it [player.skip] */
  skip(): void;
  /** to the page before; from the end to the last page, which tells nothing */
  back(): void;
  addProduct(product_id: string, variant_id: string | null, quantity: number): void;
  /** the popup was closed, or the page left; whatever follows opens it again [player.close] */
  close(): void;
  /** ends this run; the next one begins with a session of that id [player.restart] */
  restart(next_session_id: string): void;
  /** tells the way so far anew, for a session that begins in the middle of it */
  replay(): void;
  /** called before something that the shopper does changes the run */
  onAct(hear: () => void): () => void;
  on(hear: (notice: Notice) => void): () => void;
  onEvent(hear: (event: NewEvent) => void): () => void;
  onView(hear: (view: RunView) => void): () => void;
}
