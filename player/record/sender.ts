import { type Batch, batchOf, mostEvents, type Verdict, verdictOf } from "./batch.ts";
import type { StoredSessions } from "./stored-sessions.ts";
import type { Browser, RecorderFault, StoredSession } from "./types.ts";

/** ms to collect events before sending them together */
const gathering = 200;
/** ms after which a request counts as failed */
const patience = 30_000;
const longestRest = 60_000;
/** Browsers limit the requests that outlive their page to 64 KiB in total; larger requests do not ask to outlive it. */
const mostKeptAlive = 60_000;
/** The longest timeout of a browser's timer, in ms. */
const longestTimer = 2 ** 31 - 1;
/** How long events are tried: the server refuses older ones. */
const longestTried = 72 * 3_600_000;
/** Reasons with which the server stores an event all the same: a later answer can make it count. */
const storedAnyway: readonly (string | null)[] = ["incomplete", "timed_out"];

type Away = Extract<Verdict, { kind: "away" }>;

interface SenderDeps {
  browser: Browser;
  stored: StoredSessions;
  url: string;
  /** sessions with unsent events, in sending order */
  waiting: () => StoredSession[];
  fault: (fault: RecorderFault) => void;
  /** the page may be unloaded at any moment, and its requests with it */
  isGoing: () => boolean;
}

