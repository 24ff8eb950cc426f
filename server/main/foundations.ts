import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { type Mailer, openMailer } from "../accounts/mail.ts";
import { MemoryCache } from "../platform/cache/memory.ts";
import type { Cache } from "../platform/cache/types.ts";
import { SharedCalendar } from "../platform/clock.ts";
import { MemoryConcurrencyLimiter } from "../platform/concurrency/memory.ts";
import type { ConcurrencyLimiter } from "../platform/concurrency/types.ts";
import { type Config, readConfig } from "../platform/config.ts";
import { Database } from "../platform/database/database.ts";
import { migrate, readMigrations } from "../platform/database/migrate.ts";
import { ClusterNodes } from "../platform/database/nodes.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { openEmbedded } from "../platform/embedded-postgres/open-embedded.ts";
import { openFiles } from "../platform/files/open.ts";
import { MemoryLimiter } from "../platform/limiter/memory.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import { type Log, openLog } from "../platform/log.ts";
import { OperatorError } from "../platform/operator-error.ts";
import type { ReadinessProbe } from "../platform/readiness/readiness.ts";
import { StoreCalendars } from "../platform/store-calendars.ts";
import { WakeUp } from "../platform/wake-up.ts";
import { intakeConnections } from "../storefront/group-queue.ts";
import type { Foundations } from "./compose.ts";
import { openSecretKey } from "./secret-key.ts";

/** Opens what the program stands on, in the order in which one thing needs another, and closes it in reverse. */

export const elapsed: ElapsedClock = () => performance.now();

