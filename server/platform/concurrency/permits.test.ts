import { randomBytes } from "node:crypto";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startRedis } from "../../../testkit/redis.ts";
import { timed } from "../../../testkit/timed.ts";
import { Deadlines } from "../deadline.ts";
import { LimiterUnavailable } from "../limiter/types.ts";
import { MemoryConcurrencyLimiter } from "./memory.ts";
import { RedisConcurrencyLimiter } from "./redis.ts";
import type { ConcurrencyLimiter, Permit } from "./types.ts";

const redis = await startRedis();
afterAll(() => redis?.stop());

const opened: ConcurrencyLimiter[] = [];
afterEach(async () => {
  for (const permits of opened.splice(0)) await permits.close();
});

/** Two openings that share their permits, as two processes would; in memory they are one. */
const kinds: [string, () => Promise<[ConcurrencyLimiter, ConcurrencyLimiter]>][] = [
  [
    "in memory",
    async () => {
      const permits = new MemoryConcurrencyLimiter();
      return [permits, permits];
    },
  ],
];
if (redis) {
  const open = () => RedisConcurrencyLimiter.open({ url: redis.url, random: randomBytes, commandTimeoutMs: 5_000 });
  kinds.push(["in Redis", async () => [await open(), await open()]]);
}

describe.each(kinds)("search permits %s", (_, open) => {
  const openTwo = async () => {
    const both = await open();
    opened.push(...both);
    return both;
  };
  let named = 0;
  const newName = () => `store-${process.pid}-${++named}`;

  it("gives out as many as there are, whoever asks, and one again for each that comes back [search.at-once]", async () => {
    const [here, there] = await openTwo();
    const name = newName();
    const taken: (Permit | null)[] = [];
    for (let i = 0; i < 15; i++) taken.push(await (i % 2 ? here : there).acquire(name, 15));
    expect(taken.filter((permit) => permit !== null)).toHaveLength(15);
    expect(await here.acquire(newName(), 15)).not.toBeNull();
    taken[3]?.release();
    taken[3]?.release();
    expect(await here.acquire(name, 15)).not.toBeNull();
    const before = performance.now();
    expect(await there.acquire(name, 15)).toBeNull();
    expect(performance.now() - before).toBeGreaterThan(900);
  });

  it("waits up to a second for a permit to become free [search.at-once]", async () => {
    const [here, there] = await openTwo();
    const name = newName();
    const first = await here.acquire(name, 1);
    const second = there.acquire(name, 1);
    setTimeout(() => first?.release(), 200);
    expect(await second).not.toBeNull();
  });

  it("stops waiting when the request's time is up [search.at-once]", async () => {
    const [here] = await openTwo();
    const name = newName();
    await here.acquire(name, 1);
    const deadlines = new Deadlines(() => performance.now());
    const deadline = deadlines.open(60_000);
    setTimeout(() => deadline.expire(), 50);
    const { result, ranMs } = await timed(() => here.acquire(name, 1, deadline));
    expect(result).toBeNull();
    expect(ranMs).toBeLessThan(700);
    deadlines.stop();
  });
});

it("says that permits cannot be counted while Redis is away [search.at-once]", async () => {
  const permits = await RedisConcurrencyLimiter.open({ url: "redis://127.0.0.1:1", random: randomBytes });
  opened.push(permits);
  await expect(permits.acquire("store", 15)).rejects.toBeInstanceOf(LimiterUnavailable);
});
