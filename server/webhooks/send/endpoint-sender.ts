import type { KeyObject } from "node:crypto";
import type { FairQueue } from "../../platform/fair-queue.ts";
import { formatId } from "../../platform/ids.ts";
import type { Sender } from "./attempt.ts";
import {
  claimAndRecord,
  type EndpointKey,
  type LeasedEndpoint,
  leaseMs,
  type TransactionDeps,
  type TransactionInput,
  type TransactionResult,
} from "./claim-and-record.ts";
import { DeliveredRecorder, type RecorderDeps } from "./delivered-recorder.ts";
import { measureAttempt } from "./metrics.ts";
import { type Claimed, concludeAttempt, type Outcome, returned } from "./outcome.ts";
import type { SendPermits } from "./permits.ts";
import { Recovery } from "./recovery.ts";
import { SendRate } from "./send-rate.ts";
import { signatureHeaders, signingKeys } from "./sign.ts";

export interface EndpointSenderDeps extends TransactionDeps, RecorderDeps {
  sender: Sender;
  permits: SendPermits;
  transactions: FairQueue;
  /** real time in ms since 1970 */
  unixNow: () => number;
  /** called when a delivery of the endpoint falls due in this many real ms */
  dueIn: (key: EndpointKey, milliseconds: number) => void;
  /** called when the sender has ended; `moreDue`: the endpoint should be looked at again */
  ended: (sender: EndpointSender, moreDue: boolean) => void;
}

/** All times below are elapsed ms. */
const renewAfterMs = 3_000;
const stopsBeforeEndMs = 3_000;
/** Wait after taking over from another process: its last sends still count towards the receiver's current second. */
const waitsAfterOthersMs = 1_000;
/** An idle lease is kept this long, so that the next event is sent sooner. */
const lingersMs = 2_000;
/** The one-second rate window, plus a margin for clock differences between processes. */
const windowMs = 1_100;
/** Outcomes are collected for this long and recorded together. */
const recordsAfterMs = 100;
const recordsAtOnce = 256;
/**
 * A claimed delivery that could not be sent for this long is given back, since its payload may have changed meanwhile.
 */
const keepsMs = 2_000;
const triesAgainAfterMs = 500;
/** While claimed deliveries wait, the endpoint is reread this often: it may be disabled, or have a new address. */
const looksAfterMs = 200;
/**
 * If this process is killed, unrecorded sends arrive twice, so it allows no more of them than the rate permits in this
 * time.
 */
const unrecordedMs = 20;
const longestSleepMs = 1_000;

const never = Number.POSITIVE_INFINITY;

/**
 * Sends the deliveries of one endpoint while this process holds its lease. Besides the database it tracks which
 * deliveries are claimed, which are under way, which outcomes are not recorded yet, and how fast it may send. Every
 * event (the end of an attempt, a free permit, a wake-up, a timer) calls `#step`, which sends what may be sent and
 * starts a transaction if one is due.
 */
export class EndpointSender {
  readonly key: EndpointKey;
  readonly done: Promise<void>;
  readonly #deps: EndpointSenderDeps;
  readonly #rate: SendRate;
  readonly #recovery: Recovery;
  #endpoint: LeasedEndpoint | null = null;
  #keys: readonly KeyObject[] = [];
  #leaseEnd = 0;
  #ready: { claimed: Claimed; since: number }[] = [];
  readonly #underWay = new Set<Claimed>();
  readonly #recorder: DeliveredRecorder;
  /** to be recorded by the next transaction */
  #outcomes: Outcome[] = [];
  #outcomesSince = 0;
  /** calendar ms until which the receiver asked for a pause; not recorded yet */
  #pauseUntil: number | null = null;
  #sendsFrom = 0;
  #nextTransactionFrom = 0;
  #inTransaction = false;
  /** the current transaction records outcomes, which later ones must not overtake */
  #recording = false;
  #transactionEnded = 0;
  #uncertain = false;
  /** deliveries were sent that could not be recorded: nothing is sent until a transaction has recorded them */
  #isBehind = false;
  #dueAgain = true;
  /** set: deliveries in hand are finished and nothing new is started */
  #ending: "lost" | "gone" | "stopped" | null = null;
  #lastSent = Number.NEGATIVE_INFINITY;
  #lastBusy: number;
  #timer: NodeJS.Timeout | undefined;
  #wakeAt = 0;
  #finish: () => void = () => undefined;
  #finished = false;

