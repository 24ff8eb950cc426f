import { sweepExports } from "../../server/exports/sweep.ts";
import { ExportBuilds } from "../../server/exports/writing/builds.ts";
import { removeLeftOvers } from "../../server/exports/writing/left-overs.ts";
import type { ApiFoundations } from "../../server/main/compose.ts";
import { eventPayloads } from "../../server/main/event-payloads.ts";
import { retentions } from "../../server/main/retention.ts";
import type { Database } from "../../server/platform/database/database.ts";
import type { FileStorage } from "../../server/platform/files/types.ts";
import { forgetOldRows } from "../../server/platform/retention.ts";
import { VersionCache } from "../../server/quizzes/public.ts";
import { sweepSessions } from "../../server/sessions/sweep.ts";
import { deleteLeftDeliveries } from "../../server/webhooks/delete-endpoint.ts";
import { fanOutAtOnce, sweepOutbox } from "../../server/webhooks/fan-out.ts";
import { Deliverer } from "../../server/webhooks/send/deliverer.ts";
import { type Gate, Life } from "./database.ts";
import type { SimulatedCopies } from "./fragile.ts";
import type { Network } from "./network.ts";
import { realPause, type SimulatedTime } from "./time.ts";

/** The foundations of a worker. */
export interface WorkerGround {
  foundations: ApiFoundations;
  files: FileStorage;
  facts: SimulatedCopies;
  network: Network;
  time: SimulatedTime;
  gate: Gate;
  database(life: Life): Database;
  pass(milliseconds: number): Promise<void>;
  fail(text: string): void;
}

/** rounds of about one real ms each, after which a task can only be waiting for time to pass */
const stuckAfter = 1_000;

/** A worker with the tasks of `composeWorker`; here the simulation determines when each of them runs. */
export class WorkerProcess {
  readonly life = new Life();
  readonly #world: WorkerGround;
  readonly #database;
  readonly #versions = new VersionCache();
  readonly #deliverer: Deliverer;
  readonly #builds: ExportBuilds;

  constructor(world: WorkerGround) {
    this.#world = world;
    const { foundations, files, facts, network } = world;
    this.#database = world.database(this.life);
    const mine = { ...foundations, database: this.#database };
    const unixNow = () => world.time.now();
    this.#deliverer = new Deliverer({ ...mine, unixNow, allowHosts: [], sender: network.sender() });
    const { baseUrl } = foundations.config;
    this.#builds = new ExportBuilds({ ...mine, facts, versions: this.#versions, storage: files, baseUrl });
  }

  #deps() {
    const { random, log, config } = this.#world.foundations;
    const now = () => this.#world.time.now();
    const builders = eventPayloads({ baseUrl: config.baseUrl, versions: this.#versions });
    return { versions: this.#versions, now, random, log, builders };
  }

  async sessions(): Promise<void> {
    await this.#task(async () => {
      while ((await sweepSessions(this.#database, this.#deps())) >= 100);
    });
  }

  async events(): Promise<void> {
    await this.#task(async () => {
      while ((await sweepOutbox(this.#database, this.#deps())) >= fanOutAtOnce);
    });
  }

  async deliveries(): Promise<void> {
    await this.#task(() => this.#deliverer.sweep());
  }

  /** Begins due exports and waits for them, unless the process dies. */
  async exports(): Promise<void> {
    const { files, foundations } = this.#world;
    const { calendar, log } = foundations;
    await this.#task(() => sweepExports({ database: this.#database, files, calendar, log }));
    await this.#task(async () => {
      await this.#builds.sweep();
      await this.#builds.idle();
    });
  }

  async upkeep(): Promise<void> {
    const { files, time, facts } = this.#world;
    await this.#task(() => removeLeftOvers(this.#database, files));
    await this.#task(() => forgetOldRows(this.#database, time, retentions));
    await this.#task(() => deleteLeftDeliveries(this.#database));
    await this.#task(() => facts.upkeep());
  }

  /** Gives all work back, like a worker that is asked to stop; that takes time, which has to pass. */
  async stop(): Promise<void> {
    let over = false;
    void Promise.all([this.#deliverer.stop(2_000), this.#builds.stop()]).then(() => {
      over = true;
    });
    for (let rounds = 0; !over && !this.life.dead && rounds < 600; rounds++) await this.#world.pass(100);
    if (!over && !this.life.dead) this.#world.fail("a worker that was asked to stop had not done so after a minute");
    this.kill();
  }

  /** The process disappears without notice. */
  kill(): void {
    this.life.dead = true;
  }

  /** Runs a task; if the process dies, the task never ends. */
  async #task(run: () => Promise<unknown>): Promise<void> {
    if (this.life.dead) return;
    let over = false;
    // as in `Worker`, failed work is tried again in the next round
    const ended = () => {
      over = true;
    };
    void run().then(ended, ended);
    const { gate, facts } = this.#world;
    for (let rounds = 0; !over && !this.life.dead; rounds++) {
      await gate.idle();
      // files and DuckDB take real time
      if (rounds < 50) await new Promise((resolve) => setImmediate(resolve));
      else await realPause(1);
      if (facts.busy || rounds < stuckAfter) continue;
      // it waits for a timer, for example a build while the store's copy is unavailable
      await this.#world.pass(100);
      rounds = 0;
    }
  }
}
