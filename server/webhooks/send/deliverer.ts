import type { DueStatement } from "../../platform/database/database.ts";
import { sql } from "../../platform/database/sql.ts";
import { Deadlines } from "../../platform/deadline.ts";
import { FairQueue } from "../../platform/fair-queue.ts";
import { uuidAt } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { inSharedTime } from "../../platform/own-time.ts";
import { StoreCalendars } from "../../platform/store-calendars.ts";
import { Sender } from "./attempt.ts";
import type { TransactionDeps } from "./claim-and-record.ts";
import { EndpointSender, type EndpointSenderDeps } from "./endpoint-sender.ts";
import { measureSending } from "./metrics.ts";
import { type PermitLimits, SendPermits } from "./permits.ts";

/**
 * Sends due deliveries of all stores: finds endpoints with due deliveries that no process has a lease on, and runs a
 * sender for each. Several processes may do this at the same time.
 */

export interface DelivererDeps extends Omit<TransactionDeps, "holder" | "deadlines"> {
  log: Log;
  /** real time in ms since 1970 */
  unixNow: () => number;
  /** WEBHOOK_ALLOW_HOSTS */
  allowHosts: readonly string[];
  /** for tests, with shorter times and other resolvers; closed with the deliverer */
  sender?: Sender;
  limits?: Partial<PermitLimits>;
}

const defaultLimits: PermitLimits = { total: 512, perEndpoint: 32, failing: 128 };
const transactionsAtOnce = 4;
/** statements that record outcomes at the same time */
const recordsAtOnce = 2;
const endpointsAtOnce = 100;
const sendersAtMost = 1_000;
const looksAtMostMs = 5_000;
/** A delivery due sooner gets its own timer, since the next regular sweep may be a second late. */
const awaitsAtMostMs = 10_000;
/** How long attempts under way may continue when the program stops, in real ms. */
const defaultGraceMs = 10_000;

export class Deliverer {
  readonly #deps: EndpointSenderDeps;
  readonly #calendars: StoreCalendars;
  /** by endpoint id */
  readonly #senders = new Map<string, EndpointSender>();
  /** timers for sweeps in the near future, by endpoint id */
  readonly #awaited = new Map<string, NodeJS.Timeout>();
  #sweeping: Promise<void> | null = null;
  #again = false;
  #stopping = false;

  constructor(options: DelivererDeps) {
    const { calendar, elapsed, random, unixNow, allowHosts, limits = {} } = options;
    this.#calendars = StoreCalendars.over(calendar);
    this.#deps = {
      ...options,
      deadlines: new Deadlines(elapsed),
      holder: uuidAt(calendar.now(), random),
      sender: options.sender ?? new Sender({ allow: allowHosts, unixNow }),
      permits: new SendPermits({ ...defaultLimits, ...limits }),
      transactions: new FairQueue(transactionsAtOnce),
      records: new FairQueue(recordsAtOnce),
      dueIn: (key, milliseconds) => this.#await(key.id, milliseconds),
      ended: ({ key }, moreDue) => {
        this.#senders.delete(key.id);
        if (moreDue) void this.sweep();
      },
    };
    measureSending(() => ({
      endpoints: this.#senders.size,
      attempts: [...this.#senders.values()].reduce((sum, sender) => sum + sender.attemptsUnderWay, 0),
    }));
  }

  /**
   * Looks for due endpoints and starts or wakes their senders; resolves when it has looked, not when everything is
   * sent. Call it once a second and after commits. Never rejects.
   */
  sweep(): Promise<void> {
    this.#again = true;
    this.#sweeping ??= this.#sweepAll().finally(() => {
      this.#sweeping = null;
    });
    return this.#sweeping;
  }

  /** The same, once, for a store with its own calendar: its due deliveries are found only in that calendar's time. */
  async lookIn(storeId: string): Promise<void> {
    if (!this.#stopping) await this.#guarded(() => this.#sweepOnce(storeId));
  }

  /** Starts nothing new, gives attempts under way `graceMs` to end, and releases all leases [webhooks.stop]. */
  async stop(graceMs = defaultGraceMs): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#awaited.values()) clearTimeout(timer);
    await this.#sweeping;
    const senders = [...this.#senders.values()];
    for (const sender of senders) sender.stop();
    const late = setTimeout(() => this.#deps.sender.interrupt(), graceMs);
    await Promise.all(senders.map((sender) => sender.done));
    clearTimeout(late);
    await this.#deps.sender.close();
  }

  #await(endpointId: string, milliseconds: number): void {
    clearTimeout(this.#awaited.get(endpointId));
    this.#awaited.delete(endpointId);
    if (milliseconds > awaitsAtMostMs || this.#stopping) return;
    const later = () => {
      this.#awaited.delete(endpointId);
      void this.sweep();
    };
    this.#awaited.set(endpointId, setTimeout(later, Math.ceil(milliseconds)));
  }

  async #sweepAll(): Promise<void> {
    await this.#guarded(async () => {
      while (this.#again && !this.#stopping) {
        this.#again = false;
        await this.#sweepOnce(null);
      }
    });
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#deps.log.warn({ err: error }, "could not read due webhook endpoints; retrying in the next round");
    }
  }

  async #sweepOnce(timedStore: string | null): Promise<void> {
    const { database, holder, deadlines } = this.#deps;
    // endpoints that already have a sender may all come first
    const atMost = this.#senders.size + endpointsAtOnce;
    const now = new Date(timedStore === null ? this.#calendars.sharedNow() : this.#calendars.of(timedStore).now());
    const query: DueStatement<{ store_id: string; id: string }> = (only) => sql`
      /* due: across stores */
      SELECT store_id, id FROM webhook_endpoints
      WHERE next_due_at <= ${now} AND (lease_until IS NULL OR lease_until <= ${now} OR lease_id = ${holder})
        AND (paused_until IS NULL OR paused_until <= ${now}) ${only}
      ORDER BY next_due_at, store_id, id LIMIT ${atMost}`;
    const found = () => deadlines.within(looksAtMostMs, (deadline) => database.due(query, deadline));
    const due = await (timedStore === null ? inSharedTime(found) : this.#calendars.within({ id: timedStore }, found));
    let added = 0;
    for (const { store_id: storeId, id } of due) {
      if (this.#stopping) return;
      let sender = this.#senders.get(id);
      if (sender === undefined) {
        if (this.#senders.size >= sendersAtMost) continue;
        // the sender outlives this sweep and is driven by events of other stores too, so it must not inherit this
        // store's calendar
        const deps = { ...this.#deps, calendar: this.#calendars.of(storeId) };
        sender = inSharedTime(() => new EndpointSender({ storeId, id }, deps));
        this.#senders.set(id, sender);
        added += 1;
      }
      inSharedTime(() => sender?.wake());
    }
    if (due.length === atMost && added > 0) this.#again = true;
  }
}
