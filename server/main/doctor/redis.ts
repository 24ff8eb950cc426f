import type { ElapsedClock } from "../../platform/deadline.ts";
import { RedisLink } from "../../platform/redis-link.ts";
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
    const info = await link.run((client) => client.info("server"));
    const version = /redis_version:([\d.]+)/.exec(info)?.[1] ?? "of no known version";
    const times: number[] = [];
    for (let n = 0; n < tries; n += 1) {
      const began = elapsed();
      await link.run((client) => client.ping());
      times.push(elapsed() - began);
    }
    const ms = Math.round((times.sort((a, b) => a - b)[Math.floor(tries / 2)] ?? 0) * 10) / 10;
    const detail = `Redis ${version} answers in ${ms} ms`;
    if (Number.parseInt(version, 10) < oldest) return fail(detail, `run Redis ${oldest} or newer`);
    return ms < slowMs ? ok(detail) : warn(detail, "reduce its latency: commands time out after 50 ms");
  } catch (error) {
    const reason = problem ?? error;
    const text = reason instanceof Error ? reason.message || reason.name : "unknown failure";
    return fail(`Redis does not answer: ${text}`, "start it, or mend REDIS_URL; until then writes are refused");
  } finally {
    await link.close();
  }
}
