import { RedisLink, RedisUnreachable } from "../redis-link.ts";
import { probeRedis, refusalCode } from "../redis-probe.ts";
import { retryAfterSeconds, stateOf, toMicro } from "./bucket.ts";
import { runBuckets } from "./script.ts";
import {
  type Admission,
  type BucketCharge,
  type BucketOutcome,
  type BucketRule,
  type BucketState,
  type Charge,
  type Limiter,
  LimiterUnavailable,
} from "./types.ts";

// Adds to every request's latency when Redis stalls; a healthy one answers within 2 ms.
const COMMAND_TIMEOUT_MS = 50;

export interface RedisLimiterDeps {
  /** `redis://` or `rediss://` address. */
  readonly url: string;
  /** Uniform in [0, 1): spreads the reconnects of many processes. */
  readonly random: () => number;
  /** Called when Redis is reached (`null`) or lost (the cause). */
  readonly onChange?: (problem: Error | null) => void;
  /**
   * Called when a Redis that answers refuses what limits need, with the code of its reason, once for each code; and with
   * `null` when a probe finds that it refuses no more.
   */
  readonly onRefusal?: (code: string | null) => void;
  /** Milliseconds, 50 by default. */
  readonly commandTimeoutMs?: number;
  /** Milliseconds, for tests. By default Redis' own clock counts, which all processes share. */
  readonly clock?: () => number;
}

interface Named {
  readonly name: string;
  readonly rule: BucketRule;
}

/** Buckets shared by several processes. Every failure to reach Redis is a `LimiterUnavailable` within the command time-out. */
export class RedisLimiter implements Limiter {
  readonly #link: RedisLink;
  readonly #clock: (() => number) | undefined;
  readonly #onRefusal: ((code: string | null) => void) | undefined;
  #refusal: string | null = null;

  private constructor(link: RedisLink, { clock, onRefusal }: Pick<RedisLimiterDeps, "clock" | "onRefusal">) {
    this.#link = link;
    this.#clock = clock;
    this.#onRefusal = onRefusal;
  }

  /**
   * Waits for the first attempt to connect. If that fails, the limiter throws `LimiterUnavailable` and keeps trying.
   */
  static async open({ clock, onRefusal, ...options }: RedisLimiterDeps): Promise<RedisLimiter> {
    const link = await RedisLink.open({ commandTimeoutMs: COMMAND_TIMEOUT_MS, ...options });
    return new RedisLimiter(link, { ...(clock && { clock }), ...(onRefusal && { onRefusal }) });
  }

  /** Whether it can limit at present; if not, the code of Redis' reason, or null if it cannot be reached. */
  async probe(): Promise<{ works: true } | { works: false; code: string | null }> {
    try {
      await this.#link.run(probeRedis);
      this.#noteRefusal(null);
      return { works: true };
    } catch (error) {
      return { works: false, code: this.#noteFailure(error) };
    }
  }

  async admit(charge: Charge): Promise<Admission> {
    const { refusedBy, level } = await this.#charge("admit", charge.cost, bucketsOf(charge));
    if (refusedBy === 0) return { admitted: true, key: stateOf(level, charge.key) };
    const rejectedBy = refusedBy === 1 ? "key" : "store";
    const bucket = stateOf(level, charge[rejectedBy]);
    return { admitted: false, rejectedBy, bucket, retryAfterSeconds: retryAfterSeconds(bucket, charge.cost) };
  }

  async book(charge: Charge): Promise<BucketState> {
    const { level } = await this.#charge("book", charge.cost, bucketsOf(charge));
    return stateOf(level, charge.key);
  }

  async chargeBucket({ name, rule, cost }: BucketCharge): Promise<BucketOutcome> {
    const { refusedBy, level } = await this.#charge("admit", cost, [{ name: `limiter:take:${name}`, rule }]);
    if (refusedBy === 0) return { admitted: true, retryAfterSeconds: 0 };
    return { admitted: false, retryAfterSeconds: retryAfterSeconds(stateOf(level, rule), cost) };
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #charge(mode: "admit" | "book", cost: number, buckets: readonly Named[]) {
    const now = this.#clock ? String(Math.floor(this.#clock() * 1000 + 0.5)) : "";
    const call = {
      keys: buckets.map(({ name }) => name),
      arguments: [
        mode,
        String(toMicro(cost)),
        now,
        ...buckets.flatMap(({ rule }) => [String(toMicro(rule.capacity)), String(rule.leakPerSecond)]),
      ],
    };
    try {
      return outcome(await this.#link.run((client) => runBuckets(client, call)));
    } catch (error) {
      this.#noteFailure(error);
      throw new LimiterUnavailable(error);
    }
  }

  #noteFailure(error: unknown): string | null {
    const code = error instanceof RedisUnreachable ? null : refusalCode(error);
    if (code !== null) this.#noteRefusal(code);
    return code;
  }

  #noteRefusal(code: string | null): void {
    if (this.#refusal === code) return;
    this.#refusal = code;
    this.#onRefusal?.(code);
  }
}

// The braces put both buckets of a charge in one slot of a Redis cluster.
const bucketsOf = (charge: Charge): readonly Named[] => [
  { name: `limiter:{${charge.storeId}}:key:${charge.keyId}`, rule: charge.key },
  { name: `limiter:{${charge.storeId}}:store`, rule: charge.store },
];

const outcome = (reply: unknown): { refusedBy: number; level: number } => {
  if (Array.isArray(reply)) {
    const [refusedBy, level]: unknown[] = reply;
    if (typeof refusedBy === "number" && typeof level === "number") return { refusedBy, level };
  }
  throw new TypeError("Redis answered something else than the script's result");
};
