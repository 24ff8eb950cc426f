import { SenderGuard, type SenderLimits } from "../platform/limiter/senders.ts";
import { type BucketOutcome, type BucketRule, LimiterUnavailable } from "../platform/limiter/types.ts";
import { Problem, retryLater } from "../platform/problems.ts";
import type { AccountDeps } from "./deps.ts";
import type { HashTurn } from "./hash-turns.ts";

/**
 * How often a password or a code may be guessed [accounts.guessing]. All of it is charged before anything is compared, and
 * an unknown account has a bucket as a known one has.
 *
 * Where buckets are out of reach nobody may guess: unlike a shopper's answers, a sign-in can wait.
 */
const account: BucketRule = { capacity: 10, leakPerSecond: 1 / 30 };
/** Of all browsers that are known to an account, so that nobody who once had it has gathered any number of guesses. */
const browsers: BucketRule = { capacity: 30, leakPerSecond: 1 / 10 };
/** Letters to one address: the person who requests them may not be the recipient. */
const letters: BucketRule = { capacity: 5, leakPerSecond: 1 / 300 };

/**
 * Of passwords, each of which is a fifth of a second of a processor's time: what an address is wrong about takes six
 * seconds of it at once, and then a fiftieth. Who is right is given theirs back, so that an office signs in behind one.
 */
const passwordLimits: SenderLimits = {
  address: { capacity: 30, leakPerSecond: 1 / 10 },
  network: { capacity: 90, leakPerSecond: 3 / 10 },
  store: account,
};

/** Of links, letters and ways to the identity provider, of which each is a millisecond or two. */
const visitLimits: SenderLimits = {
  address: { capacity: 100, leakPerSecond: 1 / 5 },
  network: { capacity: 400, leakPerSecond: 4 / 5 },
  store: account,
};

export class Guesses {
  readonly #deps: AccountDeps;
  readonly #passwords: SenderGuard;
  readonly #visits: SenderGuard;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
    const { limiter, elapsed, secrets } = deps;
    this.#passwords = new SenderGuard({ limiter, elapsed, secrets, kind: "password", limits: passwordLimits });
    this.#visits = new SenderGuard({ limiter, elapsed, secrets, kind: "sign-in", limits: visitLimits });
  }

  /**
   * Throws 429 `rate_limited`. @param email what was typed for one, which the limiter is not told
   * @param browser of whoever has signed in with it to this account; null: a stranger's
   */
  async chargePassword(email: string, from: string, browser: string | null): Promise<void> {
    // no stranger at the same address, or at the same account, is to keep them from signing in
    if (browser !== null) {
      await this.#charge("browser", browser, account);
      return this.#charge("browsers", email, browsers);
    }
    await this.#passwords.chargeAddress(from, 1);
    await this.#charge("account", email, account);
  }

  /** The address was right about the password; how often an account is signed in to stays bounded. */
  async giveBackPassword(from: string, browser: string | null): Promise<void> {
    if (browser === null) await this.#passwords.giveBack(from, 1);
  }

  /** Throws 429 `rate_limited`. Counted apart: whoever guesses without a session keeps nobody from confirming theirs. */
  chargeSignedIn(userId: string): Promise<void> {
    return this.#charge("person", userId, account);
  }

  /**
   * Throws 429 `rate_limited`. Counted apart: whoever guesses passwords without a link keeps nobody who has one from
   * using it. @param what the account that a code is given for, or the link that a password is set by
   */
  chargeWithLink(what: string): Promise<void> {
    return this.#charge("link", what, account);
  }

  /** Throws 429 `rate_limited`. @param to the address that a letter is asked for */
  async chargeMail(to: string, from: string): Promise<void> {
    await this.#visits.chargeAddress(from, 1);
    await this.#charge("letter", to, letters);
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

  /** For tokens, which cannot be guessed: limits the work caused by trying. */
  async chargeAddress(from: string): Promise<void> {
    await this.#visits.chargeAddress(from, 1);
  }

  turnOf(from: string, isKnown: boolean): HashTurn {
    return { sender: this.#passwords.senderOf(from), isKnown };
  }

  async #charge(kind: string, who: string, rule: BucketRule): Promise<void> {
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
