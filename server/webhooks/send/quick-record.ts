import type { Database } from "../../platform/database/database.ts";
import type { Deadlines } from "../../platform/deadline.ts";
import type { Log } from "../../platform/log.ts";
import { type Claimed, type EndpointKey, type Settled, settleDelivered } from "./delivery-rows.ts";
import type { TurnQueue } from "./slots.ts";

/**
 * Writes down at once what arrived at an endpoint that works. Whatever is not written down when a worker is killed is sent
 * a second time by the next one: outcomes that waited a tenth of a second for the endpoint's next turn made 5 % of 20,000
 * events come twice over a hundred kills. One statement, no lock of the endpoint; what comes meanwhile goes together.
 */

export interface QuickRecordDeps {
  database: Database;
  deadlines: Deadlines;
  /** few at once: what waits goes together, and connections are left to others */
  records: TurnQueue;
  log: Log;
}

const recordMs = 5_000;

export class QuickRecord {
  readonly #deps: QuickRecordDeps;
  readonly #key: EndpointKey;
  readonly #done: (unrecorded: readonly Settled[]) => void;
  #waiting: Settled[] = [];
  #writing: Settled[] = [];
  #running = false;

  /** @param done called after each statement, with those that the endpoint's next turn has to record */
  constructor(deps: QuickRecordDeps, key: EndpointKey, done: (unrecorded: readonly Settled[]) => void) {
    this.#deps = deps;
    this.#key = key;
    this.#done = done;
  }

  /** Deliveries that nobody else may take back: whether they are recorded is not known yet. */
  get inHand(): Claimed[] {
    return [...this.#writing, ...this.#waiting].map(({ claimed }) => claimed);
  }

  get size(): number {
    return this.#waiting.length + this.#writing.length;
  }

  /** Takes an outcome that is `delivered`. */
  add(settled: Settled): void {
    this.#waiting.push(settled);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) await this.#deps.records.run(this.#key, () => this.#write());
    this.#running = false;
    this.#done([]);
  }

  async #write(): Promise<void> {
    const { database, deadlines, log } = this.#deps;
    this.#writing = this.#waiting.splice(0);
    const deadline = deadlines.open(recordMs);
    let recorded: ReadonlySet<string> = new Set();
    try {
      if (!database.isAway(this.#key.storeId)) {
        recorded = await settleDelivered(database.reader(deadline), this.#key, this.#writing);
      }
    } catch (error) {
      log.debug({ err: error, endpoint: this.#key.id }, "outcomes wait for the endpoint's next turn");
    } finally {
      deadlines.close(deadline);
    }
    const unrecorded = this.#writing.filter(({ claimed }) => !recorded.has(claimed.id));
    this.#writing = [];
    this.#done(unrecorded);
  }
}
