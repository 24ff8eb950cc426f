import { type Batch, batchOf, type Verdict, verdictOf } from "./batch.ts";
import type { Shelf } from "./shelf.ts";
import type { Browser, KeeperFault, Kept } from "./types.ts";

/** ms in which events gather to be sent together */
const gathering = 200;
/** ms after which a request counts as lost */
const patience = 30_000;
const longestRest = 60_000;
/** Requests that outlive their page carry 64 KiB in all; larger ones go without that. */
const mostKeptAlive = 60_000;
/** The longest that a browser's timer waits, ms. */
const longestTimer = 2 ** 31 - 1;
/** What the server does with these is to keep them: a later answer can make them count. */
const keptAllTheSame: readonly (string | null)[] = ["incomplete", "timed_out"];

interface SenderDeps {
  browser: Browser;
  shelf: Shelf;
  url: string;
  /** sessions with events that wait, in the order in which they are sent */
  waiting: () => Kept[];
  fault: (fault: KeeperFault) => void;
  /** the page may be gone any moment, and its requests with it */
  isGoing: () => boolean;
}

/** Brings events to the server: one request at a time, of one tab at a time [player.one-sender, player.delivery]. */
export class Sender {
  readonly #deps: SenderDeps;
  #callOff: (() => void) | null = null;
  #isBusy = false;
  #isClosed = false;
  /** events of the request that is under way */
  #flying: ReadonlySet<string> = new Set();
  /** events that went while the page was going: nobody said whether they arrived */
  readonly #hurried = new Set<string>();
  #isAway = false;
  /** since the last success, or since the network was back */
  #failures = 0;
  /** ms: after a failure nothing is sent before [player.backoff] */
  #restsUntil = 0;
  /** ms: what this tab said to the others in place of a lock; 0: nothing */
  #saidUntil = 0;
  readonly #reported = new Set<string | null>(keptAllTheSame);

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Sends what waits, soon. */
  wake(ms = gathering): void {
    this.#callOff?.();
    if (!this.#isClosed) this.#callOff = this.#deps.browser.later(() => void this.#run(), Math.min(ms, longestTimer));
  }

  /** The network is back, or the shopper. */
  again(): void {
    this.#failures = 0;
    this.#restsUntil = 0;
    this.#hurried.clear();
    this.wake(0);
  }

  /** The page may be gone in a moment: what was not sent is sent without waiting for an answer [player.page-goes]. */
  hurry(kept: Kept): void {
    const { browser, shelf, url } = this.#deps;
    this.#sayDone();
    // What is stored goes with the next page; what is not has no other chance.
    if (shelf.isLasting && shelf.notBefore > browser.now()) return;
    for (;;) {
      const batch = batchOf(kept, browser.now(), new Set([...this.#flying, ...this.#hurried]));
      if (batch === null || !browser.beacon(url, batch.body)) return;
      for (const id of batch.ids) this.#hurried.add(id);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
  }

  async #run(): Promise<void> {
    const { browser, shelf, waiting } = this.#deps;
    if (this.#isBusy || this.#isClosed || waiting().length === 0) return;
    const rest = Math.max(this.#restsUntil, shelf.notBefore) - browser.now();
    if (rest > 0) return this.wake(rest);
    // The browser says when the network is back [player.offline].
    if (!browser.isOnline()) return this.#tellAway("offline");
    this.#isBusy = true;
    await this.#alone();
    this.#isBusy = false;
    if (waiting().length > 0) this.wake();
  }

  async #alone(): Promise<void> {
    const { browser, shelf } = this.#deps;
    if (!shelf.isLasting) return this.#deliver(false);
    try {
      if (browser.lock !== null) return await browser.lock("quizstore", () => this.#deliver(false));
    } catch {
      // A frame without an origin has no locks either.
    }
    await this.#deliver(true);
    this.#sayDone();
  }

  /** @param says whether the others are told until when this tab sends, for want of a lock */
  async #deliver(says: boolean): Promise<void> {
    const { browser, shelf, waiting } = this.#deps;
    while (!this.#isClosed) {
      // another tab may have been asked to wait meanwhile
      if (shelf.notBefore > browser.now() && shelf.notBefore !== this.#saidUntil) return;
      const [kept] = waiting();
      const batch = kept && batchOf(kept, browser.now(), new Set());
      if (!batch) return;
      if (says) shelf.notBefore = this.#saidUntil = browser.now() + patience;
      this.#flying = batch.ids;
      const verdict = await this.#ask(batch);
      this.#flying = new Set();
      if (verdict.kind === "away") return this.#failed(verdict);
      this.#failures = 0;
      this.#isAway = false;
      shelf.drop(kept.session.id, batch.ids);
      for (const reason of verdict.reasons) this.#tellRefused(reason);
    }
  }

  #sayDone(): void {
    const { shelf } = this.#deps;
    if (this.#saidUntil > 0 && shelf.notBefore === this.#saidUntil) shelf.notBefore = 0;
    this.#saidUntil = 0;
  }

  async #ask({ body, bytes }: Batch): Promise<Verdict> {
    const { browser, url } = this.#deps;
    try {
      const answer = await browser.post(url, body, { keepalive: bytes <= mostKeptAlive, patience });
      return await verdictOf(answer, browser.now());
    } catch {
      return { kind: "away", reason: null, wait: 0 };
    }
  }

  #failed({ reason, wait }: Extract<Verdict, { kind: "away" }>): void {
    const { browser, shelf } = this.#deps;
    this.#tellAway(reason);
    if (wait > 0) shelf.notBefore = browser.now() + wait;
    const rest = Math.min(longestRest, 1000 * 2 ** this.#failures);
    this.#failures += 1;
    this.#restsUntil = browser.now() + rest * (0.5 + browser.random() / 2);
  }

  /** Once an outage. A request that ends with its page is none: browsers end it before they say that the page goes. */
  #tellAway(reason: string | null): void {
    if (this.#isAway) return;
    this.#isAway = true;
    const { browser, fault, isGoing } = this.#deps;
    browser.later(() => {
      if (isGoing()) this.#isAway = false;
      else if (!this.#isClosed) fault({ kind: "away", reason });
    }, gathering);
  }

  /** Once a reason [player.refused]. */
  #tellRefused(reason: string | null): void {
    if (!this.#reported.has(reason)) this.#deps.fault({ kind: "refused", reason });
    this.#reported.add(reason);
  }
}
