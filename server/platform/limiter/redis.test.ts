import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "redis";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startRedis, type TestRedis } from "../../../testkit/redis.ts";
import { patience } from "../../../testkit/slowness.ts";
import { timed } from "../../../testkit/timed.ts";
import { RedisLimiter } from "./redis.ts";
import { type Charge, type Limiter, LimiterUnavailable } from "./types.ts";

const server = await startRedis();
afterAll(async () => {
  await server?.stop();
});

let charges = 0;
const charge = (storeId = `store_${++charges}`): Charge => ({
  storeId,
  keyId: "key_1",
  key: { capacity: 72, leakPerSecond: 12 },
  store: { capacity: 216, leakPerSecond: 36 },
  cost: 1,
});

async function isUnavailable(limiter: Limiter): Promise<boolean> {
  try {
    await limiter.admit(charge());
    return false;
  } catch (error) {
    if (!(error instanceof LimiterUnavailable)) throw error;
    return true;
  }
}

/** What a charge came to, and after how many milliseconds. */
async function tried(limiter: Limiter) {
  const { result, tookMs, ranMs } = await timed(() => isUnavailable(limiter));
  return { unavailable: result, tookMs, ranMs };
}

async function worksWithin(limiter: Limiter, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms * patience;
  while (performance.now() < deadline) {
    if (!(await tried(limiter)).unavailable) return true;
    await pause(20);
  }
  return false;
}

