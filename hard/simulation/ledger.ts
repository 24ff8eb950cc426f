import type { EventTopic } from "../../contract/events.ts";
import type { ShopperEvent } from "../../contract/storefront.ts";
import type { HistoryOrder, HistorySession } from "../../testkit/analytics-model/history.ts";
import type { TimedEvent } from "../../testkit/histories.ts";
import { PeopleModel } from "../../testkit/people-model.ts";
import type { Edition, ScriptStep } from "./documents.ts";

/** What the simulation knows for certain: what was acknowledged, and its necessary consequences. */

export interface KnownVersion {
  /** public id */
  id: string;
  edition: Edition;
  publishedAt: number;
  /** whether the app has read it: its batches then take the same path as those of other versions */
  warm: boolean;
}

export interface KnownQuiz {
  /** public id */
  id: string;
  name: string;
  /** index of its row in `editions` */
  kind: number;
  versions: KnownVersion[];
  archived: boolean;
  deleted: boolean;
}

/** An event that a browser has created. `at`: calendar ms at which it happened. */
export interface Made {
  event: ShopperEvent;
  at: number;
  /** the reason for which the event by itself is rejected; null: it is valid */
  refused: string | null;
}

export interface KnownSession {
  id: string;
  visitor: string;
  quiz: KnownQuiz;
  version: number;
  preview: boolean;
  facts: Pick<HistorySession, "channel" | "browser" | "country" | "source" | "page" | "placement">;
  /** error of the browser's clock, in ms */
  skew: number;
  steps: readonly ScriptStep[];
  next: number;
  made: number;
  lastAt: number;
  /** created but not sent yet */
  held: Made[];
  /** the last batch, which is sent again now and then */
  last: Made[];
  over: boolean;
  /** by event id: the events that the store has acknowledged */
  kept: Map<string, TimedEvent>;
  /** index in the people model; null: a preview, or nothing has been stored yet */
  person: number | null;
  erased: boolean;
}

export interface KnownEndpoint {
  id: string;
  urls: string[];
  topics: Set<EventTopic>;
  /** every topic to which it was ever subscribed */
  everHeard: Set<string>;
  includePii: boolean;
  /** whether contacts were ever removed from its waiting deliveries */
  stripped: boolean;
  quizIds: string[] | null;
  enabled: boolean;
  deleted: boolean;
  /** newest first; `until`: calendar ms */
  secrets: { text: string; until: number }[];
  /** elapsed ms of the last change of any of this: deliveries in progress then may still be sent for a moment */
  changedAt: number;
}

export interface KnownOrder extends HistoryOrder {
  updatedAt: number;
}

export interface KnownExport {
  /** whether it only has the people of a search */
  searched: boolean;
  id: string;
  dataset: string;
  format: string;
  /** expected number of rows in the file; null: unknown */
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
  /** number of events that people caused, by topic, according to the model */
  readonly caused = new Map<string, number>();
  /** contacts of erased people: they are not typed again */
  readonly erased = new Set<string>();
  /** elapsed ms at the last erasure */
  erasedAt = Number.NEGATIVE_INFINITY;
  plan: "plus" | "other" = "plus";
  messages = 0;
  /** whether every round of batches was committed in one transaction, as the model assumes */
  grouped = true;

  constructor(marker: string, store: Shop["store"]) {
    this.marker = marker;
    this.store = store;
  }

  /** Whether people and orders match the models: an erasure removes data on which the models rely. */
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

  /** Sessions with stored events, in order of arrival. */
  readonly arrived: KnownSession[] = [];
}

/** In the reducer's order. */
export const inSeq = (events: Iterable<TimedEvent>): TimedEvent[] =>
  [...events].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1));
