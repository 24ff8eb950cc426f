import { setTimeout as pause } from "node:timers/promises";
import { type Deadline, noDeadline } from "../deadline.ts";
import type { RandomBytes } from "../ids.ts";
import { LimiterUnavailable } from "../limiter/types.ts";
import { type RedisClient, RedisLink } from "../redis-link.ts";
import { type ConcurrencyLimiter, type Permit, permitWaitMs } from "./types.ts";

const commandTimeoutMs = 50;
// The permits of a process that died are freed after this time. Held permits are renewed early enough to survive one failed
// renewal.
const leaseMs = 10_000;
const renewEveryMs = 3_000;
const pollMs = 50;

/**
 * Takes or renews a permit: holders by token, with the server's time at which each lease ends.
 *
 *   KEYS[1]  the permits' name
 *   ARGV     token, capacity, milliseconds of the lease
 *   answers  1 taken, 0 none is free
 */
export const acquireScript = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
local mine = redis.call("ZSCORE", KEYS[1], ARGV[1])
if not mine and redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call("ZADD", KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1
`;

export interface RedisConcurrencyLimiterDeps {
  /** `redis://` or `rediss://` address. */
  url: string;
  random: RandomBytes;
  /** Milliseconds, 50 by default. */
  commandTimeoutMs?: number;
}

/** Permits shared by several processes. Every failure to reach Redis while taking one is a `LimiterUnavailable`. */
export class RedisConcurrencyLimiter implements ConcurrencyLimiter {
  readonly #link: RedisLink;
  readonly #random: RandomBytes;

  private constructor(link: RedisLink, random: RandomBytes) {
    this.#link = link;
    this.#random = random;
  }

  /** Waits for the first attempt to connect, successful or not. */
  static async open({ url, random, ...options }: RedisConcurrencyLimiterDeps): Promise<RedisConcurrencyLimiter> {
    const spread = () => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
    return new RedisConcurrencyLimiter(
      await RedisLink.open({ url, random: spread, commandTimeoutMs, ...options }),
      random,
    );
  }

  async acquire(name: string, capacity: number, deadline: Deadline = noDeadline): Promise<Permit | null> {
    const call = {
      keys: [`slots:{${name}}`],
      arguments: [Buffer.from(this.#random(16)).toString("hex"), String(capacity), String(leaseMs)],
    };
    for (let waited = 0; waited <= permitWaitMs && !deadline.expired; waited += pollMs) {
      if (waited > 0) await pause(pollMs);
      if (await this.#run(call)) return this.#permit(call);
    }
    return null;
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #permit(call: ScriptCall): Permit {
    // a failed renewal does no harm before the lease ends, and the next one makes up for it
    const renewal = setInterval(() => void this.#run(call).catch(() => undefined), renewEveryMs).unref();
    let released = false;
    return {
      release: () => {
        if (released) return;
        released = true;
        clearInterval(renewal);
        this.#forget(call);
      },
    };
  }

  async #run(call: ScriptCall): Promise<boolean> {
    try {
      return (await this.#link.run((client) => client.eval(acquireScript, call))) === 1;
    } catch (error) {
      // the server may have granted the permit without its answer arriving
      this.#forget(call);
      throw new LimiterUnavailable(error);
    }
  }

  /** If Redis is away, the lease expires by itself. */
  #forget({ keys, arguments: [token = ""] }: ScriptCall): void {
    const remove = (client: RedisClient) => client.zRem(keys[0] ?? "", token);
    void this.#link.run(remove).catch(() => undefined);
  }
}

interface ScriptCall {
  keys: string[];
  arguments: string[];
}
