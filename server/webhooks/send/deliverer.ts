import type { Database } from "../../platform/database/database.ts";
import { sql } from "../../platform/database/sql.ts";
import { Deadlines } from "../../platform/deadline.ts";
import { uuidAt } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { Sender } from "./attempt.ts";
import { Lane, type LaneDeps } from "./lane.ts";
import { measureSending } from "./metrics.ts";
import { SendSlots, type SlotLimits, TurnQueue } from "./slots.ts";
import type { TurnDeps } from "./turn.ts";

/**
 * Sends what is due, over all stores: looks for endpoints with due deliveries that nobody has a lease of, and runs a lane
 * for each. Any number of processes may do so at once.
 */

export interface DelivererDeps extends Omit<TurnDeps, "holder" | "deadlines"> {
  log: Log;
  /** real time, ms since 1970 */
  unixNow: () => number;
  /** WEBHOOK_ALLOW_HOSTS */
  allowHosts: readonly string[];
  /** tests give their own, with shorter times and other resolvers; it is closed with the deliverer */
  sender?: Sender;
  limits?: Partial<SlotLimits>;
}

const defaultLimits: SlotLimits = { total: 512, perEndpoint: 32, failing: 128 };
/** transactions at once */
const turnsAtOnce = 4;
/** statements that record outcomes at once */
const recordsAtOnce = 2;
const endpointsAtOnce = 100;
const lanesAtMost = 1_000;
const looksAtMostMs = 5_000;
/** What falls due sooner is not left to the next regular look, which may be a second late. */
const awaitsAtMostMs = 10_000;
/** What is under way when the program stops has this long to end, ms of real time. */
const defaultGraceMs = 10_000;

export class Deliverer {
  readonly #database: Database;
  readonly #deps: LaneDeps;
  readonly #lanes = new Map<string, Lane>();
  /** by endpoint */
  readonly #awaited = new Map<string, NodeJS.Timeout>();
  #looking: Promise<void> | null = null;
  #again = false;
  #stopping = false;

  constructor(options: DelivererDeps) {
    const { database, calendar, elapsed, random, unixNow, allowHosts, limits = {} } = options;
    this.#database = database;
    this.#deps = {
      ...options,
      deadlines: new Deadlines(elapsed),
      holder: uuidAt(calendar.now(), random),
      sender: options.sender ?? new Sender({ allow: allowHosts, unixNow }),
      slots: new SendSlots({ ...defaultLimits, ...limits }),
      turns: new TurnQueue(turnsAtOnce),
      records: new TurnQueue(recordsAtOnce),
      dueIn: (key, milliseconds) => this.#await(key.id, milliseconds),
      left: (lane, moreDue) => {
        this.#lanes.delete(lane.key.id);
        if (moreDue) void this.look();
      },
    };
    measureSending(() => ({
      lanes: this.#lanes.size,
      attempts: [...this.#lanes.values()].reduce((sum, lane) => sum + lane.flying, 0),
    }));
  }

  /**
   * Looks for due endpoints and sees to them; resolves when it has looked, not when all is sent. To be called once a
   * second, and when something was committed. Never rejects.
   */
  look(): Promise<void> {
    this.#again = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Begins nothing new, gives what is under way `graceMs` to end, and gives all leases back. */
  async stop(graceMs = defaultGraceMs): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#awaited.values()) clearTimeout(timer);
    await this.#looking;
    const lanes = [...this.#lanes.values()];
    for (const lane of lanes) lane.stop();
    const late = setTimeout(() => this.#deps.sender.interrupt(), graceMs);
    await Promise.all(lanes.map((lane) => lane.done));
    clearTimeout(late);
    await this.#deps.sender.close();
  }

  #await(endpointId: string, milliseconds: number): void {
    clearTimeout(this.#awaited.get(endpointId));
    this.#awaited.delete(endpointId);
    if (milliseconds > awaitsAtMostMs || this.#stopping) return;
    const look = () => {
      this.#awaited.delete(endpointId);
      void this.look();
    };
    this.#awaited.set(endpointId, setTimeout(look, Math.ceil(milliseconds)));
  }

  async #look(): Promise<void> {
    try {
      while (this.#again && !this.#stopping) {
        this.#again = false;
        await this.#lookOnce();
      }
    } catch (error) {
      this.#deps.log.warn({ err: error }, "due webhook endpoints could not be read; the next round tries again");
    }
  }

  async #lookOnce(): Promise<void> {
    const { calendar, holder, deadlines } = this.#deps;
    // those that have a lane already may come first, all of them
    const atMost = this.#lanes.size + endpointsAtOnce;
    const now = new Date(calendar.now());
    const deadline = deadlines.open(looksAtMostMs);
    const due = await this.#database
      .due(
        (only) => sql<{ store_id: string; id: string }>`
          /* due: across stores */
          SELECT store_id, id FROM webhook_endpoints
          WHERE next_due_at <= ${now} AND (lease_until IS NULL OR lease_until <= ${now} OR lease_id = ${holder})
            AND (paused_until IS NULL OR paused_until <= ${now}) ${only}
          ORDER BY next_due_at, store_id, id LIMIT ${atMost}`,
        deadline,
      )
      .finally(() => deadlines.close(deadline));
    let added = 0;
    for (const { store_id: storeId, id } of due) {
      if (this.#stopping) return;
      let lane = this.#lanes.get(id);
      if (lane === undefined) {
        if (this.#lanes.size >= lanesAtMost) continue;
        lane = new Lane({ storeId, id }, this.#deps);
        this.#lanes.set(id, lane);
        added += 1;
      }
      lane.prod();
    }
    if (due.length === atMost && added > 0) this.#again = true;
  }
}
