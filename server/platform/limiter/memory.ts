import { type Bucket, levelAt, retryAfterSeconds, stateOf, toMicro } from "./bucket.ts";
import type { Admission, BucketCharge, BucketOutcome, BucketRule, BucketState, Charge, Limiter } from "./types.ts";

// A charge adds at most one bucket and the sweep checks two, so that it keeps up without ever scanning all.
const SWEPT_PER_CHARGE = 2;

/** Buckets of a process that runs alone. No method waits. */
export class MemoryLimiter implements Limiter {
  readonly #elapsedMs: () => number;
  readonly #buckets = new Map<string, Bucket>();
  #sweep = this.#buckets.entries();

  /** `elapsedMs`: real, monotonic milliseconds with fractions, from any origin. */
  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** The number of buckets, including empty ones that were not swept yet. */
  get bucketCount(): number {
    return this.#buckets.size;
  }

  async admit(charge: Charge): Promise<Admission> {
    const now = this.#now();
    const cost = toMicro(charge.cost);
    const key = this.#charge(keyName(charge), charge.key, cost, now, false);
    if (!key.fits) return refused("key", stateOf(key.level, charge.key), charge.cost);
    const store = this.#charge(storeName(charge), charge.store, cost, now, false);
    if (!store.fits) return refused("store", stateOf(store.level, charge.store), charge.cost);
    return { admitted: true, key: stateOf(key.level, charge.key) };
  }

  async book(charge: Charge): Promise<BucketState> {
    const now = this.#now();
    const cost = toMicro(charge.cost);
    const key = this.#charge(keyName(charge), charge.key, cost, now, true);
    this.#charge(storeName(charge), charge.store, cost, now, true);
    return stateOf(key.level, charge.key);
  }

  async chargeBucket({ name, rule, cost }: BucketCharge): Promise<BucketOutcome> {
    const bucket = this.#charge(`take ${name}`, rule, toMicro(cost), this.#now(), false);
    if (bucket.fits) return { admitted: true, retryAfterSeconds: 0 };
    return { admitted: false, retryAfterSeconds: retryAfterSeconds(stateOf(bucket.level, rule), cost) };
  }

  async close(): Promise<void> {
    this.#buckets.clear();
  }

  #now(): number {
    return Math.floor(this.#elapsedMs() * 1000 + 0.5);
  }

  #charge(
    name: string,
    rule: BucketRule,
    cost: number,
    now: number,
    always: boolean,
  ): { fits: boolean; level: number } {
    this.#dropEmpty(now);
    const bucket = this.#buckets.get(name);
    const before = bucket ? levelAt(bucket, now) : 0;
    const fits = before + cost <= toMicro(rule.capacity);
    const level = fits || always ? Math.max(0, before + cost) : before;
    if (bucket) {
      bucket.level = level;
      bucket.at = now;
      bucket.leak = rule.leakPerSecond;
    } else if (level > 0) {
      this.#buckets.set(name, { level, at: now, leak: rule.leakPerSecond });
    }
    return { fits, level };
  }

  #dropEmpty(now: number): void {
    for (let looked = 0; looked < SWEPT_PER_CHARGE; looked++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#buckets.entries();
        return;
      }
      const [name, bucket] = next.value;
      if (levelAt(bucket, now) === 0) this.#buckets.delete(name);
    }
  }
}

const keyName = (charge: Charge): string => `key ${charge.storeId} ${charge.keyId}`;
const storeName = (charge: Charge): string => `store ${charge.storeId}`;

const refused = (rejectedBy: "key" | "store", bucket: BucketState, cost: number): Admission => ({
  admitted: false,
  rejectedBy,
  bucket,
  retryAfterSeconds: retryAfterSeconds(bucket, cost),
});
