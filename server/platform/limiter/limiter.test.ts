import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startRedis } from "../../../testkit/redis.ts";
import { remaining, resetSeconds } from "./bucket.ts";
import { MemoryLimiter } from "./memory.ts";
import { RedisLimiter } from "./redis.ts";
import type { Admission, BucketRule, BucketState, Charge, Limiter } from "./types.ts";

// A machine's own time, far from 0 and in whole microseconds, as `TIME` gives it.
const START_US = 1_790_000_000_123_457;

const redis = await startRedis();
let nowUs = START_US;
const clock = () => nowUs / 1000;
const limiters: Record<string, Limiter | null> = {
  memory: new MemoryLimiter(clock),
  redis: redis && (await RedisLimiter.open({ url: redis.url, random: () => 0.5, clock, commandTimeoutMs: 5_000 })),
};
afterAll(async () => {
  await limiters["redis"]?.close();
  await redis?.stop();
});

let stores = 0;
const newStore = () => `store_${++stores}`;
const advance = (seconds: number) => {
  nowUs += Math.round(seconds * 1e6);
};

const plus: BucketRule = { capacity: 72, leakPerSecond: 12 };
const plusStore: BucketRule = { capacity: 216, leakPerSecond: 36 };
const charge = (storeId: string, cost: number, more: Partial<Charge> = {}): Charge => ({
  storeId,
  keyId: "key_1",
  key: plus,
  store: plusStore,
  cost,
  ...more,
});

