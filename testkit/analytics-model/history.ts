import type { QuizDocument } from "../../engine/document.ts";
import type { TimedEvent } from "../histories.ts";

/**
 * All that ever happened in a store, as far as analytics goes: what the naive model answers from, and what `feed.ts` puts
 * into a real one. All times are ms; ids are public ones.
 */
export interface History {
  /** the present; sessions and orders came in some time before it */
  now: number;
  /** ms between the last that came in and the present */
  quiet: number;
  currency: string;
  /** days after a session's start in which an order counts as money [figures.order-window] */
  windowDays: number;
  quizzes: HistoryQuiz[];
  /** whether sessions came in by import: only those move when a quiz counts as live since [figures.live-since] */
  imported: boolean;
  /** in the order in which they arrived */
  sessions: HistorySession[];
  orders: HistoryOrder[];
  catalog: CatalogProduct[];
}

export interface HistoryQuiz {
  /** `quiz_...`, of the store that it was put into */
  id: string;
  name: string;
  /** the oldest first, numbered from 1; the last is live; none: a draft */
  versions: { id: string; document: QuizDocument }[];
  /** when each version was published, in their order */
  publishedAt: number[];
  /** after everything else that happened */
  deleted: boolean;
}

export interface HistorySession {
  /** sess_... */
  id: string;
  /** vis_... */
  visitor: string;
  /** index into `quizzes` */
  quiz: number;
  /** number of the version, from 1 */
  version: number;
  channel: string;
  browser: Browser;
  country: string | null;
  source: Source;
  page: Address;
  placement: string | null;
  preview: boolean;
  /** accepted, each with its corrected time; none is later than the present */
  events: TimedEvent[];
  /** how many of them, in the order in which they are listed, came in the first delivery; the others came in a second */
  firstDelivery: number;
}

/** What a browser sends, and what is to be read from it. */
export interface Browser {
  userAgent: string | null;
  device: "desktop" | "mobile" | "tablet" | "other";
}
export interface Address {
  sent: string | null;
  /** null: nothing */
  kept: string | null;
}
export interface Source {
  referrer: Address;
  utm: Record<"source" | "medium" | "campaign" | "content" | "term", string | null>;
}

export interface HistoryOrder {
  id: number;
  /** whole seconds */
  createdAt: number;
  cancelled: boolean;
  currency: string;
  total: string;
  /** an earlier message about the order said this; null: there was one message only */
  totalBefore: string | null;
  cartSession: string | null;
  cartVisitor: string | null;
  email: string | null;
  /** E.164 */
  phone: string | null;
  lines: HistoryLine[];
}

export interface HistoryLine {
  /** the platform's number; null: a line without a product */
  product: number | null;
  title: string;
  units: number;
  price: string;
  discount: string;
  /** value of its property `_quiz_session`; null: it has none */
  session: string | null;
}

export interface CatalogProduct {
  product: number;
  title: string;
  /** how many variants each message about it named, in order */
  variants: number[];
  deleted: boolean;
}

/** As quizzes and the copy name a product. */
export const productId = (product: number): string => `gid://shopify/Product/${product}`;
