import { performance } from "node:perf_hooks";
import { overdueExportFiles, overdueExports } from "../exports/overdue.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/database/database.ts";
import type { ClusterNodes } from "../platform/database/nodes.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import type { Log } from "../platform/log.ts";
import { onUnreadGauge, readGauge } from "../platform/metrics/metrics.ts";
import { measureOverdue } from "../platform/metrics/overdue.ts";
import { measureProcess } from "../platform/metrics/process.ts";
import { type CacheState, checkCache, checkCopies, checkDatabase, checkNodes } from "../platform/readiness/checks.ts";
import { ReadinessProbe } from "../platform/readiness/readiness.ts";
import { traceSettings } from "../platform/tracing/settings.ts";
import { overduePeople } from "../profiles/overdue.ts";
import { overdueSessions } from "../sessions/overdue.ts";
import { overdueDeliveries, overdueEndpoints, overdueEvents } from "../webhooks/overdue.ts";
import { programVersion } from "./version.ts";

/** This process's telemetry: metrics, traces, and readiness. Returns a function that ends it. */
export async function openTelemetry(config: Config, log: Log): Promise<() => Promise<void>> {
  const build = { startedAt: performance.timeOrigin / 1_000, version: programVersion };
  // without a port nobody can read metrics
  const stopMeasuring = config.metricsPort === null ? () => undefined : measureProcess(build);
  const settings = traceSettings(config);
  // loaded only here, because the SDK takes time and memory
  const endTraces = settings && (await import("../platform/tracing/open-telemetry.ts")).openTracing(settings, log);
  return async () => {
    stopMeasuring();
    await endTraces?.();
  };
}

export interface Watched {
  log: Log;
  calendar: Calendar;
  elapsed: ElapsedClock;
  pools: Readonly<Record<string, Pick<Database, "connections">>>;
  /** for checking whether the database responds */
  probes: Database;
  /** for counting due work */
  counts: Database;
  nodes: ClusterNodes;
  /** number of the newest migration that this program has */
  migrationsKnown: number;
  redisState: () => Promise<CacheState>;
  /** folder of this process's columnar copies; null: it has none */
  copiesFolder: string | null;
}

/** Registers the metrics of shared resources, and returns the readiness probe. */
export function measureProgram(watched: Watched): ReadinessProbe {
  measure(watched);
  const { probes, nodes, elapsed, migrationsKnown, copiesFolder, redisState } = watched;
  return new ReadinessProbe({
    elapsed,
    checks: {
      database: checkDatabase(probes, migrationsKnown),
      nodes: checkNodes(nodes),
      ...(copiesFolder === null ? {} : { copies: checkCopies(copiesFolder) }),
      cache: checkCache(redisState),
    },
  });
}

function measure({ log, pools, counts, nodes, calendar, elapsed, redisState }: Watched): void {
  onUnreadGauge((metric, error) => log.warn({ err: error, metric }, "a metric could not be read"));
  readGauge<"pool" | "state">(
    {
      name: "quizstore_database_connections",
      help: "Connections to the database in use and idle, and callers that wait for one",
      labelNames: ["pool", "state"],
    },
    () =>
      Object.entries(pools).flatMap(([pool, { connections }]) => [
        { labels: { pool, state: "in_use" }, value: connections.inUse },
        { labels: { pool, state: "idle" }, value: connections.idle },
        { labels: { pool, state: "waiting" }, value: connections.waiting },
      ]),
  );
  readGauge(
    { name: "quizstore_redis_connected", help: "1 while Redis can be reached and can limit; absent without one" },
    async () => {
      const state = await redisState();
      return state === "in memory" ? [] : [{ labels: {}, value: state === "works" ? 1 : 0 }];
    },
  );
  readGauge(
    {
      name: "quizstore_database_nodes_away",
      help: "Nodes of the cluster that do not respond; absent without a cluster",
    },
    async () => {
      const states = await nodes.states();
      return states.length === 0 ? [] : [{ labels: {}, value: states.filter(({ answers }) => !answers).length }];
    },
  );
  measureOverdue({
    database: counts,
    nodes,
    calendar,
    elapsed,
    queues: [
      overdueSessions,
      overduePeople,
      overdueEvents,
      overdueEndpoints,
      overdueDeliveries,
      overdueExports,
      overdueExportFiles,
    ],
  });
}
