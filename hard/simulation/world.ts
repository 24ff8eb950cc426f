import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { errorKinds } from "../../contract/errors.ts";
import { type ApiFoundations, composeApi, nothingServed } from "../../server/main/compose.ts";
import { readConfig } from "../../server/platform/config.ts";
import { Database } from "../../server/platform/database/database.ts";
import type { Statement } from "../../server/platform/database/sql.ts";
import { raw, sql } from "../../server/platform/database/sql.ts";
import { openFiles } from "../../server/platform/files/open.ts";
import type { FileStorage } from "../../server/platform/files/types.ts";
import { type Log, openLog } from "../../server/platform/log.ts";
import { openSecrets } from "../../server/platform/secrets.ts";
import { StoreCalendars } from "../../server/platform/store-calendars.ts";
import { type Answered, requester } from "../../testkit/app.ts";
import { inMemory } from "../../testkit/in-memory.ts";
import { Gate, Life, SimulatedDatabase } from "./database.ts";
import { Draws } from "./draw.ts";
import { SimulatedCopies, SimulatedLimiter } from "./fragile.ts";
import { Network } from "./network.ts";
import { SimulatedTime } from "./time.ts";
import { WorkerProcess } from "./worker.ts";

/** One process of the simulation: the app without sockets, with its own database, for one seed after another. */

export interface Sent {
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const baseUrl = "http://api.test";

export class World {
  readonly time = new SimulatedTime();
  readonly gate = new Gate();
  readonly draws = new Draws();
  readonly network: Network;
  readonly limiter: SimulatedLimiter;
  readonly facts: SimulatedCopies;
  readonly files: FileStorage;
  /** for the API: it never dies, but its connections may be lost */
  readonly life = new Life();
  readonly log: Log;
  readonly dataDir: string;
  foundations!: ApiFoundations;
  app!: FastifyInstance;
  worker!: WorkerProcess;
  /** failures of the current seed */
  failures: string[] = [];
  /** texts that no answer to the current request may contain; set by the caller */
  foreign: readonly string[] = [];
  requests = 0;
  readonly #inner: { usual: Database; intake: Database };
  readonly #connection: pg.ClientConfig;
  #logged: string[] = [];
  #tables: string[] = [];
  #trace = createHash("sha256");

  private constructor(given: pg.ClientConfig, dataDir: string) {
    // a statement's plan must not depend on how often its connection has run it
    const connection = { ...given, options: "-c plan_cache_mode=force_generic_plan" };
    this.#connection = connection;
    this.dataDir = dataDir;
    this.log = openLog("warn", { write: (line: string) => void this.#logged.push(line) });
    this.#inner = {
      usual: new Database({ connection, size: 6, log: this.log }),
      intake: new Database({ connection, size: 2, log: this.log, pipelined: true }),
    };
    this.network = new Network(this.time.now);
    this.limiter = new SimulatedLimiter(this.time.elapsed);
    const config = this.#config();
    this.files = openFiles(config.exportStorage);
    this.facts = new SimulatedCopies(`${dataDir}/facts`, {
      database: this.database(this.life),
      calendar: this.time,
      elapsed: this.time.elapsed,
      log: this.log,
    });
  }

  static async open(connection: pg.ClientConfig, dataDir: string): Promise<World> {
    const world = new World(connection, dataDir);
    world.time.takeOver();
    await world.#prepare();
    world.foundations = world.#foundations();
    world.app = composeApi(world.foundations).app;
    await world.app.ready();
    return world;
  }

  /** The database as seen by a process with this life. */
  database(life: Life, pipelined = false): Database {
    const inner = pipelined ? this.#inner.intake : this.#inner.usual;
    return new SimulatedDatabase({ connection: this.#connection, size: 1, log: this.log }, inner, this.gate, life);
  }

  #config() {
    return readConfig({ BASE_URL: baseUrl, DATA_DIR: this.dataDir, GEO_COUNTRY_HEADER: "x-country" });
  }

  #foundations(): ApiFoundations {
    return {
      ...nothingServed,
      ...inMemory(this.time.elapsed),
      config: this.#config(),
      database: this.database(this.life),
      intakeDatabase: this.database(this.life, true),
      calendar: new StoreCalendars(this.time),
      elapsed: this.time.elapsed,
      random: this.draws.bytes,
      secrets: openSecrets("a secret key for simulations, long enough", this.draws.bytes),
      limiter: this.limiter,
      log: this.log,
      facts: this.facts,
      files: this.files,
      checkAnswers: true,
      resolveHost: async () => ["8.8.8.8"],
    };
  }

  /** An empty database, a reset calendar, and a worker. */
  async begin(seed: number, calendar: number): Promise<void> {
    this.failures = [];
    this.#logged = [];
    this.#trace = createHash("sha256");
    this.draws.begin(seed);
    this.time.begin(calendar);
    Object.assign(this.life, new Life());
    this.limiter.failing = false;
    this.network.begin();
    await this.#empty();
    this.worker = new WorkerProcess(this);
  }

  /**
   * A process runs many seeds; data left by one would be due work for the next. TRUNCATE creates new files, because
   * rows without an ORDER BY come in the order in which they are stored.
   */
  async #empty(): Promise<void> {
    await this.#inner.usual.reader().all(sql`TRUNCATE ${raw(this.#tables.join(", "))}`);
  }