  constructor(key: EndpointKey, deps: EndpointSenderDeps) {
    this.key = key;
    this.#deps = deps;
    this.#rate = new SendRate(1, deps.elapsed);
    this.#recovery = new Recovery(deps.elapsed);
    this.#recorder = new DeliveredRecorder(deps, key, (unrecorded) => {
      this.#isBehind ||= unrecorded.length > 0;
      for (const each of unrecorded) this.#keep(each);
      this.#step();
    });
    this.#lastBusy = deps.elapsed();
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get attemptsUnderWay(): number {
    return this.#underWay.size;
  }

  /** Called when a delivery may be due. */
  wake(): void {
    this.#dueAgain = true;
    this.#step();
  }

  /** Called when a permit is free. */
  proceed(): void {
    this.#step();
  }

  /** Starts nothing new; `done` resolves when the attempts under way are recorded. */
  stop(): void {
    this.#ending ??= "stopped";
    this.#giveBack();
    if (this.#endpoint === null && !this.#inTransaction) this.#end(false);
    else this.#step();
  }

  #step(): void {
    if (this.#finished) return;
    const wait = Math.min(this.#send(), this.#transactionIn());
    if (wait <= 0 && !this.#inTransaction) void this.#transact();
    this.#wakeIn(Math.min(Math.max(1, wait), longestSleepMs));
  }

  /**
   * A timer that fires early enough is kept: it steps and sets the next one, which is cheaper than a new timer per
   * step.
   */
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

  /** Sends what may be sent. Returns the ms until more may be sent, or `never` if another event must happen first. */
  #send(): number {
    const { elapsed, permits } = this.#deps;
    const now = elapsed();
    if (this.#endpoint === null || this.#ready.length === 0) return never;
    const waited = now - (this.#ready[0]?.since ?? now);
    if (waited > keepsMs || this.#isPaused()) this.#giveBack();
    for (;;) {
      const [next] = this.#ready;
      if (next === undefined || this.#ending !== null || elapsed() >= this.#leaseEnd - stopsBeforeEndMs) return never;
      // continues when some of them are recorded
      const unrecorded = Math.max(2, (this.#endpoint.perSecond * unrecordedMs) / 1_000);
      if (this.#isBehind || this.#recorder.size >= unrecorded) return never;
      const wait = Math.max(this.#sendsFrom - elapsed(), this.#recovery.wait(), this.#rate.wait());
      if (wait > 0) return wait;
      const { probing } = this.#recovery;
      if (permits.room(this.#underWay.size, probing) === 0) {
        // at the endpoint's own limit, the end of one of its own attempts resumes it
        if (this.#underWay.size < (probing ? 1 : permits.limits.perEndpoint)) permits.wait(this);
        return never;
      }
      this.#ready.shift();
      this.#post(next.claimed, this.#endpoint);
    }
  }

  #post(claimed: Claimed, { url }: LeasedEndpoint): void {
    const { sender, permits, elapsed, unixNow, calendar, random } = this.#deps;
    const releasePermit = permits.acquire(this.#recovery.probing);
    const send = this.#rate.start();
    this.#underWay.add(claimed);
    this.#lastBusy = elapsed();
    const body = Buffer.from(claimed.payload);
    const signed = { id: formatId("evt", claimed.eventId), timestamp: Math.floor(unixNow() / 1_000), body };
    const measured = measureAttempt(url, signed.id, claimed.attempts);
    const onSent = () => {
      this.#lastSent = elapsed();
      send.sent();
    };
    void sender.post({ url, headers: signatureHeaders(signed, this.#keys), body, onSent }).then((result) => {
      send.ended();
      this.#underWay.delete(claimed);
      const chance = () => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
      const afterReal = (milliseconds: number) => calendar.afterReal(milliseconds);
      const deps = { now: calendar.now(), chance, afterReal };
      const { outcome, receiver, pauseUntil } = concludeAttempt(claimed, url, result, deps);
      measured.ended(result, outcome.status);
      this.#record(outcome);
      this.#recovery.heard(receiver);
      if (pauseUntil !== null && url === this.#endpoint?.url) {
        this.#pauseUntil = Math.max(this.#pauseUntil ?? 0, pauseUntil);
      }
      if (this.#isPaused() || this.#recovery.failedProbe) this.#giveBack();
      releasePermit();
      this.#step();
    });
  }

  #isPaused(): boolean {
    const until = Math.max(this.#pauseUntil ?? 0, this.#endpoint?.pausedUntil ?? 0);
    return until > 0 && until > this.#deps.calendar.now();
  }

  /** Records a success at once, unless it changes the endpoint's status. */
  #record(outcome: Outcome): void {
    const changesNothing = this.#endpoint?.failing === false && this.#outcomes.length === 0 && !this.#recording;
    if (outcome.status !== "delivered" || !changesNothing) {
      this.#keep(outcome);
      return;
    }
    this.#lastBusy = this.#deps.elapsed();
    this.#recorder.add(outcome);
  }

  get #inHand(): number {
    return this.#ready.length + this.#underWay.size + this.#recorder.size;
  }

  #keep(outcome: Outcome): void {
    this.#lastBusy = this.#deps.elapsed();
    if (this.#outcomes.length === 0) this.#outcomesSince = this.#lastBusy;
    this.#outcomes.push(outcome);
  }

  /** Undoes claims that were not sent. */
  #giveBack(): void {
    const now = this.#deps.calendar.now();
    for (const { claimed } of this.#ready.splice(0)) this.#keep(returned(claimed, now));
    this.#deps.permits.forget(this);
  }

  /** Milliseconds until a transaction is due. */
  #transactionIn(): number {
    if (this.#inTransaction) return never;
    const now = this.#deps.elapsed();
    const notBefore = this.#nextTransactionFrom - now;
    if (this.#endpoint === null) return Math.max(0, notBefore);
    const records = this.#outcomes.length > 0 ? this.#recordsIn(now) : never;
    const renews = this.#leaseEnd - leaseMs + renewAfterMs - now;
    if (this.#ending !== null) {
      const ends = this.#underWay.size + this.#recorder.size === 0 ? 0 : never;
      return Math.max(notBefore, Math.min(ends, records, this.#ending === "stopped" ? renews : never));
    }
    const claims = this.#dueAgain ? this.#claimsIn(now) : never;
    const releases = this.#mayRelease() ? this.#lastBusy + lingersMs - now : never;
    const looks = this.#ready.length > 0 ? this.#transactionEnded + looksAfterMs - now : never;
    return Math.max(notBefore, Math.min(records, claims, releases, looks, renews), 0);
  }

  /** Nothing is in hand and nothing could be claimed. */
  #mayRelease(): boolean {
    return this.#inHand === 0 && !(this.#dueAgain && this.#claimable() > 0);
  }

  #recordsIn(now: number): number {
    if (this.#inHand === 0 || this.#outcomes.length >= recordsAtOnce) return 0;
    return this.#outcomesSince + recordsAfterMs - now;
  }

  #claimsIn(now: number): number {
    if (this.#isPaused() || this.#claimable() === 0) return never;
    return Math.max(0, this.#sendsFrom - now, this.#recovery.wait());
  }

  /** How many deliveries to claim: one second's allowance, limited by how fast the receiver has been lately. */
  #claimable(): number {
    if (this.#ending !== null || this.#isPaused()) return 0;
    if (this.#recovery.probing) return this.#inHand === 0 ? 1 : 0;
    const { perEndpoint } = this.#deps.permits.limits;
    if (this.#underWay.size >= perEndpoint) return 0;
    const fast = Math.max(perEndpoint, Math.min(Math.ceil(this.#rate.recent() * 1.5), 16 * perEndpoint));
    const target = Math.min(this.#rate.allowance, fast);
    return this.#ready.length <= target / 2 ? target - this.#ready.length : 0;
  }

  async #transact(): Promise<void> {
    const { transactions, log } = this.#deps;
    this.#inTransaction = true;
    let recording: Outcome[] = [];
    try {
      await transactions.run(this.key.storeId, async () => {
        // read only now, since more outcomes may have arrived while it waited for its turn
        const input = this.#nextInput();
        recording = this.#outcomes.splice(0);
        this.#recording = recording.length > 0;
        if (input.claim > 0) this.#dueAgain = false;
        const result = await claimAndRecord(this.#deps, this.key, input);
        // a pause requested during the transaction is left for the next one
        if (this.#pauseUntil === input.pauseUntil) this.#pauseUntil = null;
        this.#uncertain = false;
        this.#isBehind = false;
        this.#apply(result, input);
      });
    } catch (error) {
      log.warn({ err: error, endpoint: this.key.id }, "a webhook endpoint's transaction failed; retrying");
      this.#outcomes = [...recording, ...this.#outcomes];
      this.#tryAgain();
    } finally {
      this.#inTransaction = false;
      this.#recording = false;
      this.#transactionEnded = this.#deps.elapsed();
    }
    this.#step();
  }

  /** The failed transaction may have been committed nevertheless, with claims that this sender does not know of. */
  #tryAgain(): void {
    const now = this.#deps.elapsed();
    this.#uncertain = true;
    this.#dueAgain = true;
    this.#nextTransactionFrom = now + triesAgainAfterMs;
    // either nothing is in hand that only this sender knows, or its lease has expired: the next sender starts afresh
    if (this.#endpoint === null || (this.#ending !== null && now > this.#leaseEnd)) this.#end(false);
  }

  #nextInput(): TransactionInput {
    const now = this.#deps.elapsed();
    const outcomes = [...this.#outcomes];
    const idle = this.#ending !== null || now - this.#lastBusy >= lingersMs;
    const release = this.#endpoint !== null && idle && this.#mayRelease();
    const inHand = [...this.#ready.map(({ claimed }) => claimed), ...this.#underWay, ...this.#recorder.inHand];
    const known = [...inHand, ...outcomes.map(({ claimed }) => claimed)].map(({ id }) => id);
    const claims = this.#dueAgain && this.#claimsIn(now) <= 0;
    const first = this.#ending === null ? this.#deps.permits.limits.perEndpoint : 0;
    return {
      hasLease: this.#endpoint !== null,
      reclaimExcept: this.#uncertain ? known : null,
      outcomes,
      pauseUntil: this.#pauseUntil,
      inHand: inHand.length,
      claim: this.#endpoint === null ? first : claims ? this.#claimable() : 0,
      releaseAfterMs: release ? Math.max(0, Math.ceil(this.#lastSent + windowMs - now)) : null,
    };
  }

  #apply(result: TransactionResult, input: TransactionInput): void {
    if (result.kind !== "held") {
      this.#ending = result.kind;
      this.#ready = [];
      if (result.kind === "gone") this.#outcomes = [];
      if (this.#underWay.size + this.#outcomes.length + this.#recorder.size === 0) this.#end(false);
      return;
    }
    const { endpoint, claimed, moreDue, dueInMs, leaseEnd, takenOver, stopped } = result;
    const now = this.#deps.elapsed();
    const before = this.#endpoint;
    if (before?.secrets.join() !== endpoint.secrets.join()) this.#keys = signingKeys(endpoint.secrets);
    this.#endpoint = endpoint;
    this.#rate.perSecond = endpoint.perSecond;
    this.#dueAgain ||= moreDue;
    if (dueInMs !== null) this.#deps.dueIn(this.key, dueInMs);
    if (before === null && endpoint.failing) this.#recovery.heard("down");
    if (takenOver) this.#sendsFrom = now + waitsAfterOthersMs;
    if (stopped || (before !== null && before.version !== endpoint.version)) this.#giveBack();
    if (leaseEnd === null) {
      this.#end(this.#dueAgain && !this.#isPaused());
      return;
    }
    this.#leaseEnd = leaseEnd;
    this.#ready.push(...claimed.map((each) => ({ claimed: each, since: now })));
    if (claimed.length > 0) this.#lastBusy = now;
    if (this.#ending !== null) this.#giveBack();
    // due but not claimed although requested: another transaction holds the row for a moment
    if (moreDue && input.claim > 0 && claimed.length === 0 && !takenOver)
      this.#nextTransactionFrom = now + recordsAfterMs;
  }

  #end(moreDue: boolean): void {
    this.#finished = true;
    clearTimeout(this.#timer);
    this.#deps.permits.forget(this);
    this.#deps.ended(this, moreDue);
    this.#finish();
  }
}
