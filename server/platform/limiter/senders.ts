import type { IncomingHttpHeaders } from "node:http";
import { isIPv6 } from "node:net";
import { LeastRecentlyUsed } from "../least-recently-used.ts";
import { Problem } from "../problems.ts";
import type { Secrets } from "../secrets.ts";
import { type BucketRule, type Limiter, LimiterUnavailable } from "./types.ts";

/** Limits of callers without a key: by their address, and by the store that they name [storefront.sender-limits]. */
export interface SenderLimits {
  /** for an IPv4 address, and for a /64 of IPv6, which one household or server has to itself */
  address: BucketRule;
  /** for a /48 of IPv6: whoever rents one has 65,536 of the above */
  network: BucketRule;
  store: BucketRule;
}

const rememberedAtMost = 10_000;

export interface SenderNames {
  address: string;
  /** null for IPv4, where the address is its own network */
  network: string | null;
}

export interface SenderGuardDeps {
  limiter: Limiter;
  secrets: Secrets;
  /** part of the buckets' names: each kind of route has its own */
  kind: "storefront" | "commerce" | "dashboard" | "password" | "sign-in" | "pages";
  limits: SenderLimits;
}

/** 429 `rate_limited`: too much came from an address or its network, or for a store. */
export class SenderRefusal extends Problem {
  readonly of: "address" | "store";
  /** name of the bucket that refused */
  readonly bucket: string;

  constructor(of: SenderRefusal["of"], bucket: string, retryAfterSeconds: number) {
    super("rate_limited", { extra: { retry_after: retryAfterSeconds } });
    this.of = of;
    this.bucket = bucket;
  }
}

export class SenderGuard {
  readonly #settings: SenderGuardDeps;
  /** by address, because computing the signature in a name costs more than the rest of a charge */
  readonly #names = new LeastRecentlyUsed<SenderNames>(rememberedAtMost);

  constructor(settings: SenderGuardDeps) {
    this.#settings = settings;
  }

  /** Throws `SenderRefusal`. The address itself is neither stored nor passed to the limiter. */
  async chargeAddress(address: string, units: number): Promise<void> {
    const { limits } = this.#settings;
    const names = this.#namesOf(address);
    await this.#charge("address", names.address, limits.address, units);
    if (names.network !== null) await this.#charge("address", names.network, limits.network, units);
  }

  /** Returns what `chargeAddress` took, once the sender has turned out to be known. */
  async giveBack(address: string, units: number): Promise<void> {
    const { limits } = this.#settings;
    const names = this.#namesOf(address);
    await this.#charge("address", names.address, limits.address, -units);
    if (names.network !== null) await this.#charge("address", names.network, limits.network, -units);
  }

  /** Throws `SenderRefusal`. */
  async chargeStore(storeId: string, units: number): Promise<void> {
    const { kind, limits } = this.#settings;
    await this.#charge("store", `${kind} ${storeId}`, limits.store, units);
  }

  /**
   * The largest network that certainly belongs to one sender, under a name that is not its address
   * [storefront.sender-addresses].
   */
  senderOf(address: string): string {
    const names = this.#namesOf(address);
    return names.network ?? names.address;
  }

  #namesOf(address: string): SenderNames {
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    const { kind, secrets } = this.#settings;
    const named = (of: string): string => {
      return `${kind} address ${secrets.sign("sender address", of).toString("base64url", 0, 15)}`;
    };
    const groups = groupsOf(address);
    const names = {
      address: named(countedAddress(address)),
      network: groups === null ? null : named(groups.slice(0, 3).join(":")),
    };
    this.#names.set(address, names);
    return names;
  }

  async #charge(of: SenderRefusal["of"], name: string, rule: BucketRule, cost: number): Promise<void> {
    try {
      const { admitted, retryAfterSeconds } = await this.#settings.limiter.chargeBucket({ name, rule, cost });
      if (!admitted) throw new SenderRefusal(of, name, retryAfterSeconds);
    } catch (error) {
      // what shoppers and shops send must not be lost because the buckets are unreachable [storefront.limiter-away]
      if (!(error instanceof LimiterUnavailable)) throw error;
    }
  }
}

const kilobyte = 1_024;

/** Kilobytes of a body according to its header, rounded up; a body of unannounced length counts as the largest. */
export function announcedKilobytes(headers: IncomingHttpHeaders, most: number): number {
  if (headers["transfer-encoding"] !== undefined) return Math.ceil(most / kilobyte);
  return Math.ceil(Math.min(Number(headers["content-length"] ?? 0), most) / kilobyte);
}

/** What counts as one address [storefront.sender-addresses]: one of IPv4, or a /64 of IPv6. */
export const countedAddress = (address: string): string => groupsOf(address)?.slice(0, 4).join(":") ?? address;

/** The eight groups of an IPv6 address; null for anything else. */
function groupsOf(address: string): string[] | null {
  if (!isIPv6(address)) return null;
  const [head = "", tail = ""] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === "" ? [] : tail.split(":");
  const gap = address.includes("::") ? Array<string>(Math.max(0, 8 - front.length - back.length)).fill("0") : [];
  return [...front, ...gap, ...back];
}
