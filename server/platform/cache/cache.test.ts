import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startRedis } from "../../../testkit/redis.ts";
import { timed } from "../../../testkit/timed.ts";
import { MemoryCache } from "./memory.ts";
import { RedisCache } from "./redis.ts";
import { type Cache, largestEntryBytes } from "./types.ts";

const redis = await startRedis();
afterAll(() => redis?.stop());

const opened: Cache[] = [];
const elapsed = () => performance.now();
const keep = <T extends Cache>(cache: T): T => {
  opened.push(cache);
  return cache;
};
afterEach(async () => {
  for (const cache of opened.splice(0)) await cache.close();
});

const kinds: [string, () => Promise<Cache>][] = [["in memory", async () => new MemoryCache(elapsed)]];
const openRedis = (url: string, commandTimeoutMs = 5_000) =>
  RedisCache.open({ url, random: Math.random, commandTimeoutMs });
if (redis) kinds.push(["in Redis", () => openRedis(redis.url)]);

let named = 0;
const newKey = () => `store:${process.pid}:${++named}`;

describe.each(kinds)("answers kept %s [operations.shared-answers]", (_, open) => {
  it("are found by their own key alone, for as long as was said", async () => {
    const cache = keep(await open());
    const [one, other] = [newKey(), newKey()];
    await cache.set(one, "figures {}", 60_000);
    await cache.set(other, "short", 60_000);
    expect([await cache.get(one), await cache.get(other), await cache.get(newKey())]).toEqual([
      "figures {}",
      "short",
      null,
    ]);
    await cache.set(other, "shorter", 40);
    await pause(60);
    expect([await cache.get(one), await cache.get(other)]).toEqual(["figures {}", null]);
    await cache.set(one, "newer", 60_000);
    expect(await cache.get(one)).toBe("newer");
  });

  it("are not kept when they are too large, nor is what they replace", async () => {
    const cache = keep(await open());
    const key = newKey();
    await cache.set(key, "old", 60_000);
    await cache.set(key, "é".repeat(largestEntryBytes / 2 + 1), 60_000);
    expect(await cache.get(key)).toBeNull();
    const large = "é".repeat(largestEntryBytes / 2);
    await cache.set(key, large, 60_000);
    expect(await cache.get(key)).toBe(large);
  });
});

describe("answers kept in memory", () => {
  it("make room by the bytes that they take, the least recently used first", async () => {
    const cache = keep(new MemoryCache(elapsed, 10_000));
    for (const name of ["a", "b", "c"]) await cache.set(name, name.repeat(3_000), 60_000);
    await cache.get("a");
    await cache.set("d", "d".repeat(3_000), 60_000);
    const found = await Promise.all(["a", "b", "c", "d"].map((name) => cache.get(name)));
    expect(found.map((value) => value?.[0] ?? null)).toEqual(["a", null, "c", "d"]);
    for (let n = 0; n < 1_000; n += 1) await cache.set(`${n % 50}`, "x".repeat(n), n % 3 === 0 ? 0 : 60_000);
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  });

  it("expire by elapsed time", async () => {
    let now = 0;
    const cache = keep(new MemoryCache(() => now));
    await cache.set("a", "figures", 1_000);
    now = 999;
    expect(await cache.get("a")).toBe("figures");
    now = 1_000;
    expect(await cache.get("a")).toBeNull();
    expect(cache.bytes).toBe(0);
  });

  it("are made by whoever asks, since no other process shares them", async () => {
    const cache = keep(new MemoryCache(elapsed));
    expect([await cache.claim(), await cache.claim()]).toEqual([true, true]);
  });
});

describe.runIf(redis)("answers kept in Redis", () => {
  it("are shared, and made by one process at a time", async () => {
    const url = redis?.url ?? "";
    const [here, there] = [keep(await openRedis(url)), keep(await openRedis(url))];
    const key = newKey();
    await here.set(key, "figures", 60_000);
    expect(await there.get(key)).toBe("figures");
    expect([await here.claim(key, 60_000), await there.claim(key, 60_000)]).toEqual([true, false]);
    await here.unclaim(key);
    expect(await there.claim(key, 30)).toBe(true);
    await pause(50);
    expect(await here.claim(key, 30)).toBe(true);
  });

  it("are as good as none while Redis hangs, and no one waits longer than the command's time-out", async () => {
    const cache = keep(await openRedis(redis?.url ?? "", 50));
    const key = newKey();
    await cache.set(key, "figures", 60_000);
    redis?.pause();
    try {
      const { ranMs } = await timed(async () => {
        expect(await cache.get(key)).toBeNull();
        expect(await cache.claim(key, 1_000)).toBe(true);
        await cache.set(key, "newer", 60_000);
        await cache.unclaim(key);
      });
      expect(ranMs).toBeLessThan(500);
    } finally {
      redis?.resume();
    }
  });
});

it("holds nothing, and refuses nothing, while Redis is away [operations.shared-answers]", async () => {
  const cache = keep(await openRedis("redis://127.0.0.1:1"));
  await cache.set("a", "figures", 60_000);
  expect([await cache.get("a"), await cache.claim("a", 1_000)]).toEqual([null, true]);
  await cache.unclaim("a");
});
