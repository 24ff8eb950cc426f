import type { Database } from "../../platform/database/database.ts";
import type { Deadlines } from "../../platform/deadline.ts";
import type { FairQueue } from "../../platform/fair-queue.ts";
import type { Log } from "../../platform/log.ts";
import { recordOutcomes } from "./delivery-rows.ts";
import type { Claimed, Outcome } from "./outcome.ts";

/**
 * Records at once what arrived at an endpoint that works: it does not change the endpoint's status, so that neither its
 * lock nor its next transaction is needed. Whatever is not recorded when a worker is killed is sent a second time by
 * the next one: outcomes that waited a tenth of a second made 5 % of 20,000 events come twice over a hundred kills.
 * What arrives during one statement goes into the next together.
 */

export interface RecorderDeps {
  database: Database;
  deadlines: Deadlines;
  /** few at once: what waits goes together, and connections are left to others */
  records: FairQueue;
  log: Log;
}

const recordMs = 5_000;

export class DeliveredRecorder {
  readonly #deps: RecorderDeps;
  readonly #key: { storeId: string; id: string };
  readonly #done: (unrecorded: readonly Outcome[]) => void;
  #waiting: Outcome[] = [];
  #recording: Outcome[] = [];
  #running = false;

  /** @param done called after each statement, with those that the endpoint's next transaction has to record */
  constructor(
    deps: RecorderDeps,
    key: { storeId: string; id: string },
    done: (unrecorded: readonly Outcome[]) => void,
  ) {
    this.#deps = deps;
    this.#key = key;
    this.#done = done;
  }

  /** Deliveries that nobody else may take back: whether they are recorded is not known yet. */
  get inHand(): Claimed[] {
    return [...this.#recording, ...this.#waiting].map(({ claimed }) => claimed);
  }

  get size(): number {
    return this.#waiting.length + this.#recording.length;
  }

  /** Takes an outcome that is `delivered`. */
  add(delivered: Outcome): void {
    this.#waiting.push(delivered);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) await this.#deps.records.run(this.#key.storeId, () => this.#record());
    this.#running = false;
    this.#done([]);
  }

  async #record(): Promise<void> {
    const { database, deadlines, log } = this.#deps;
    const { storeId, id } = this.#key;
    this.#recording = this.#waiting.splice(0);
    let recorded: ReadonlySet<string> = new Set();
    try {
      if (!database.isAway(storeId)) {
        recorded = await deadlines.within(recordMs, (deadline) =>
          recordOutcomes(database.reader(deadline).forStore(storeId), id, this.#recording, { locked: false }),
        );
      }
    } catch (error) {
      log.debug({ err: error, endpoint: id }, "outcomes wait for the endpoint's next transaction");
    }
    const unrecorded = this.#recording.filter(({ claimed }) => !recorded.has(claimed.id));
    this.#recording = [];
    this.#done(unrecorded);
  }
}
