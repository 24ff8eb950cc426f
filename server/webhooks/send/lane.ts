import type { KeyObject } from "node:crypto";
import { formatId } from "../../platform/ids.ts";
import type { Sender } from "./attempt.ts";
import type { Claimed, EndpointKey, Settled } from "./delivery-rows.ts";
import { measureAttempt } from "./metrics.ts";
import { Pace } from "./pace.ts";
import { QuickRecord, type QuickRecordDeps } from "./quick-record.ts";
import { Recovery } from "./recovery.ts";
import { signatureHeaders, signingKeys } from "./sign.ts";
import type { SendSlots, TurnQueue, Waiter } from "./slots.ts";
import { type HeldEndpoint, leaseMs, type Turn, type TurnDeps, type TurnResult, takeTurn } from "./turn.ts";
import { judge, returned } from "./verdict.ts";

/**
 * One endpoint, as long as this process sends for it. What it knows beyond the database: what is claimed, what is under
 * way, what came of it and is not recorded yet, how fast it may go. Everything that happens (an attempt's end, a free
 * slot, a wake-up, a timer) leads to `#step`, which sends what may be sent and takes a turn at the database where one is
 * due.
 */

export interface LaneDeps extends TurnDeps, QuickRecordDeps {
  sender: Sender;
  slots: SendSlots;
  turns: TurnQueue;
  /** real time, ms since 1970 */
  unixNow: () => number;
  /** something of the endpoint falls due, in real ms */
  dueIn: (key: EndpointKey, milliseconds: number) => void;
  /** the lane is done; `moreDue`: somebody should look at the endpoint again */
  left: (lane: Lane, moreDue: boolean) => void;
}

/** All in elapsed ms. */
const renewAfterMs = 3_000;
const stopsBeforeEndMs = 3_000;
/** After another holder: its last sends still count for the receiver's second. */
const waitsAfterOthersMs = 1_000;
/** The lease is kept this long without work: the next event is sent sooner. */
const lingersMs = 2_000;
/** A second's window, and a little for calendars that differ. */
const windowMs = 1_100;
/** Outcomes are recorded together. */
const recordsAfterMs = 100;
const recordsAtOnce = 256;
/** A claimed delivery that could not be sent for so long is given back: what is to be sent may have changed meanwhile. */
const keepsMs = 2_000;
const triesAgainAfterMs = 500;
/** While claimed deliveries wait to be sent, the endpoint is read this often: it may be disabled, or have another address. */
const looksAfterMs = 200;
/** What is sent and not written down would come twice if this process were killed: no more than so many ms of the rate. */
const unrecordedMs = 20;
const longestSleepMs = 1_000;

export class Lane implements Waiter {
  readonly key: EndpointKey;
  readonly done: Promise<void>;
  readonly #deps: LaneDeps;
  readonly #pace: Pace;
  readonly #recovery: Recovery;
  #endpoint: HeldEndpoint | null = null;
  #keys: readonly KeyObject[] = [];
  #leaseEnd = 0;
  #ready: { claimed: Claimed; since: number }[] = [];
  readonly #flying = new Set<Claimed>();
  readonly #quick: QuickRecord;
  /** what the next turn records */
  #settled: Settled[] = [];
  #settledSince = 0;
  /** calendar ms; heard from the receiver and not recorded yet */
  #askedToPause: number | null = null;
  #sendsFrom = 0;
  #turnsFrom = 0;
  #turning = false;
  /** the turn that is under way records outcomes, which later ones must not overtake */
  #recording = false;
  #turnedAt = 0;
  #uncertain = false;
  #dueAgain = true;
  /** what is in hand is finished, nothing new is begun */
  #ending: "lost" | "gone" | "stopped" | null = null;
  #lastSent: number;
  #lastBusy: number;
  #timer: NodeJS.Timeout | undefined;
  #wakeAt = 0;
  #finish: () => void = () => undefined;
  #finished = false;

