import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { MemoryCache } from "../platform/cache/memory.ts";
import type { Cache } from "../platform/cache/types.ts";
import { SharedCalendar } from "../platform/clock.ts";
import { type Config, ConfigError, readConfig } from "../platform/config.ts";
import { Database } from "../platform/database/database.ts";
import { migrate, readMigrations } from "../platform/database/migrate.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { openEmbedded } from "../platform/embedded-postgres/open-embedded.ts";
import { openFiles } from "../platform/files/open.ts";
import { MemoryLimiter } from "../platform/limiter/memory.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import { type Log, openLog } from "../platform/log.ts";
import { openSecrets } from "../platform/secrets.ts";
import { MemorySlots } from "../platform/slots/memory.ts";
import type { Slots } from "../platform/slots/types.ts";
import { WakeUp } from "../platform/wake-up.ts";
import type { Foundations } from "./compose.ts";
import { Worker } from "./worker.ts";

/** Opens what the program stands on, in the order in which one thing needs another, and closes it in reverse. */

export const elapsed: ElapsedClock = () => performance.now();

/** Real time, ms since 1970: what receivers hold signatures against. */
export const unixNow = (): number => Math.floor(performance.timeOrigin + performance.now());

export interface Opened extends Foundations {
  calendar: SharedCalendar;
  migrationsApplied: readonly string[];
  close(): Promise<void>;
}

export interface OpenOptions {
  /** `server`: the one program of a data directory, sets the calendar's speed; `command`: joins what is there */
  role: "server" | "command";
  /** connections to the database at most */
  connections: number;
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
    const connection = await openConnection(config, options, log, closers);
    const migrationsApplied = await migrate(connection, await readMigrations(migrationsDirectory));
    const secrets = openSecrets(await secretKey(config), randomBytes);
    const database = new Database({ connection, size: options.connections, log });
    closers.push(() => database.close());
    // as many as the intake has groups under way
    const intakeDatabase = new Database({ connection, size: 4, log, pipelined: true });
    closers.push(() => intakeDatabase.close());
    const speed = options.role === "server" ? config.clockSpeed : null;
    const calendar = await SharedCalendar.open(database, elapsed, speed);
    closers.push(() => calendar.stop());
    if (options.role === "server" && config.webhookAllowHosts.length > 0) {
      log.warn(
        { hosts: config.webhookAllowHosts },
        "WEBHOOK_ALLOW_HOSTS is set: webhooks may reach these hosts over plain http and on private addresses. For trials only.",
      );
    }
    if (options.role === "server" && config.clockSpeed !== 1) {
      log.warn(
        { speed: config.clockSpeed },
        "CLOCK_SPEED is set: stored times run faster than real ones. For trials only.",
      );
    }
    const wakeUp = new WakeUp({ database, elapsed, random: randomBytes, log });
    closers.push(() => wakeUp.stop());
    for (const each of [database, intakeDatabase]) each.onAnnounced((work) => wakeUp.signal(work));
    const files = openFiles(config.exportStorage);
    closers.push(() => files.close());
    const limiter = await openLimiter(config, options, log);
    closers.push(() => limiter.close());
    const questions = options.role === "server" ? await openQuestions(config, { database, calendar, log }) : null;
    if (questions) closers.push(questions.close);
    return {
      config,
      database,
      intakeDatabase,
      calendar,
      elapsed,
      random: randomBytes,
      secrets,
      limiter,
      wakeUp,
      files,
      ...(questions ? { facts: questions.facts, slots: questions.slots, cache: questions.cache } : {}),
      log,
      migrationsApplied,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const migrationsDirectory = join(import.meta.dirname, "../../migrations");

async function openConnection(
  config: Config,
  { role }: OpenOptions,
  log: Log,
  closers: (() => Promise<unknown> | unknown)[],
): Promise<pg.ClientConfig> {
  if (config.databaseUrl !== null) {
    const connection = { connectionString: config.databaseUrl };
    await assertVersion(connection);
    return connection;
  }
  await mkdir(config.dataDir, { recursive: true });
  const embedded = await openEmbedded({
    dataDir: config.dataDir,
    role,
    log: (message, fields) => log.info(fields ?? {}, message),
  });
  closers.push(() => embedded.stop());
  if (role === "server") {
    embedded.onExit(({ restarting }) => {
      if (restarting) return;
      log.fatal("another quizstore has taken over the embedded database; stopping");
      process.kill(process.pid, "SIGTERM");
    });
  }
  return embedded.connection;
}

const oldestPostgres = 15;

async function assertVersion(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } catch (error) {
    throw new ConfigError(`the database of DATABASE_URL cannot be reached: ${reason(error)}`, { cause: error });
  }
  try {
    const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version_num') AS version");
    const major = Math.floor(Number(rows[0]?.version) / 10_000);
    if (major < oldestPostgres)
      throw new ConfigError(`PostgreSQL ${major} is too old; ${oldestPostgres} or newer is needed`);
  } finally {
    await client.end();
  }
}

const reason = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || "unknown reason";
};

async function openLimiter(config: Config, { role }: OpenOptions, log: Log): Promise<Limiter> {
  if (config.redisUrl === null || role === "command") return new MemoryLimiter(elapsed);
  const { RedisLimiter } = await import("../platform/limiter/redis.ts");
  let reachable = true;
  return RedisLimiter.open({
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
}

/** What a server answers searches and analytics from. Loaded here: commands have no use for DuckDB. */
async function openQuestions(config: Config, parts: { database: Database; calendar: SharedCalendar; log: Log }) {
  const { Facts } = await import("../facts/public.ts");
  const facts = await Facts.open({
    ...parts,
    directory: join(config.dataDir, "facts"),
    elapsed,
    random: randomBytes,
    memoryLimitMb: config.factsMemoryMb,
    diskBudgetMb: config.factsDiskMb,
  });
  const slots = await openSlots(config);
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

async function openSlots({ redisUrl }: Config): Promise<Slots> {
  if (redisUrl === null) return new MemorySlots();
  const { RedisSlots } = await import("../platform/slots/redis.ts");
  return RedisSlots.open({ url: redisUrl, random: randomBytes });
}

async function openCache({ redisUrl }: Config): Promise<Cache> {
  if (redisUrl === null) return new MemoryCache(elapsed);
  const { RedisCache } = await import("../platform/cache/redis.ts");
  return RedisCache.open({ url: redisUrl, random: Math.random });
}

/** SECRET_KEY, or with the embedded database one that is generated once and kept beside it. */
async function secretKey(config: Config): Promise<string> {
  if (config.secretKey !== null) return config.secretKey;
  if (config.databaseUrl !== null) {
    throw new ConfigError(
      "SECRET_KEY is required with DATABASE_URL, the same for every process: write at least 32 random characters, such as the output of: openssl rand -hex 32",
    );
  }
  const file = join(config.dataDir, "secret.key");
  try {
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  await chmod(file, 0o600);
  const key = (await readFile(file, "utf8")).trim();
  if (key.length < 32) throw new ConfigError(`${file} holds no secret key; restore it from a backup`);
  return key;
}