export interface Opened extends Foundations {
  calendar: StoreCalendars;
  /** everybody's, which it stands on */
  sharedCalendar: SharedCalendar;
  wakeUp: WakeUp;
  migrationsApplied: readonly string[];
  /** of the database, where it is a cluster */
  nodes: ClusterNodes;
  /** of a server */
  readiness?: ReadinessProbe;
  /** Ends the embedded PostgreSQL, where there is one and nobody else uses it, and with it whatever waits for it here. */
  stopDatabase(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** `server`: the one program of a data directory, sets the calendar's speed; `command`: joins what is there */
  role: "server" | "command";
  /** connections to the database at most */
  connections: number;
  /** columnar copies that a server keeps open, where not 64: what it has read of each stays in memory */
  openCopies?: number;
  /** replaces single environment variables, as flags of the command line do */
  overrides?: Readonly<Record<string, string | undefined>>;
}

export const settingsOf = (overrides: OpenOptions["overrides"] = {}): Config => {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return readConfig({ ...process.env, ...Object.fromEntries(given) });
};

export async function openFoundations(config: Config, options: OpenOptions): Promise<Opened> {
  // standard output belongs to the answers of commands
  const log = openLog(config.logLevel, { write: (line) => void process.stderr.write(line) });
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    // loaded here: nobody watches a command
    const watching = options.role === "server" ? await import("./telemetry.ts") : null;
    if (watching) closers.push(await watching.openTelemetry(config, log));
    const { connection, stopDatabase } = await openConnection(config, options, log);
    closers.push(stopDatabase);
    const migrations = await readMigrations(migrationsDirectory);
    const migrationsApplied = await migrate(connection, migrations, (message) => log.warn({}, message));
    const { nodes, closeNodes } = openNodes(connection, log);
    closers.push(closeNodes);
    const database = new Database({ connection, size: options.connections, log, nodes });
    closers.push(() => database.close());
    const secrets = await openSecretKey(config, database.reader(), randomBytes);
    const intakeDatabase = new Database({ connection, size: intakeConnections, log, pipelined: true });
    closers.push(() => intakeDatabase.close());
    const speed = options.role === "server" ? config.clockSpeed : null;
    const sharedCalendar = await SharedCalendar.open(database, elapsed, speed);
    closers.push(() => sharedCalendar.stop());
    const calendar = new StoreCalendars(sharedCalendar);
    if (options.role === "server") warnOfTrials(config, log);
    const wakeUp = new WakeUp({ database, elapsed, random: randomBytes, log });
    closers.push(() => wakeUp.stop());
    for (const each of [database, intakeDatabase]) each.onAnnounced((work) => wakeUp.signal(work));
    const files = openFiles(config.exportStorage);
    closers.push(() => files.close());
    const mailer = await mailerFor(config, log);
    if (mailer) closers.push(() => mailer.close());
    const { limiter, reachable } = await openLimiter(config, options, log);
    closers.push(() => limiter.close());
    const parts = { database, calendar, log };
    const questions = options.role === "server" ? await openQuestions(config, options, parts) : null;
    if (questions) closers.push(questions.close);
    const watchers = openWatchers(connection, log);
    closers.push(() => Promise.all([watchers.probes.close(), watchers.counts.close()]));
    const readiness = watching?.measureProgram({
      log,
      calendar,
      elapsed,
      pools: { main: database, intake: intakeDatabase },
      ...watchers,
      nodes,
      migrationsKnown: migrations.length,
      redisReachable: reachable,
      copiesFolder: questions?.facts.folder ?? null,
    });
    return {
      config,
      database,
      intakeDatabase,
      nodes,
      calendar,
      sharedCalendar,
      elapsed,
      random: randomBytes,
      secrets,
      limiter,
      wakeUp,
      files,
      ...(mailer ? { mailer } : {}),
      ...(questions ? { facts: questions.facts, slots: questions.slots, cache: questions.cache } : {}),
      log,
      ...(readiness ? { readiness } : {}),
      migrationsApplied,
      stopDatabase,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What sends letters; null: none is mailed. */
const mailerFor = async ({ smtpUrl, mailFrom }: Config, log: Log): Promise<Mailer | null> =>
  smtpUrl === null ? null : openMailer({ smtpUrl, from: mailFrom, log });

function openNodes(connection: pg.PoolConfig, log: Log) {
  const database = new Database({ connection, size: 4, log });
  return { nodes: new ClusterNodes({ database, elapsed, log }), closeNodes: () => database.close() };
}

/**
 * Connections of their own, made only while somebody asks: those of a pool that is all in use answer nobody, and counts
 * of a cluster with a node that hangs are not to keep the database's check from its answer.
 */
const openWatchers = (connection: pg.PoolConfig, log: Log) => ({
  probes: new Database({ connection, size: 1, log }),
  counts: new Database({ connection, size: 2, log }),
});

function warnOfTrials({ webhookAllowHosts: hosts, clockSpeed: speed }: Config, log: Log): void {
  if (hosts.length > 0) {
    log.warn(
      { hosts },
      "WEBHOOK_ALLOW_HOSTS is set: webhooks may reach these hosts over plain http and on private addresses. For trials only.",
    );
  }
  if (speed !== 1) {
    log.warn({ speed }, "CLOCK_SPEED is set: stored times run faster than real ones. For trials only.");
  }
}

/** Where the program lies. */
export const checkout = join(import.meta.dirname, "../..");
export const migrationsDirectory = join(checkout, "migrations");

async function openConnection(
  config: Config,
  { role }: OpenOptions,
  log: Log,
): Promise<{ connection: pg.ClientConfig; stopDatabase: () => Promise<void> }> {
  if (config.databaseUrl !== null) {
    const connection = { connectionString: config.databaseUrl };
    await assertVersion(connection);
    return { connection, stopDatabase: async () => undefined };
  }
  await mkdir(config.dataDir, { recursive: true });
  const embedded = await openEmbedded({
    dataDir: config.dataDir,
    role,
    log: (message, fields) => log.info(fields ?? {}, message),
  });
  if (role === "server") {
    embedded.onExit(({ restarting }) => {
      if (restarting) return;
      log.fatal("another quizstore has taken over the embedded database; stopping");
      process.kill(process.pid, "SIGTERM");
    });
  }
  return { connection: embedded.connection, stopDatabase: () => embedded.stop() };
}

const oldestPostgres = 15;

async function assertVersion(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } catch (error) {
    throw new OperatorError(`the database of DATABASE_URL cannot be reached: ${reason(error)}`, { cause: error });
  }
  try {
    const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version_num') AS version");
    const major = Math.floor(Number(rows[0]?.version) / 10_000);
    if (major < oldestPostgres)
      throw new OperatorError(`PostgreSQL ${major} is too old; ${oldestPostgres} or newer is needed`);
  } finally {
    await client.end();
  }
}

const reason = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || "unknown reason";
};

/** `reachable`: whether Redis is; null without one. */
async function openLimiter(
  config: Config,
  { role }: OpenOptions,
  log: Log,
): Promise<{ limiter: Limiter; reachable: () => boolean | null }> {
  if (config.redisUrl === null || role === "command") {
    return { limiter: new MemoryLimiter(elapsed), reachable: () => null };
  }
  const { RedisLimiter } = await import("../platform/limiter/redis.ts");
  let reachable = true;
  const limiter = await RedisLimiter.open({
    url: config.redisUrl,
    random: Math.random,
    onChange: (failure) => {
      // each attempt to reconnect reports; only a change of state is news
      if (reachable === (failure === null)) return;
      reachable = failure === null;
      if (failure) log.error({ err: failure }, "Redis cannot be reached; writes are refused until it is back");
      else log.info("Redis is reached again");
    },
  });
  return { limiter, reachable: () => reachable };
}

/** What a server answers searches and analytics from. Loaded here: commands have no use for DuckDB. */
async function openQuestions(
  config: Config,
  { openCopies }: OpenOptions,
  parts: { database: Database; calendar: StoreCalendars; log: Log },
) {
  const { ColumnarCopies } = await import("../columnar-copy/public.ts");
  const { Worker } = await import("./worker.ts");
  const facts = await ColumnarCopies.open({
    ...parts,
    directory: join(config.dataDir, "facts"),
    elapsed,
    random: randomBytes,
    memoryLimitMb: config.factsMemoryMb,
    diskBudgetMb: config.factsDiskMb,
    ...(openCopies === undefined ? {} : { attachedAtMost: openCopies }),
    // an embedded database has no other machines
    alone: config.databaseUrl === null,
  });
  const slots = await openConcurrencyLimiter(config);
  const cache = await openCache(config);
  // whoever holds copies looks after them, whether or not it does other due work
  const upkeep = new Worker([{ name: "copies", everyMs: 5_000, run: () => facts.upkeep() }], parts.log);
  const close = async () => {
    await upkeep.stop();
    await slots.close();
    await facts.close();
    await cache.close();
  };
  return { facts, slots, cache, close };
}

async function openConcurrencyLimiter({ redisUrl }: Config): Promise<ConcurrencyLimiter> {
  if (redisUrl === null) return new MemoryConcurrencyLimiter();
  const { RedisConcurrencyLimiter } = await import("../platform/concurrency/redis.ts");
  return RedisConcurrencyLimiter.open({ url: redisUrl, random: randomBytes });
}

async function openCache({ redisUrl }: Config): Promise<Cache> {
  if (redisUrl === null) return new MemoryCache(elapsed);
  const { RedisCache } = await import("../platform/cache/redis.ts");
  return RedisCache.open({ url: redisUrl, random: Math.random });
}