describe.each(["memory", "redis"])("limiter in %s", (where) => {
  let limiter: Limiter;
  beforeEach((context) => {
    const present = limiters[where];
    if (!present) return context.skip("redis-server is not on PATH");
    limiter = present;
    nowUs = START_US;
  });

  const admit = async (request: Charge) => await limiter.admit(request);

  it("admits a burst up to the key's capacity and not one unit more [api.rate-limits]", async () => {
    const store = newStore();
    for (let unit = 1; unit <= 72; unit++)
      expect(await admit(charge(store, 1))).toEqual({ admitted: true, key: { ...plus, level: unit } });
    expect(await admit(charge(store, 1))).toEqual({
      admitted: false,
      rejectedBy: "key",
      bucket: { ...plus, level: 72 },
      retryAfterSeconds: 1,
    });
  });

  it("sustains the leak rate for ever, without drift [api.exact-limits]", async () => {
    const store = newStore();
    const admitted = async (cost: number) => (await admit(charge(store, cost))).admitted;
    expect(await admitted(72)).toBe(true);
    for (let turn = 0; turn < 300; turn++) {
      // Two waits a third of a microsecond short of a unit, and one that makes up for both: 3 units in all.
      advance(0.083333);
      expect(await admitted(1)).toBe(false);
      advance(0.083333);
      expect(await admitted(2)).toBe(false);
      advance(0.083334);
      expect(await admitted(3)).toBe(true);
      expect(await admitted(1)).toBe(false);
    }
  });

  it("adds nothing for a rejected request [api.rate-limits]", async () => {
    const store = newStore();
    await admit(charge(store, 70));
    for (let tries = 0; tries < 5; tries++) expect((await admit(charge(store, 6))).admitted).toBe(false);
    expect(await admit(charge(store, 2))).toMatchObject({ admitted: true, key: { level: 72 } });
  });

  it("never touches the store's bucket for what the key's rejects [api.rate-limits]", async () => {
    const store = newStore();
    await admit(charge(store, 72));
    for (let tries = 0; tries < 5; tries++) expect((await admit(charge(store, 6))).admitted).toBe(false);
    expect((await admit(charge(store, 72, { keyId: "key_2" }))).admitted).toBe(true);
    expect((await admit(charge(store, 72, { keyId: "key_3" }))).admitted).toBe(true);
    expect(await admit(charge(store, 1, { keyId: "key_4" }))).toMatchObject({
      rejectedBy: "store",
      bucket: { level: 216 },
    });
  });

  it("keeps the key's charge when the store's bucket rejects, and shows the store's bucket [api.rate-limits]", async () => {
    const store = newStore();
    const small = { capacity: 10, leakPerSecond: 1 };
    await admit(charge(store, 10, { store: small }));
    const refusal = await admit(charge(store, 6, { store: small }));
    expect(refusal).toEqual({
      admitted: false,
      rejectedBy: "store",
      bucket: { ...small, level: 10 },
      retryAfterSeconds: 6,
    });
    expect(await admit(charge(store, 1, { store: plusStore }))).toMatchObject({ key: { level: 17 } });
  });

  it("keeps stores, and the keys of a store, apart [api.rate-limits]", async () => {
    const [one, other] = [newStore(), newStore()];
    await admit(charge(one, 72));
    expect(await admit(charge(one, 1, { keyId: "key_2" }))).toMatchObject({ key: { level: 1 } });
    expect(await admit(charge(other, 1))).toMatchObject({ key: { level: 1 } });
  });

  it("always books the surcharge, on a full bucket too, and on both buckets [api.analytics-price]", async () => {
    const store = newStore();
    await admit(charge(store, 72));
    const state = await limiter.book(charge(store, 2));
    expect(state).toEqual({ ...plus, level: 74 });
    expect(remaining(state)).toBe(0);
    expect(await admit(charge(store, 1))).toMatchObject({ rejectedBy: "key", bucket: { level: 74 } });
    expect((await admit(charge(store, 72, { keyId: "key_2" }))).admitted).toBe(true);
    expect(await admit(charge(store, 71, { keyId: "key_3" }))).toMatchObject({
      rejectedBy: "store",
      bucket: { level: 146 },
    });
  });

  it("admits again once Retry-After has passed [api.retry-after]", async () => {
    const store = newStore();
    await admit(charge(store, 72));
    const refusal = await admit(charge(store, 30));
    expect(refusal).toMatchObject({ retryAfterSeconds: 3 });
    advance(2.4);
    expect((await admit(charge(store, 30))).admitted).toBe(false);
    advance(0.6);
    expect((await admit(charge(store, 30))).admitted).toBe(true);
  });

  it("follows a changed override at the next charge [api.overrides]", async () => {
    const store = newStore();
    await admit(charge(store, 72));
    const lowered = { capacity: 10, leakPerSecond: 1 };
    expect(await admit(charge(store, 1, { key: lowered }))).toMatchObject({
      bucket: { capacity: 10, level: 72 },
      retryAfterSeconds: 63,
    });
    advance(60);
    expect(await admit(charge(store, 1, { key: lowered }))).toMatchObject({
      bucket: { level: 12 },
      retryAfterSeconds: 3,
    });
    expect(await admit(charge(store, 1, { key: plus }))).toMatchObject({ key: { level: 13 } });
  });

  it("is not stuck when the clock steps back [api.exact-limits]", async () => {
    const store = newStore();
    await admit(charge(store, 72));
    advance(-3600);
    expect((await admit(charge(store, 1))).admitted).toBe(false);
    advance(1);
    expect(await admit(charge(store, 1))).toMatchObject({ admitted: true, key: { level: 61 } });
  });

  it("limits a bucket of its own by name [storefront.sender-limits]", async () => {
    const name = newStore();
    const rule = { capacity: 2, leakPerSecond: 0.1 };
    expect(await limiter.chargeBucket({ name, rule, cost: 2 })).toEqual({ admitted: true, retryAfterSeconds: 0 });
    expect(await limiter.chargeBucket({ name, rule, cost: 1 })).toEqual({ admitted: false, retryAfterSeconds: 10 });
    expect(await limiter.chargeBucket({ name: `${name} other`, rule, cost: 1 })).toMatchObject({ admitted: true });
    advance(10);
    expect(await limiter.chargeBucket({ name, rule, cost: 1 })).toMatchObject({ admitted: true });
  });

  it("gives back what a bucket was charged, and never more than it holds [accounts.guessing]", async () => {
    const bucket = { name: newStore(), rule: { capacity: 3, leakPerSecond: 0.1 } };
    const charged = async (cost: number) => (await limiter.chargeBucket({ ...bucket, cost })).admitted;
    expect([await charged(3), await charged(1), await charged(-1)]).toEqual([true, false, true]);
    expect([await charged(1), await charged(1), await charged(-9)]).toEqual([true, false, true]);
    expect([await charged(3), await charged(1)]).toEqual([true, false]);
  });

  it("agrees with a naive model in exact fractions over random histories [api.exact-limits]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        nowUs = START_US;
        const model = new Model();
        const run = newStore();
        for (const one of steps) {
          advance(one.waitUs / 1e6);
          const request: Charge = { ...one, storeId: `${run}_${one.storeId}` };
          if (one.kind === "admit")
            expect(shown(await admit(request), one.cost)).toEqual(model.admit(request, BigInt(nowUs)));
          if (one.kind === "book")
            expect(figures(await limiter.book(request))).toEqual(model.book(request, BigInt(nowUs)));
          if (one.kind === "take") {
            const take = { name: `${run} ${one.keyId}`, rule: one.key, cost: one.cost };
            expect(await limiter.chargeBucket(take)).toEqual(model.take(take, BigInt(nowUs)));
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});

const rule = fc.record({ capacity: fc.integer({ min: 1, max: 80 }), leakPerSecond: fc.integer({ min: 1, max: 60 }) });
// Waits that fall exactly on the boundary of a unit are the ones where a rounding error would show.
const wait = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 24 }).map((twelfths) => Math.round((twelfths * 1e6) / 12)) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 3_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 200_000_000 }) },
);
const step = fc.record({
  kind: fc.constantFrom("admit", "admit", "admit", "book", "take"),
  waitUs: wait,
  storeId: fc.constantFrom("a", "b"),
  keyId: fc.constantFrom("k1", "k2", "k3"),
  key: fc.oneof({ weight: 3, arbitrary: fc.constant(plus) }, { weight: 1, arbitrary: rule }),
  store: fc.oneof(
    { weight: 3, arbitrary: fc.constant({ capacity: 90, leakPerSecond: 20 }) },
    { weight: 1, arbitrary: rule },
  ),
  cost: fc.oneof(fc.constantFrom(1, 2, 3, 6), fc.integer({ min: 1, max: 40 }), fc.constant(0.25)),
});