  constructor(key: EndpointKey, deps: LaneDeps) {
    this.key = key;
    this.#deps = deps;
    this.#pace = new Pace(1, deps.elapsed);
    this.#recovery = new Recovery(deps.elapsed);
    this.#quick = new QuickRecord(deps, key, (unrecorded) => {
      for (const each of unrecorded) this.#keep(each);
      this.#step();
    });
    this.#lastSent = Number.NEGATIVE_INFINITY;
    this.#lastBusy = deps.elapsed();
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Attempts under way. */
  get flying(): number {
    return this.#flying.size;
  }

  /** Something may be due. */
  prod(): void {
    this.#dueAgain = true;
    this.#step();
  }

  /** A slot is free. */
  proceed(): void {
    this.#step();
  }

  /** Begins nothing new; `done` resolves when what is under way is recorded. */
  stop(): void {
    this.#ending ??= "stopped";
    this.#giveBack();
    if (this.#endpoint === null && !this.#turning) this.#leave(false);
    else this.#step();
  }

  #step(): void {
    if (this.#finished) return;
    const wake = Math.min(this.#send(), this.#turnIn());
    if (wake <= 0 && !this.#turning) void this.#turn();
    this.#wakeIn(Math.min(Math.max(1, wake), longestSleepMs));
  }

  /** A timer that comes early enough stays: it looks and is set anew, which costs less than setting it with every event. */
  #wakeIn(milliseconds: number): void {
    const at = this.#deps.elapsed() + milliseconds;
    if (this.#finished || (this.#timer !== undefined && this.#wakeAt <= at)) return;
    clearTimeout(this.#timer);
    this.#wakeAt = at;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#step();
    }, milliseconds);
  }

  /** Sends what may be sent; answers the ms after which more may be, Infinity when something else has to happen first. */
  #send(): number {
    const { elapsed, slots } = this.#deps;
    const now = elapsed();
    if (this.#endpoint === null || this.#ready.length === 0) return Number.POSITIVE_INFINITY;
    const waited = now - (this.#ready[0]?.since ?? now);
    if (waited > keepsMs || this.#isPaused()) this.#giveBack();
    for (;;) {
      const [next] = this.#ready;
      if (next === undefined || this.#ending !== null || elapsed() >= this.#leaseEnd - stopsBeforeEndMs) {
        return Number.POSITIVE_INFINITY;
      }
      // goes on when some of it is written down
      const unrecorded = Math.max(2, (this.#endpoint.perSecond * unrecordedMs) / 1_000);
      if (this.#quick.size >= unrecorded) return Number.POSITIVE_INFINITY;
      const wait = Math.max(this.#sendsFrom - elapsed(), this.#recovery.wait(), this.#pace.wait());
      if (wait > 0) return wait;
      if (slots.room(this.#flying.size, this.#recovery.probing) === 0) {
        // at its own limit it is the end of one of its own that lets it go on
        if (this.#flying.size < (this.#recovery.probing ? 1 : slots.limits.perEndpoint)) slots.wait(this);
        return Number.POSITIVE_INFINITY;
      }
      this.#ready.shift();
      this.#post(next.claimed, this.#endpoint);
    }
  }

  #post(claimed: Claimed, { url }: HeldEndpoint): void {
    const { sender, slots, elapsed, unixNow } = this.#deps;
    const giveSlotBack = slots.take(this.#recovery.probing);
    const paced = this.#pace.start();
    this.#flying.add(claimed);
    this.#lastBusy = elapsed();
    const body = Buffer.from(claimed.payload);
    const signed = { id: formatId("evt", claimed.eventId), timestamp: Math.floor(unixNow() / 1_000), body };
    const watched = measureAttempt(url, signed.id, claimed.attempts);
    const onSent = () => {
      this.#lastSent = elapsed();
      paced.sent();
    };
    void sender.post({ url, headers: signatureHeaders(signed, this.#keys), body, onSent }).then((outcome) => {
      paced.ended();
      this.#flying.delete(claimed);
      const { calendar, random } = this.#deps;
      const chance = () => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
      const afterReal = (milliseconds: number) => calendar.afterReal(milliseconds);
      const verdict = judge(claimed, url, outcome, { now: calendar.now(), chance, afterReal });
      watched.ended(outcome, verdict.settled.status);
      this.#record(verdict.settled);
      this.#recovery.heard(verdict.receiver);
      if (verdict.pauseUntil !== null && url === this.#endpoint?.url) {
        this.#askedToPause = Math.max(this.#askedToPause ?? 0, verdict.pauseUntil);
      }
      if (this.#isPaused() || this.#recovery.failedProbe) this.#giveBack();
      giveSlotBack();
      this.#step();
    });
  }

  #isPaused(): boolean {
    const until = Math.max(this.#askedToPause ?? 0, this.#endpoint?.pausedUntil ?? 0);
    return until > 0 && until > this.#deps.calendar.now();
  }

  /** What arrived is written down at once, unless it tells something of the endpoint's health. */
  #record(settled: Settled): void {
    const changesNothing = this.#endpoint?.failing === false && this.#settled.length === 0 && !this.#recording;
    if (settled.status !== "delivered" || !changesNothing) {
      this.#keep(settled);
      return;
    }
    this.#lastBusy = this.#deps.elapsed();
    this.#quick.add(settled);
  }

  get #inHand(): number {
    return this.#ready.length + this.#flying.size + this.#quick.size;
  }

  #keep(settled: Settled): void {
    this.#lastBusy = this.#deps.elapsed();
    if (this.#settled.length === 0) this.#settledSince = this.#lastBusy;
    this.#settled.push(settled);
  }

  /** Undoes claims that were not sent. */
  #giveBack(): void {
    const now = this.#deps.calendar.now();
    for (const { claimed } of this.#ready.splice(0)) this.#keep(returned(claimed, now));
    this.#deps.slots.forget(this);
  }

  /** Milliseconds until a turn at the database is due. */
  #turnIn(): number {
    if (this.#turning) return Number.POSITIVE_INFINITY;
    const now = this.#deps.elapsed();
    const notBefore = this.#turnsFrom - now;
    if (this.#endpoint === null) return Math.max(0, notBefore);
    const records = this.#settled.length > 0 ? this.#recordsIn(now) : Number.POSITIVE_INFINITY;
    if (this.#ending !== null) {
      const ends = this.#flying.size + this.#quick.size === 0 ? 0 : Number.POSITIVE_INFINITY;
      const renews = this.#ending === "stopped" ? this.#renewsIn(now) : Number.POSITIVE_INFINITY;
      return Math.max(notBefore, Math.min(ends, records, renews));
    }
    const claims = this.#dueAgain ? this.#claimsIn(now) : Number.POSITIVE_INFINITY;
    const releases = this.#mayRelease() ? this.#lastBusy + lingersMs - now : Number.POSITIVE_INFINITY;
    const looks = this.#ready.length > 0 ? this.#turnedAt + looksAfterMs - now : Number.POSITIVE_INFINITY;
    return Math.max(notBefore, Math.min(records, claims, releases, looks, this.#renewsIn(now)), 0);
  }

  /** Nothing is in hand, and nothing could be claimed. */
  #mayRelease(): boolean {
    return this.#inHand === 0 && !(this.#dueAgain && this.#claimable() > 0);
  }

  #recordsIn(now: number): number {
    if (this.#inHand === 0 || this.#settled.length >= recordsAtOnce) return 0;
    return this.#settledSince + recordsAfterMs - now;
  }

  #renewsIn = (now: number): number => this.#leaseEnd - leaseMs + renewAfterMs - now;

  #claimsIn(now: number): number {
    if (this.#isPaused()) return Number.POSITIVE_INFINITY;
    const wait = Math.max(this.#sendsFrom - now, this.#recovery.wait());
    return this.#claimable() > 0 ? Math.max(0, wait) : Number.POSITIVE_INFINITY;
  }

  /** How many to claim: what the next second can have, as far as the receiver has lately been fast enough for it. */
  #claimable(): number {
    if (this.#ending !== null || this.#isPaused()) return 0;
    if (this.#recovery.probing) return this.#inHand === 0 ? 1 : 0;
    const { perEndpoint } = this.#deps.slots.limits;
    if (this.#flying.size >= perEndpoint) return 0;
    const fast = Math.max(perEndpoint, Math.min(Math.ceil(this.#pace.recent() * 1.5), 16 * perEndpoint));
    const target = Math.min(this.#pace.allowance, fast);
    return this.#ready.length <= target / 2 ? target - this.#ready.length : 0;
  }

  async #turn(): Promise<void> {
    const { turns, log } = this.#deps;
    this.#turning = true;
    let recording: Settled[] = [];
    let asked: number | null = null;
    try {
      await turns.run(this.key, async () => {
        // read only now: while the lane waited for its turn, more was settled
        const turn = this.#nextTurn();
        recording = this.#settled.splice(0);
        this.#recording = recording.length > 0;
        asked = this.#askedToPause;
        if (turn.claim > 0) this.#dueAgain = false;
        const result = await takeTurn(this.#deps, this.key, turn);
        // what was asked for during the turn is for the next
        if (this.#askedToPause === asked) this.#askedToPause = null;
        this.#uncertain = false;
        this.#apply(result, turn);
      });
    } catch (error) {
      log.warn({ err: error, endpoint: this.key.id }, "a webhook endpoint's turn failed; it is taken again");
      this.#settled = [...recording, ...this.#settled];
      this.#retryTurn();
    } finally {
      this.#turning = false;
      this.#recording = false;
      this.#turnedAt = this.#deps.elapsed();
    }
    this.#step();
  }

  /** The transaction may have been committed all the same: what it claimed is then in nobody's hand. */
  #retryTurn(): void {
    const now = this.#deps.elapsed();
    this.#uncertain = true;
    this.#dueAgain = true;
    this.#turnsFrom = now + triesAgainAfterMs;
    // nothing is in hand that only this lane knows, or its lease has run out: whoever looks next begins anew
    if (this.#endpoint === null || (this.#ending !== null && now > this.#leaseEnd)) this.#leave(false);
  }

  #nextTurn(): Turn {
    const now = this.#deps.elapsed();
    const settled = [...this.#settled];
    const idle = this.#ending !== null || now - this.#lastBusy >= lingersMs;
    const release = this.#endpoint !== null && idle && this.#mayRelease();
    const inHand = [...this.#ready.map(({ claimed }) => claimed), ...this.#flying, ...this.#quick.inHand];
    const known = [...inHand, ...settled.map(({ claimed }) => claimed)].map(({ id }) => id);
    const claims = this.#dueAgain && this.#claimsIn(now) <= 0;
    const first = this.#ending === null ? this.#deps.slots.limits.perEndpoint : 0;
    return {
      held: this.#endpoint !== null,
      reclaimExcept: this.#uncertain ? known : null,
      settled,
      pauseUntil: this.#askedToPause,
      inHand: inHand.length,
      claim: this.#endpoint === null ? first : claims ? this.#claimable() : 0,
      releaseAfterMs: release ? Math.max(0, Math.ceil(this.#lastSent + windowMs - now)) : null,
    };
  }

  #apply(result: TurnResult, turn: Turn): void {
    if (result.kind !== "held") {
      this.#ending = result.kind;
      this.#ready = [];
      if (result.kind === "gone") this.#settled = [];
      if (this.#flying.size + this.#settled.length + this.#quick.size === 0) this.#leave(false);
      return;
    }
    const { endpoint, claimed, moreDue, dueInMs, leaseEnd, takenOver, stopped } = result;
    const now = this.#deps.elapsed();
    const before = this.#endpoint;
    if (before?.secrets.join() !== endpoint.secrets.join()) this.#keys = signingKeys(endpoint.secrets);
    this.#endpoint = endpoint;
    this.#pace.perSecond = endpoint.perSecond;
    this.#dueAgain ||= moreDue;
    if (dueInMs !== null) this.#deps.dueIn(this.key, dueInMs);
    if (before === null && endpoint.failing) this.#recovery.heard("down");
    if (takenOver) this.#sendsFrom = now + waitsAfterOthersMs;
    if (stopped || (before !== null && before.version !== endpoint.version)) this.#giveBack();
    if (leaseEnd === null) {
      this.#leave(this.#dueAgain && !this.#isPaused());
      return;
    }
    this.#leaseEnd = leaseEnd;
    this.#ready.push(...claimed.map((each) => ({ claimed: each, since: now })));
    if (claimed.length > 0) this.#lastBusy = now;
    if (this.#ending !== null) this.#giveBack();
    // due, and not claimed though it was asked for: somebody else has the row for a moment
    if (moreDue && turn.claim > 0 && claimed.length === 0 && !takenOver) this.#turnsFrom = now + recordsAfterMs;
  }

  #leave(moreDue: boolean): void {
    this.#finished = true;
    clearTimeout(this.#timer);
    this.#deps.slots.forget(this);
    this.#deps.left(this, moreDue);
    this.#finish();
  }
}
