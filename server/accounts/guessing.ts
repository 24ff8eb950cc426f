import { SenderGuard } from "../platform/limiter/senders.ts";
import { type BucketOutcome, type BucketRule, LimiterUnavailable } from "../platform/limiter/types.ts";
import { Problem, retryLater } from "../platform/problems.ts";
import type { AccountDeps } from "./deps.ts";

/**
 * How often a password or a code may be guessed [accounts.guessing]: ten times at once and then twice a minute for one
 * account, a hundred times and then twelve a minute from one address. Both are charged before anything is compared, and
 * an unknown account has a bucket as a known one has.
 *
 * Where buckets are out of reach nobody may guess: unlike a shopper's answers, a sign-in can wait.
 */
const account: BucketRule = { capacity: 10, leakPerSecond: 1 / 30 };
/** Letters to one address: whoever asks for them may not be whom they reach. */
const letters: BucketRule = { capacity: 5, leakPerSecond: 1 / 300 };
const address: BucketRule = { capacity: 100, leakPerSecond: 1 / 5 };
const network: BucketRule = { capacity: 400, leakPerSecond: 4 / 5 };

export class Guesses {
  readonly #deps: AccountDeps;
  readonly #addresses: SenderGuard;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
    const { limiter, elapsed, secrets } = deps;
    const limits = { address, network, store: account };
    this.#addresses = new SenderGuard({ limiter, elapsed, secrets, kind: "sign-in", limits });
  }

  /** Throws 429 `rate_limited`. @param who the account's address or id, which the limiter is not told */
  chargeGuess(who: string, from: string): Promise<void> {
    return this.#charge("account", who, account, from);
  }

  /**
   * Throws 429 `rate_limited`. Counted apart: whoever guesses passwords without a link keeps nobody who has one from
   * using it.
   */
  chargeWithLink(who: string, from: string): Promise<void> {
    return this.#charge("link", who, account, from);
  }

  /** Throws 429 `rate_limited`. @param to the address that a letter is asked for */
  chargeMail(to: string, from: string): Promise<void> {
    return this.#charge("letter", to, letters, from);
  }

  /** Whether one more letter may go to that address, which did not ask for it. Nothing fails with a letter. */
  async mayWrite(to: string): Promise<boolean> {
    try {
      return (await this.#chargeOf("letter", to, letters)).admitted;
    } catch (error) {
      if (error instanceof Problem && error.title === "limiter_unavailable") return false;
      throw error;
    }
  }

  /** Of tokens, which nobody can guess: what bounds the work of trying. */
  async chargeAddress(from: string): Promise<void> {
    await this.#addresses.chargeAddress(from, 1);
  }

  async #charge(kind: string, who: string, rule: BucketRule, from: string): Promise<void> {
    await this.#addresses.chargeAddress(from, 1);
    const { admitted, retryAfterSeconds } = await this.#chargeOf(kind, who, rule);
    if (!admitted) throw retryLater("rate_limited", retryAfterSeconds);
  }

  async #chargeOf(kind: string, who: string, rule: BucketRule): Promise<BucketOutcome> {
    const { secrets, limiter } = this.#deps;
    const name = `sign-in ${kind} ${secrets.sign(`sign-in ${kind}`, who).toString("base64url", 0, 15)}`;
    try {
      return await limiter.chargeBucket({ name, rule, cost: 1 });
    } catch (error) {
      if (!(error instanceof LimiterUnavailable)) throw error;
      throw retryLater("limiter_unavailable", error.retryAfterSeconds, error);
    }
  }
}
