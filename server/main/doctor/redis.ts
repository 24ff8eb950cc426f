import type { ElapsedClock } from "../../platform/deadline.ts";
import { type RedisClient, RedisLink, RedisUnreachable } from "../../platform/redis-link.ts";
import { probeCache, probeRedis, refusalCode, remedyOf } from "../../platform/redis-probe.ts";
import { fail, ok, type Seen, warn } from "./findings.ts";

/** in ms; commands are given up after 50 ms, so half of it leaves little margin */
const slowMs = 25;
const oldest = 6;
const tries = 5;

export async function inspectRedis(url: string | null, elapsed: ElapsedClock, random: () => number): Promise<Seen> {
  if (url === null) return ok("in memory, for one process; set REDIS_URL when several serve");
  let problem: Error | null = null;
  const link = await RedisLink.open({
    url,
    random,
    commandTimeoutMs: 2_000,
    onChange: (change) => {
      problem = change;
    },
  });
  try {
    return await inspectLink(link, elapsed);
  } catch (error) {
    const reason = problem ?? error;
    const text = reason instanceof Error ? reason.message || reason.name : "unknown failure";
    return fail(`Redis does not answer: ${text}`, "start it, or correct REDIS_URL; until then writes are refused");
  } finally {
    await link.close();
  }
}

async function inspectLink(link: RedisLink, elapsed: ElapsedClock): Promise<Seen> {
  const refusal = await refusalOf(link, probeRedis);
  if (refusal !== null) {
    return fail(
      `Redis answers, but cannot limit (${refusal}): writes, searches and analytics are refused`,
      remedyOf(refusal),
    );
  }
  const { version, policy, maxMemory } = await link.run(readInfo);
  const times: number[] = [];
  for (let n = 0; n < tries; n += 1) {
    const began = elapsed();
    await link.run(probeRedis);
    times.push(elapsed() - began);
  }
  const ms = Math.round((times.sort((a, b) => a - b)[Math.floor(tries / 2)] ?? 0) * 10) / 10;
  const detail = `Redis ${version ?? "of no known version"} limits, and answers in ${ms} ms`;
  if (version !== null && Number.parseInt(version, 10) < oldest) return fail(detail, `run Redis ${oldest} or newer`);
  if (ms >= slowMs) return warn(detail, "reduce its latency: commands time out after 50 ms");
  const cacheRefusal = await refusalOf(link, probeCache);
  if (cacheRefusal !== null)
    return warn(`${detail}, but keeps no answers for other processes (${cacheRefusal})`, remedyOf(cacheRefusal));
  if (policy === "noeviction" && maxMemory > 0) {
    return warn(
      `${detail}; once its ${Math.round(maxMemory / 1024 ** 2)} MB are full, it refuses every write (noeviction)`,
      "set maxmemory-policy to allkeys-lru",
    );
  }
  return ok(detail);
}

/** The code of Redis' reason for refusing; null: it does not refuse. */
async function refusalOf(link: RedisLink, probe: (client: RedisClient) => Promise<void>): Promise<string | null> {
  try {
    await link.run(probe);
    return null;
  } catch (error) {
    const code = error instanceof RedisUnreachable ? null : refusalCode(error);
    if (code === null) throw error;
    return code;
  }
}

/** What Redis says of itself, as far as this user may ask. */
async function readInfo(client: RedisClient): Promise<{ version: string | null; policy: string; maxMemory: number }> {
  const [server, memory] = await Promise.all(
    ["server", "memory"].map((section) => client.info(section).catch(() => "")),
  );
  return {
    version: /redis_version:([\d.]+)/.exec(server ?? "")?.[1] ?? null,
    policy: /maxmemory_policy:([\w-]+)/.exec(memory ?? "")?.[1] ?? "",
    maxMemory: Number(/^maxmemory:(\d+)/m.exec(memory ?? "")?.[1] ?? 0),
  };
}
