import { SenderGuard, type SenderLimits } from "../platform/limiter/senders.ts";
import { type BucketOutcome, type BucketRule, LimiterUnavailable } from "../platform/limiter/types.ts";
import { Problem, retryLater } from "../platform/problems.ts";
import type { AccountDeps } from "./deps.ts";
import type { HashTurn } from "./hash-turns.ts";

/**
 * Limits for guessing passwords and codes [accounts.guessing]. Every guess is charged before anything is compared, and
 * an unknown account has the same bucket as a known one.
 *
 * If the buckets are unreachable, nobody may guess: unlike a shopper's answers, a sign-in can wait.
 */
const account: BucketRule = { capacity: 10, leakPerSecond: 1 / 30 };
/**
 * For all known browsers of an account together, so that somebody who once had the account cannot have collected
 * unlimited guesses.
 */
const browsers: BucketRule = { capacity: 30, leakPerSecond: 1 / 10 };
/** Letters to one address: the person who requests them may not be the recipient. */
const letters: BucketRule = { capacity: 5, leakPerSecond: 1 / 300 };

/**
 * For passwords, each of which takes a fifth of a second of processor time: wrong ones from an address may use six
 * seconds of it at once, and then a fiftieth. Correct ones are refunded, so that a whole office can sign in from one
 * address.
 */
const passwordLimits: SenderLimits = {
  address: { capacity: 30, leakPerSecond: 1 / 10 },
  network: { capacity: 90, leakPerSecond: 3 / 10 },
  store: account,
};

/** For links, letters and redirects to the identity provider, each of which takes a millisecond or two. */
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
    const { limiter, secrets } = deps;
    this.#passwords = new SenderGuard({ limiter, secrets, kind: "password", limits: passwordLimits });
    this.#visits = new SenderGuard({ limiter, secrets, kind: "sign-in", limits: visitLimits });
  }

  /**
   * Throws 429 `rate_limited`.
   * @param email what was typed as the address; it is not passed to the limiter
   * @param browser id of a browser that has signed in to this account; null: a stranger's
   */
  async chargePassword(email: string, from: string, browser: string | null): Promise<void> {
    // strangers at the same address, or guessing at the same account, must not keep them from signing in
    if (browser !== null) {
      await this.#charge("browser", browser, account);
      return this.#charge("browsers", email, browsers);
    }
    await this.#passwords.chargeAddress(from, 1);
    await this.#charge("account", email, account);
  }

  /**
   * The password was correct: refunds the address. The account stays charged, which limits how often it is signed in
   * to.
   */
  async giveBackPassword(from: string, browser: string | null): Promise<void> {
    if (browser === null) await this.#passwords.giveBack(from, 1);
  }

  /**
   * Throws 429 `rate_limited`. Counted separately, so that guesses without a session cannot keep a person from
   * confirming theirs.
   */
  chargeSignedIn(userId: string): Promise<void> {
    return this.#charge("person", userId, account);
  }

  /**
   * Throws 429 `rate_limited`. Counted separately, so that guessing passwords without a link keeps nobody with one from
   * using it.
   * @param what the account that a code is entered for, or the link that a password is set with
   */
  chargeWithLink(what: string): Promise<void> {
    return this.#charge("link", what, account);
  }

  /**
   * Throws 429 `rate_limited`.
   * @param to the address that a letter is requested for
   */
  async chargeMail(to: string, from: string): Promise<void> {
    await this.#visits.chargeAddress(from, 1);
    await this.#charge("letter", to, letters);
  }

  /**
   * Whether one more letter may go to that address, which did not request it. Never throws for lack of a limiter: then
   * no letter is sent.
   */
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