const figures = (state: BucketState) => ({ remaining: remaining(state), reset: resetSeconds(state) });

const shown = (answer: Admission, cost: number) =>
  answer.admitted
    ? { ...figures(answer.key), by: "nobody", cost }
    : { ...figures(answer.bucket), by: answer.rejectedBy, cost, retryAfter: answer.retryAfterSeconds };

/** The same promise in the plainest way: bigint millionths, nothing ever dropped, every figure by exact division. */
class Model {
  readonly #buckets = new Map<string, { level: bigint; at: bigint; leak: bigint }>();

  admit(request: Charge, now: bigint) {
    const { cost } = request;
    const key = this.#pour(`${request.storeId}/${request.keyId}`, request.key, cost, now, false);
    if (!key.fits) return { ...key.figures, by: "key", cost, retryAfter: key.retryAfter };
    const store = this.#pour(request.storeId, request.store, cost, now, false);
    if (!store.fits) return { ...store.figures, by: "store", cost, retryAfter: store.retryAfter };
    return { ...key.figures, by: "nobody", cost };
  }

  book(request: Charge, now: bigint) {
    this.#pour(request.storeId, request.store, request.cost, now, true);
    return this.#pour(`${request.storeId}/${request.keyId}`, request.key, request.cost, now, true).figures;
  }

  take(request: { name: string; rule: BucketRule; cost: number }, now: bigint) {
    const { fits, retryAfter } = this.#pour(request.name, request.rule, request.cost, now, false);
    return { admitted: fits, retryAfterSeconds: fits ? 0 : retryAfter };
  }

  #pour(name: string, { capacity, leakPerSecond }: BucketRule, units: number, now: bigint, always: boolean) {
    const full = BigInt(capacity) * 1_000_000n;
    const leak = BigInt(leakPerSecond);
    const cost = BigInt(units * 1_000_000);
    const bucket = this.#buckets.get(name) ?? { level: 0n, at: now, leak };
    const leaked = bucket.leak * (now - bucket.at);
    const before = leaked > bucket.level ? 0n : bucket.level - leaked;
    const fits = before + cost <= full;
    const level = fits || always ? before + cost : before;
    this.#buckets.set(name, { level, at: now, leak });
    const seconds = (micro: bigint) => Number((micro + leak * 1_000_000n - 1n) / (leak * 1_000_000n));
    return {
      fits,
      figures: { remaining: level > full ? 0 : Number((full - level) / 1_000_000n), reset: seconds(level) },
      retryAfter: Math.max(1, seconds(level + cost > full ? level + cost - full : 0n)),
    };
  }
}