  /** Disables autovacuum: statistics, and with them plans, would change whenever it runs. */
  async #prepare(): Promise<void> {
    const db = this.#inner.usual.reader();
    const rows = await db.all(
      sql<{
        name: string;
      }>`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    );
    this.#tables = rows.map(({ name }) => name).filter((name) => name !== "schema_migrations");
    for (const name of this.#tables) {
      await db.all(sql`ALTER TABLE ${raw(name)} SET (autovacuum_enabled = false)`);
    }
  }

  /** Waits until background work can only continue by time passing. */
  readonly settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 2; ) {
      await this.gate.idle();
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.gate.busy ? 0 : quiet + 1;
    }
  };

  async pass(milliseconds: number): Promise<void> {
    await this.settle();
    await this.time.pass(milliseconds, this.settle);
  }

  fail(text: string): void {
    if (this.failures.length < 20) this.failures.push(text);
  }

  /** Reads rows without simulated faults. */
  read<Row>(storeId: string, statement: Statement<Row>): Promise<Row[]> {
    return this.gate.run(() => this.#inner.usual.reader().forStore(storeId).all(statement));
  }

  /** Adds to the trace, which must be the same when the seed is run again. */
  trace(text: string): void {
    this.#trace.update(text).update("\n");
  }

  traced(): string {
    return this.#trace.copy().digest("hex").slice(0, 16);
  }

  async request(method: string, url: string, sent: Sent = {}): Promise<Answered> {
    this.requests += 1;
    const received = await requester(this.app)(method, url.replace(baseUrl, ""), sent);
    this.#check(`${method} ${url}`, received);
    this.trace(`${method} ${url} ${received.status} ${received.text.replace(/req_[0-9a-f]{32}/, "")}`);
    return received;
  }

  #check(asked: string, { status, body, headers, text }: Answered): void {
    for (const foreign of this.foreign) {
      if (text.includes(foreign)) this.fail(`${asked} answered what is another store's (${foreign})`);
    }
    if (status < 400) return;
    const { title, type, status: repeated, request_id: id } = body ?? {};
    const kind = errorKinds[title as keyof typeof errorKinds];
    const isProblem = kind?.status === status && repeated === status && type === `${baseUrl}/errors/${title}`;
    if (!isProblem || id !== headers["request-id"])
      this.fail(`${asked} answered ${status} with no valid problem: ${text.slice(0, 300)}`);
    if (status === 500) this.fail(`${asked} answered 500: ${this.#logged.at(-1)?.slice(0, 2_000)}`);
  }

  /** Errors that the program has logged since the last call. */
  errorsLogged(): string[] {
    return this.#logged
      .splice(0)
      .filter((line) => line.includes('"level":"error"') || line.includes('"level":"fatal"'));
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.facts.close();
    await Promise.all([this.#inner.usual.close(), this.#inner.intake.close()]);
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
