import { type RedisClient, RedisLink } from "../redis-link.ts";
import { type Cache, largestEntryBytes } from "./types.ts";

const commandTimeoutMs = 50;

export interface RedisCacheDeps {
  /** `redis://` or `rediss://` address. */
  url: string;
  /** Uniform in [0, 1): spreads the reconnects of many processes. */
  random: () => number;
  /** Milliseconds, 50 by default. */
  commandTimeoutMs?: number;
}

/** Shared by several processes. It has a connection of its own, so that a large value does not hold up the limiter. */
export class RedisCache implements Cache {
  readonly #link: RedisLink;

  private constructor(link: RedisLink) {
    this.#link = link;
  }

  /** Waits for the first attempt to connect, successful or not. */
  static async open(options: RedisCacheDeps): Promise<RedisCache> {
    return new RedisCache(await RedisLink.open({ commandTimeoutMs, ...options }));
  }

  get(key: string): Promise<string | null> {
    return this.#run((client) => client.get(entryName(key)), null);
  }

  async set(key: string, value: string, milliseconds: number): Promise<void> {
    // delete the older value, which must not outlive a newer one that is too large to be cached
    if (Buffer.byteLength(value) > largestEntryBytes) await this.#run((client) => client.del(entryName(key)), 0);
    else await this.#run((client) => client.set(entryName(key), value, px(milliseconds)), null);
  }

  async claim(key: string, milliseconds: number): Promise<boolean> {
    const taken = await this.#run(
      (client) => client.set(claimName(key), "1", { condition: "NX", ...px(milliseconds) }),
      "OK",
    );
    return taken !== null;
  }

  async unclaim(key: string): Promise<void> {
    await this.#run((client) => client.del(claimName(key)), 0);
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #run<T>(command: (client: RedisClient) => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await this.#link.run(command);
    } catch {
      // the limiter, which needs the same Redis, reports the outage
      return otherwise;
    }
  }
}

const entryName = (key: string) => `answer:{${key}}`;
const claimName = (key: string) => `making:{${key}}`;
const px = (milliseconds: number) =>
  ({ expiration: { type: "PX", value: Math.max(1, Math.ceil(milliseconds)) } }) as const;
