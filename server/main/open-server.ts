import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type pg from "pg";
import { ColumnarCopies } from "../columnar-copy/public.ts";
import { MemoryCache } from "../platform/cache/memory.ts";
import type { Cache } from "../platform/cache/types.ts";
import { MemoryConcurrencyLimiter } from "../platform/concurrency/memory.ts";
import type { ConcurrencyLimiter } from "../platform/concurrency/types.ts";
import type { Config } from "../platform/config.ts";
import { Database } from "../platform/database/database.ts";
import { MemoryLimiter } from "../platform/limiter/memory.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import { type Log, logWarnings } from "../platform/log.ts";
import type { CacheState } from "../platform/readiness/checks.ts";
import { Closers } from "./closers.ts";
import type { Foundations } from "./compose.ts";
import { elapsed, type Opened, openFoundations, openProgramLog } from "./foundations.ts";
import { measureProgram, openTelemetry } from "./telemetry.ts";
import { Worker } from "./worker.ts";

/**
 * What `start`, `serve` and `work` need: what commands need, plus the parts that answer requests, count and report
 * readiness.
 */
export interface OpenedServer extends Opened, Foundations {
  calendar: Opened["calendar"];
  homes: Opened["homes"];
}

export interface ServerOptions {
  /** maximum number of database connections */
  connections: number;
  /** number of columnar copies kept open, 64 by default: what was read of each stays in memory */
  openCopies?: number;
}

export async function openServer(config: Config, { connections, openCopies }: ServerOptions): Promise<OpenedServer> {
  const log = openProgramLog(config);
  const closers = new Closers();
  try {
    closers.add(logWarnings(log));
    closers.add(await openTelemetry(config, log));
    const opened = await openFoundations(config, { role: "server", connections }, log);
    closers.add(() => opened.close());
    warnOfTrials(config, log);
    const { limiter, redisState } = await openLimiter(config, log);
    closers.add(() => limiter.close());
    const questions = await openQuestions(opened, openCopies, closers);
    const watchers = openWatchers(opened.connection, log);
    closers.add(() => Promise.all([watchers.probes.close(), watchers.counts.close()]));
    const { database, intakeDatabase, homes, calendar, nodes, migrationsKnown } = opened;
    const readiness = measureProgram({
      ...{ log, calendar, elapsed, nodes, migrationsKnown, ...watchers },
      pools: { main: database, intake: intakeDatabase, nodes: homes },
      redisState,
      copiesFolder: questions.facts.folder,
    });
    return { ...opened, ...questions, limiter, readiness, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/**
 * Separate connections, opened only on demand: a pool that is all in use answers nobody, and counts on a cluster with a
 * hanging node must not delay the database's check.
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

async function openLimiter(
  config: Config,
  log: Log,
): Promise<{ limiter: Limiter; redisState: () => Promise<CacheState> }> {
  if (config.redisUrl === null) return { limiter: new MemoryLimiter(elapsed), redisState: async () => "in memory" };
  const { RedisLimiter } = await import("../platform/limiter/redis.ts");
  let reachable = true;
  const limiter = await RedisLimiter.open({
    url: config.redisUrl,
    random: Math.random,
    onChange: (failure) => {
      // each attempt to reconnect reports; only changes of state are logged
      if (reachable === (failure === null)) return;
      reachable = failure === null;
      if (failure) log.error({ err: failure }, "Redis cannot be reached; writes are refused until it is back");
      else log.info("Redis can be reached again");
    },
    onRefusal: (code) => {
      if (code === null) log.info("Redis can limit again");
      else log.error({ code }, "Redis answers, but cannot limit; writes are refused until it can");
    },
  });
  const redisState = async (): Promise<CacheState> => {
    const probed = await limiter.probe();
    if (probed.works) return "works";
    return probed.code === null ? "away" : { code: probed.code };
  };
  return { limiter, redisState };
}

/** What answers searches and analytics. */
async function openQuestions(
  { config, database, calendar, random, log }: Opened,
  openCopies: number | undefined,
  closers: Closers,
) {
  const facts = await ColumnarCopies.open({
    ...{ database, calendar, elapsed, random, log },
    directory: join(config.dataDir, "facts"),
    memoryLimitMb: config.factsMemoryMb,
    diskBudgetMb: config.factsDiskMb,
    ...(openCopies === undefined ? {} : { attachedAtMost: openCopies }),
    ephemeral: config.factsAtStop === "delete",
    // an embedded database serves no other machines
    alone: config.databaseUrl === null,
  });
  closers.add(() => facts.close());
  // every process with copies maintains them, whether or not it does other due work
  const upkeep = new Worker([{ name: "copies", everyMs: 5_000, run: () => facts.upkeep() }], log);
  closers.add(() => upkeep.stop());
  const searchPermits = await openConcurrencyLimiter(config);
  closers.add(() => searchPermits.close());
  const cache = await openCache(config);
  closers.add(() => cache.close());
  return { facts, searchPermits, cache };
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