describe("limiter in Redis", () => {
  let redis: TestRedis;
  beforeEach((context) => {
    if (!server) return context.skip("redis-server is not on PATH");
    redis = server;
  });

  // Long by default: on a busy machine a healthy Redis may be slow, and most tests are not about time.
  const open = (commandTimeoutMs = 5_000) => RedisLimiter.open({ url: redis.url, random: () => 0.5, commandTimeoutMs });

  it("leaks by the server's own clock [api.shared-limits]", async () => {
    const limiter = await open();
    try {
      const request = { ...charge(), cost: 72 };
      expect((await limiter.admit(request)).admitted).toBe(true);
      expect((await limiter.admit(request)).admitted).toBe(false);
      await pause(300);
      expect((await limiter.admit({ ...request, cost: 3 })).admitted).toBe(true);
      expect((await limiter.admit({ ...request, cost: 72 })).admitted).toBe(false);
    } finally {
      await limiter.close();
    }
  });

  it("shares the buckets between processes [api.shared-limits]", async () => {
    const [one, other] = [await open(), await open()];
    try {
      const request = { ...charge(), key: { capacity: 72, leakPerSecond: 0.01 } };
      const burst = Array.from({ length: 50 }, () => [one.admit(request), other.admit(request)]).flat();
      const admitted = (await Promise.all(burst)).filter((answer) => answer.admitted);
      expect(admitted).toHaveLength(72);
    } finally {
      await one.close();
      await other.close();
    }
  });

  it("names both buckets into one slot and lets idle ones vanish [api.shared-limits]", async () => {
    const limiter = await open();
    const probe = await createClient({ url: redis.url }).connect();
    try {
      await limiter.admit({ ...charge("store_idle"), cost: 12 });
      const names = await probe.keys("limiter:{store_idle}:*");
      expect(names.toSorted()).toEqual(["limiter:{store_idle}:key:key_1", "limiter:{store_idle}:store"]);
      for (const name of names) {
        const left = await probe.pTTL(name);
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(61_000);
      }
    } finally {
      await limiter.close();
      probe.destroy();
    }
  });

  it("goes on when Redis has forgotten the script", async () => {
    const limiter = await open();
    const probe = await createClient({ url: redis.url }).connect();
    try {
      const request = charge();
      await limiter.admit(request);
      await probe.scriptFlush();
      const answers = await Promise.all(Array.from({ length: 20 }, () => limiter.admit(request)));
      expect(answers.every((answer) => answer.admitted)).toBe(true);
    } finally {
      await limiter.close();
      probe.destroy();
    }
  });

  it("is unavailable within 50 ms when Redis stalls [api.limiter-away]", async () => {
    const limiter = await RedisLimiter.open({ url: redis.url, random: () => 0.5 });
    try {
      redis.pause();
      const { unavailable, tookMs, ranMs } = await tried(limiter);
      expect(unavailable).toBe(true);
      expect(tookMs).toBeGreaterThan(45);
      expect(ranMs).toBeLessThan(90);
    } finally {
      redis.resume();
      await limiter.close();
    }
  });

  it("is unavailable at once after a time-out, and recovers with the late answer [api.limiter-away]", async () => {
    const limiter = await open(700);
    try {
      redis.pause();
      expect((await tried(limiter)).unavailable).toBe(true);
      const next = await timed(() => Promise.all(Array.from({ length: 100 }, () => isUnavailable(limiter))));
      expect(next.result).toEqual(Array(100).fill(true));
      expect(next.ranMs).toBeLessThan(400);
      redis.resume();
      expect(await worksWithin(limiter, 5_000)).toBe(true);
    } finally {
      redis.resume();
      await limiter.close();
    }
  });

  it("recovers from a stall so long that the connection was given up [api.limiter-away]", async () => {
    const limiter = await open(200);
    try {
      redis.pause();
      expect((await tried(limiter)).unavailable).toBe(true);
      await pause(1_500);
      expect((await tried(limiter)).unavailable).toBe(true);
      redis.resume();
      expect(await worksWithin(limiter, 5_000)).toBe(true);
    } finally {
      redis.resume();
      await limiter.close();
    }
  });

  it("does not charge, after a stall, what was refused during it [api.limiter-away]", async () => {
    const limiter = await open(200);
    try {
      const request = { ...charge(), key: { capacity: 72, leakPerSecond: 0.01 } };
      await limiter.admit(request);
      redis.pause();
      for (let tries = 0; tries < 60; tries++) await expect(limiter.admit(request)).rejects.toThrow(LimiterUnavailable);
      redis.resume();
      expect(await worksWithin(limiter, 5_000)).toBe(true);
      // Only the one that was on its way when Redis stalled has counted, beside the first and this one.
      const answer = await limiter.admit(request);
      expect(answer.admitted && Math.round(answer.key.level)).toBe(3);
    } finally {
      redis.resume();
      await limiter.close();
    }
  });

  it("works again after Redis was killed and started again, without a restart of its own [api.limiter-away]", async () => {
    const problems: (Error | null)[] = [];
    const limiter = await RedisLimiter.open({
      url: redis.url,
      random: () => 0.5,
      commandTimeoutMs: 5_000,
      onChange: (problem) => problems.push(problem),
    });
    try {
      expect((await tried(limiter)).unavailable).toBe(false);
      await redis.kill();
      const down = await tried(limiter);
      expect(down.unavailable).toBe(true);
      expect(down.ranMs).toBeLessThan(1_000);
      await redis.restart();
      expect(await worksWithin(limiter, 5_000)).toBe(true);
      expect(problems[0]).toBeNull();
      expect(problems[1]).toBeInstanceOf(Error);
      expect(problems.at(-1)).toBeNull();
    } finally {
      await limiter.close();
    }
  });

  it("starts while Redis is down, and finds it later [api.limiter-away]", async () => {
    await redis.kill();
    const limiter = await open();
    try {
      const down = await tried(limiter);
      expect(down.unavailable).toBe(true);
      expect(down.ranMs).toBeLessThan(1_000);
      await redis.restart();
      expect(await worksWithin(limiter, 5_000)).toBe(true);
    } finally {
      await limiter.close();
    }
  });

  it("reports an answer that is an error as unavailable, its cause kept [api.limiter-away]", async () => {
    const limiter = await open();
    const probe = await createClient({ url: redis.url }).connect();
    try {
      const request = charge();
      await probe.lPush(`limiter:{${request.storeId}}:store`, "not a bucket");
      const error = await limiter.admit(request).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(LimiterUnavailable);
      expect(error).toMatchObject({ retryAfterSeconds: 2, cause: { message: expect.stringContaining("WRONGTYPE") } });
      expect((await tried(limiter)).unavailable).toBe(false);
    } finally {
      await limiter.close();
      probe.destroy();
    }
  });
});

it("opens in bounded time on a server that accepts and then says nothing, and closes at once [api.limiter-away]", async () => {
  const sockets: Socket[] = [];
  const mute = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
  }).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const address = mute.address();
  if (address === null || typeof address === "string") throw new Error("No port was given");
  const url = `redis://127.0.0.1:${address.port}`;
  const { result: limiter, ranMs } = await timed(() => RedisLimiter.open({ url, random: () => 0.5 }));
  expect(ranMs).toBeLessThan(2_500);
  expect((await tried(limiter)).unavailable).toBe(true);
  await limiter.close();
  expect((await tried(limiter)).unavailable).toBe(true);
  for (const socket of sockets) socket.destroy();
  mute.close();
});
