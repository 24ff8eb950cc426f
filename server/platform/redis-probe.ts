import { acquireScript } from "./concurrency/redis.ts";
import { runBuckets } from "./limiter/script.ts";
import type { RedisClient } from "./redis-link.ts";

/**
 * Whether a Redis that answers can also do what limits need [operations.health]: run their scripts, write, and hold all
 * keys, which a node of a cluster does not.
 */

/** Their slots lie in different eighths of a cluster, so that a node without one of them is found out. */
export const probeNames: readonly string[] = [0, 40, 1, 41, 2, 42, 3, 43].map((n) => `probe ${n}`);

/** Runs the scripts on keys of their own; rejects with Redis' reason. */
export async function probeRedis(client: RedisClient): Promise<void> {
  const bucket = ["book", "1000000", "", "1000000", "1000"];
  await Promise.all([
    ...probeNames.map((name) => runBuckets(client, { keys: [`limiter:{${name}}`], arguments: bucket })),
    client.eval(acquireScript, { keys: ["slots:{probe}"], arguments: ["probe", "1", "1"] }),
  ]);
}

/** Stores, reads and deletes as the cache of answers does, which gets by without. */
export async function probeCache(client: RedisClient): Promise<void> {
  const expiration = { type: "PX", value: 1_000 } as const;
  await client.set("making:{probe}", "1", { condition: "NX", expiration });
  await client.set("answer:{probe}", "1", { expiration });
  await client.get("answer:{probe}");
  await client.del("answer:{probe}");
  await client.del("making:{probe}");
}

/** The code with which Redis' reason begins, such as OOM; null: Redis gave none, as when it cannot be reached. */
export function refusalCode(error: unknown): string | null {
  const { message = "" } = error as { message?: string };
  const code = /^([A-Z]{2,20})(?= |$)/.exec(message)?.[1] ?? null;
  if (code !== "ERR") return code;
  // what a command of the script was refused with: in words of its own for rights, in Redis 6 behind a sentence for all
  if (/user executing the script can't/.test(message)) return "NOPERM";
  return /\b(?:NOPERM|OOM|READONLY|MISCONF|MOVED|CLUSTERDOWN)\b/.exec(message)?.[0] ?? "ERR";
}

const remedies: Readonly<Record<string, string>> = {
  NOPERM: "let the user of REDIS_URL run the commands on the keys that docs/operations.md lists, scripts included",
  OOM: "it is full: raise maxmemory, or set maxmemory-policy to allkeys-lru",
  MOVED: "it is a node of a Redis Cluster, which is not supported: point REDIS_URL at a Redis without one",
  CROSSSLOT: "it is a node of a Redis Cluster, which is not supported: point REDIS_URL at a Redis without one",
  CLUSTERDOWN: "it is a node of a Redis Cluster, which is not supported: point REDIS_URL at a Redis without one",
  READONLY: "it is a replica: point REDIS_URL at the primary",
  MISCONF: "it cannot save to its disk and therefore refuses writes: free space there, or switch saving off",
  NOREPLICAS: "it has too few replicas and therefore refuses writes: bring them back, or lower min-replicas-to-write",
};

/** What to do about a code. */
export const remedyOf = (code: string): string => remedies[code] ?? "its log may say more";
