import { isIPv6 } from "node:net";
import { type BucketRule, type Limiter, LimiterUnavailable, type Taken } from "../platform/limiter/types.ts";
import { retryLater } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";

/** How much one address, and one store, may ask of the storefront (storefront 2). */
export interface StorefrontLimits {
  address: BucketRule;
  store: BucketRule;
}

/** Generous: a whole office, or a phone network, is one address. */
export const storefrontLimits: StorefrontLimits = {
  address: { capacity: 5_000, leakPerSecond: 2_500 },
  store: { capacity: 20_000, leakPerSecond: 10_000 },
};

const rememberedAtMost = 10_000;

export class AbuseGuard {
  readonly #limiter: Limiter;
  readonly #secrets: Secrets;
  readonly #limits: StorefrontLimits;
  /** by address: a signature costs more than all else that a request needs of this */
  readonly #names = new Map<string, string>();

  constructor(limiter: Limiter, secrets: Secrets, limits: StorefrontLimits) {
    this.#limiter = limiter;
    this.#secrets = secrets;
    this.#limits = limits;
  }

  /** Throws 429 `rate_limited`. The address itself is neither stored nor told to the limiter. */
  takeOfAddress(address: string): void | Promise<void> {
    return this.#take(this.#nameOf(address), this.#limits.address);
  }

  /** Throws 429 `rate_limited`. */
  takeOfStore(storeId: string): void | Promise<void> {
    return this.#take(`storefront ${storeId}`, this.#limits.store);
  }

  #nameOf(address: string): string {
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    const hash = this.#secrets.sign("storefront address", network(address)).toString("base64url", 0, 15);
    if (this.#names.size >= rememberedAtMost) this.#names.clear();
    const name = `address ${hash}`;
    this.#names.set(address, name);
    return name;
  }

  #take(name: string, rule: BucketRule): void | Promise<void> {
    try {
      const taken = this.#limiter.take({ name, rule, cost: 1 });
      return taken instanceof Promise ? taken.then(refuse).catch(admitWithoutLimits) : refuse(taken);
    } catch (error) {
      admitWithoutLimits(error);
    }
  }
}

function refuse({ admitted, retryAfterSeconds }: Taken): void {
  if (!admitted) throw retryLater("rate_limited", retryAfterSeconds);
}

/** What shoppers do must not be lost because the buckets are out of reach. */
function admitWithoutLimits(error: unknown): void {
  if (!(error instanceof LimiterUnavailable)) throw error;
}

/** One household or server has a whole /64 of IPv6 to itself, and would have a bucket for each address in it. */
function network(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [head = "", tail = ""] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === "" ? [] : tail.split(":");
  const gap = address.includes("::") ? Array<string>(Math.max(0, 8 - front.length - back.length)).fill("0") : [];
  return [...front, ...gap, ...back].slice(0, 4).join(":");
}
