import { randomBytes, randomUUID } from "node:crypto";
import { type Answer, request } from "./http.ts";

/**
 * A shopper's browser: sessions and batches of events in the storefront API's form. It only knows the program's API,
 * while testkit/storefront.ts sends to an app in the same process, with its own clock.
 */

export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString("hex")}`;

export interface StorefrontEvent {
  id: string;
  seq: number;
  at: string;
  type: string;
  [field: string]: unknown;
}

export interface Batch {
  store: string;
  sent_at: string;
  session: Record<string, unknown>;
  events: StorefrontEvent[];
}

export interface Taken {
  accepted: number;
  duplicates: number;
  rejected: { id: string; reason: string }[];
}

/** Where a visit takes place: a live quiz and its store. */
export interface Live {
  url: string;
  store: string;
  quiz_id: string;
  version_id: string;
}

export interface VisitOptions {
  /** Time of the first event; a minute ago by default. */
  from?: number;
  /** Milliseconds between events. */
  step?: number;
  session?: Record<string, unknown>;
  headers?: Record<string, string>;
}

export class Visit {
  readonly session: Record<string, unknown> & { id: string };
  readonly live: Live;
  readonly headers: Record<string, string>;
  readonly step: number;
  now: number;
  seq = 0;

  constructor(live: Live, options: VisitOptions = {}) {
    const { quiz_id, version_id } = live;
    this.live = live;
    this.now = options.from ?? Date.now() - 60_000;
    this.step = options.step ?? 1000;
    this.headers = options.headers ?? {};
    this.session = {
      ...{ id: newId("sess"), visitor_id: newId("vis"), quiz_id, version_id, channel: "embed", placement: "home" },
      ...{ page_url: "https://shop.example/pages/quiz?x=1", referrer: "https://search.example/", preview: false },
      utm: { source: "news", medium: "email", campaign: "june", content: null, term: null },
      ...options.session,
    };
  }

  /** The session's next event; advances `seq` and `at`. `over` replaces any field. */
  event(type: string, fields: Record<string, unknown> = {}): StorefrontEvent {
    const event = { id: `evt_${randomUUID()}`, seq: this.seq, at: new Date(this.now).toISOString(), type, ...fields };
    this.seq += 1;
    this.now += this.step;
    return event;
  }

  opened(): StorefrontEvent {
    return this.event("quiz_opened");
  }

  entered(page_key: string, cause = "next", more: Record<string, unknown> = {}): StorefrontEvent {
    return this.event("page_entered", { page_key, cause, ...more });
  }

  chose(page_key: string, component_key: string, ...option_ids: string[]): StorefrontEvent {
    return this.event("answer_saved", { page_key, component_key, option_ids });
  }

  wrote(page_key: string, component_key: string, value: unknown, consent?: boolean | null): StorefrontEvent {
    const ticked = consent === undefined ? {} : { consent };
    return this.event("answer_saved", { page_key, component_key, value, ...ticked });
  }

  shown(page_key: string, block_key: string, products: readonly Record<string, unknown>[]): StorefrontEvent {
    return this.event("products_shown", { page_key, block_key, products });
  }

  finished(page_key: string): StorefrontEvent {
    return this.event("quiz_finished", { page_key });
  }

  /** Lets time pass before the next event. */
  idle(minutes: number): this {
    this.now += minutes * 60_000;
    return this;
  }

  batch(events: readonly StorefrontEvent[], over: Record<string, unknown> = {}): Batch {
    const sent_at = new Date(Math.max(Date.now(), this.now)).toISOString();
    return { store: this.live.store, sent_at, session: this.session, events: [...events], ...over };
  }

  /** One line of an import, with the visit's own time as its sending time. */
  line(events: readonly StorefrontEvent[]): string {
    return JSON.stringify(this.batch(events, { sent_at: new Date(this.now).toISOString() }));
  }

  send(...events: StorefrontEvent[]): Promise<Answer<Taken>> {
    return this.post(this.batch(events));
  }

  post(body: unknown, headers: Record<string, string> = {}): Promise<Answer<Taken>> {
    const all = { ...this.headers, ...headers };
    return request(`${this.live.url}/storefront/v1/events`, { method: "POST", headers: all, body });
  }
}
