import type { EventTopic } from "../../contract/events.ts";
import type { ShopperEvent } from "../../contract/storefront.ts";
import type { HistoryOrder, HistorySession } from "../../testkit/analytics-model/history.ts";
import type { TimedEvent } from "../../testkit/histories.ts";
import { PeopleModel } from "../../testkit/people-model.ts";
import type { Edition, ScriptStep } from "./documents.ts";

/** What the simulation knows for certain: what was acknowledged, and what it must have led to. */

export interface KnownVersion {
  /** public id */
  id: string;
  edition: Edition;
  publishedAt: number;
  /** the app has read it: its batches take no other way than those of other versions */
  warm: boolean;
}

export interface KnownQuiz {
  /** public id */
  id: string;
  name: string;
  /** which row of `editions` */
  kind: number;
  versions: KnownVersion[];
  archived: boolean;
  deleted: boolean;
}

/** An event that a browser has made. `at`: calendar ms at which it happened. */
export interface Made {
  event: ShopperEvent;
  at: number;
  /** why the event alone is refused; null: it is sound */
  refused: string | null;
}

export interface KnownSession {
  id: string;
  visitor: string;
  quiz: KnownQuiz;
  version: number;
  preview: boolean;
  facts: Pick<HistorySession, "channel" | "browser" | "country" | "source" | "page" | "placement">;
  /** ms that the browser's clock is off */
  skew: number;
  steps: readonly ScriptStep[];
  next: number;
  made: number;
  lastAt: number;
  /** made and not sent yet */
  held: Made[];
  /** sent last: sent again now and then */
  last: Made[];
  over: boolean;
  /** by event id; what the store has said it has */
  kept: Map<string, TimedEvent>;
  /** index into the model of people; null: a preview, or nothing is kept yet */
  person: number | null;
  erased: boolean;
}

export interface KnownEndpoint {
  id: string;
  urls: string[];
  topics: Set<EventTopic>;
  /** every topic that it was ever subscribed to */
  everHeard: Set<string>;
  includePii: boolean;
  /** contacts were taken out of what waited, once at least */
  stripped: boolean;
  quizIds: string[] | null;
  enabled: boolean;
  deleted: boolean;
  /** newest first; `until`: calendar ms */
  secrets: { text: string; until: number }[];
  /** elapsed ms of the last change of any of this: what was in hand then may still be sent for a moment */
  changedAt: number;
}

export interface KnownOrder extends HistoryOrder {
  updatedAt: number;
}

export interface KnownExport {
  /** of the people of a search only */
  searched: boolean;
  id: string;
  dataset: string;
  format: string;
  /** rows that the file must have; null: not known */
  rows: number | null;
}

export class Shop {
  readonly marker: string;
  readonly store: {
    id: string;
    uuid: string;
    publishableKey: string;
    commerceSecret: string;
    key: string;
    domain: string;
  };
  readonly quizzes: KnownQuiz[] = [];
  readonly sessions: KnownSession[] = [];
  readonly endpoints: KnownEndpoint[] = [];
  readonly orders = new Map<number, KnownOrder>();
  readonly exports = new Map<string, KnownExport>();
  readonly people = new PeopleModel([]);
  /** events that people caused, by topic, as the model has them */
  readonly caused = new Map<string, number>();
  /** contacts of people who were erased: nobody types them again */
  readonly erased = new Set<string>();
  /** elapsed ms at the last erasure */
  erasedAt = Number.NEGATIVE_INFINITY;
  plan: "plus" | "other" = "plus";
  messages = 0;
  /** every round of batches was taken in one transaction, as the model takes it */
  grouped = true;

  constructor(marker: string, store: Shop["store"]) {
    this.marker = marker;
    this.store = store;
  }

  /** Whether people and orders are as the models have them: an erasure takes away what the models would go on with. */
  get exact(): boolean {
    return this.erased.size === 0 && !this.everErased;
  }
  everErased = false;

  get live(): KnownQuiz[] {
    return this.quizzes.filter((quiz) => !quiz.deleted);
  }

  get present(): KnownEndpoint[] {
    return this.endpoints.filter((endpoint) => !endpoint.deleted);
  }

  /** Sessions of which anything was kept, in the order in which they arrived. */
  readonly arrived: KnownSession[] = [];
}

/** In the order of the reducer. */
export const inSeq = (events: Iterable<TimedEvent>): TimedEvent[] =>
  [...events].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1));
