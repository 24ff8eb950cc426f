import type { QuizDocument } from "../../engine/document.ts";
import type { TimedEvent } from "../histories.ts";

/**
 * Everything that ever happened in a store, as far as analytics is concerned: the naive model computes its answers from
 * it, and `feed.ts` feeds it into a real store. All times are ms; ids are public ones.
 */
export interface History {
  /** the present; the last sessions and orders arrived some time before it */
  now: number;
  /** ms between the last arrival and the present */
  quiet: number;
  currency: string;
  /** days after a session's start within which an order counts as revenue [figures.order-window] */
  windowDays: number;
  quizzes: HistoryQuiz[];
  /** whether sessions were imported: only those change since when a quiz counts as live [figures.live-since] */
  imported: boolean;
  /** in order of arrival */
  sessions: HistorySession[];
  orders: HistoryOrder[];
  catalog: CatalogProduct[];
}

export interface HistoryQuiz {
  /** `quiz_...`, as assigned by the store */
  id: string;
  name: string;
  /** oldest first, numbered from 1; the last is live; none: a draft */
  versions: { id: string; document: QuizDocument }[];
  /** publishing time of each version, in the same order */
  publishedAt: number[];
  /** deleted after everything else */
  deleted: boolean;
}

export interface HistorySession {
  /** `sess_...` */
  id: string;
  /** `vis_...` */
  visitor: string;
  /** index into `quizzes` */
  quiz: number;
  /** the version's number, from 1 */
  version: number;
  channel: string;
  browser: Browser;
  country: string | null;
  /** as a proxy sends it */
  region: string | null;
  source: Source;
  page: Address;
  placement: string | null;
  preview: boolean;
  /** accepted events, each with its corrected time, which is not later than the present */
  events: TimedEvent[];
  /** how many of them, in list order, came in the first delivery; the others came in a second */
  firstDelivery: number;
}

/** A browser's headers, and the device facts expected from them. */
export interface Browser {
  userAgent: string | null;
  device: "desktop" | "mobile" | "tablet" | "other";
}
export interface Address {
  sent: string | null;
  /** null: none */
  kept: string | null;
}
export interface Source {
  referrer: Address;
  utm: Record<"source" | "medium" | "campaign" | "content" | "term", string | null>;
}

export interface HistoryOrder {
  id: number;
  /** in whole seconds */
  createdAt: number;
  cancelled: boolean;
  /** paid back later: of the whole order, and of the first line */
  refunds: { amount: string; ofLine: string }[];
  currency: string;
  total: string;
  /** the total in an earlier message about the order; null: there was only one message */
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
  /** value of its property `_quiz_session`; null: not set */
  session: string | null;
}

export interface CatalogProduct {
  product: number;
  title: string;
  /** the number of variants in each message about it, in order */
  variants: number[];
  deleted: boolean;
}

/** A product's id in quizzes and the copy. */
export const productId = (product: number): string => `gid://shopify/Product/${product}`;