/** Sends events to the server: one request at a time, from one tab at a time [player.one-sender, player.delivery]. */
export class Sender {
  readonly #deps: SenderDeps;
  #callOff: (() => void) | null = null;
  #isBusy = false;
  #isClosed = false;
  /** ids of the events in the current request */
  #flying: ReadonlySet<string> = new Set();
  /** ids of events sent while the page was closing; whether they arrived is unknown */
  readonly #hurried = new Set<string>();
  /** ids of events that a proxy or firewall refuses: they wait until all others are sent */
  readonly #held = new Set<string>();
  /** how many events a request may have: fewer once a proxy refused more */
  #most = mostEvents;
  #isAway = false;
  /** consecutive failures since the last success, or since the network came back */
  #failures = 0;
  /** time in ms before which nothing is sent after a failure [player.backoff] */
  #restsUntil = 0;
  /** time in ms that this tab announced to the others instead of taking a lock; 0: none */
  #saidUntil = 0;
  readonly #reported = new Set<string | null>(storedAnyway);

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Sends pending events soon. */
  wake(ms = gathering): void {
    this.#callOff?.();
    if (!this.#isClosed) this.#callOff = this.#deps.browser.later(() => void this.#run(), Math.min(ms, longestTimer));
  }

  /** The network or the shopper came back: retries at once [player.offline]. */
  again(): void {
    this.#failures = 0;
    this.#restsUntil = 0;
    this.#hurried.clear();
    this.wake(0);
  }

  /** The page may be closing: sends unsent events as beacons, without waiting for a response [player.page-goes]. */
  hurry(unsent: StoredSession): void {
    const { browser, stored, url } = this.#deps;
    this.#sayDone();
    // Stored events can be sent by the next page; those in memory have no other chance.
    if (stored.isPersistent && stored.notBefore > browser.now()) return;
    for (;;) {
      const batch = batchOf(unsent, browser.now(), new Set([...this.#flying, ...this.#hurried]), this.#most);
      if (batch === null || !browser.beacon(url, batch.body)) return;
      for (const id of batch.ids) this.#hurried.add(id);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
  }

  async #run(): Promise<void> {
    const { browser, stored, waiting } = this.#deps;
    if (this.#isBusy || this.#isClosed || waiting().length === 0) return;
    const rest = Math.max(this.#restsUntil, stored.notBefore) - browser.now();
    if (rest > 0) return this.wake(rest);
    this.#isBusy = true;
    await this.#alone();
    this.#isBusy = false;
    if (waiting().length > 0) this.wake();
  }

  async #alone(): Promise<void> {
    const { browser, stored } = this.#deps;
    if (!stored.isPersistent) return this.#deliver(false);
    try {
      if (browser.lock !== null) return await browser.lock("quizstore", () => this.#deliver(false));
    } catch {
      // Frames without an origin have no locks either.
    }
    await this.#deliver(true);
    this.#sayDone();
  }

  /** @param says whether to announce to other tabs until when this tab sends, because there is no lock */
  async #deliver(says: boolean): Promise<void> {
    const { browser, stored, waiting } = this.#deps;
    while (!this.#isClosed) {
      // another tab may have been told to wait meanwhile
      if (stored.notBefore > browser.now() && stored.notBefore !== this.#saidUntil) return;
      const next = this.#next();
      if (!next) return;
      const { unsent, batch } = next;
      if (says) stored.notBefore = this.#saidUntil = browser.now() + patience;
      this.#flying = batch.ids;
      const verdict = await this.#ask(batch);
      this.#flying = new Set();
      if (verdict.kind === "away") return this.#failed(verdict, unsent, batch);
      this.#failures = 0;
      this.#most = Math.min(mostEvents, this.#most * 2);
      stored.drop(unsent.session.id, batch.ids);
      this.#isAway &&= waiting().length > 0;
      for (const reason of verdict.reasons) this.#tellRefused(reason);
    }
  }

  /** What is sent next; null after events that are held back alone are left, which are tried again after a rest. */
  #next(): { unsent: StoredSession; batch: Batch } | null {
    const { browser, waiting } = this.#deps;
    for (const unsent of waiting()) {
      const batch = batchOf(unsent, browser.now(), this.#held, this.#most);
      if (batch) return { unsent, batch };
    }
    this.#held.clear();
    return null;
  }

  #sayDone(): void {
    const { stored } = this.#deps;
    if (this.#saidUntil > 0 && stored.notBefore === this.#saidUntil) stored.notBefore = 0;
    this.#saidUntil = 0;
  }

  async #ask({ body, bytes }: Batch): Promise<Verdict> {
    const { browser, url } = this.#deps;
    try {
      const answer = await browser.post(url, body, { keepalive: bytes <= mostKeptAlive, patience });
      return await verdictOf(answer, browser.now());
    } catch {
      return { kind: "away", reason: null, wait: 0, isForeign: false };
    }
  }

  /** Tries again later: less at once if a proxy refused it, and nothing that is too old by then [player.proxies]. */
  #failed({ reason, wait, isForeign }: Away, { session, events }: StoredSession, { ids }: Batch): void {
    const { browser, stored } = this.#deps;
    this.#tellAway(reason);
    if (isForeign && ids.size === 1) for (const id of ids) this.#held.add(id);
    else if (isForeign) this.#most = Math.ceil(ids.size / 2);
    const old = events.filter(({ at }) => browser.now() - Date.parse(at) > longestTried);
    if (old.length > 0) {
      stored.drop(session.id, new Set(old.map(({ id }) => id)));
      this.#tellRefused("too_old");
    }
    if (wait > 0) stored.notBefore = browser.now() + wait;
    const rest = Math.min(longestRest, 1000 * 2 ** this.#failures);
    this.#failures += 1;
    this.#restsUntil = browser.now() + rest * (0.5 + browser.random() / 2);
  }

  /**
   * Reports an outage once. A request cancelled by leaving the page does not count: browsers cancel it before they
   * report that the page is closing, hence the delay.
   */
  #tellAway(reason: string | null): void {
    if (this.#isAway) return;
    this.#isAway = true;
    const { browser, fault, isGoing } = this.#deps;
    browser.later(() => {
      if (isGoing()) this.#isAway = false;
      else if (!this.#isClosed) fault({ kind: "away", reason });
    }, gathering);
  }

  /** Reports each reason once [player.refused]. */
  #tellRefused(reason: string | null): void {
    if (!this.#reported.has(reason)) this.#deps.fault({ kind: "refused", reason });
    this.#reported.add(reason);
  }
}
