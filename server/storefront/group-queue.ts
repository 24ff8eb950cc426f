import { isContention } from "../platform/database/failures.ts";
import { type Deadline, type ElapsedClock, noDeadline } from "../platform/deadline.ts";
import { Problem, retryLater } from "../platform/problems.ts";
import { formGroup, type GroupLimits, type Size, type WaitingEntry } from "./form-group.ts";

/**
 * Commits in one transaction what arrives together [storefront.groups]. A group belongs to one store; a store has one
 * group in flight, while its next one forms; stores take turns. The queue is bounded: if it is full, the answer is 503
 * instead of using more memory.
 */
export interface QueueLimits extends GroupLimits {
  totalBytes: number;
  storeBytes: number;
  /** of one sender without a key, across all stores [storefront.fair-share] */
  senderBytes: number;
  /** groups in flight, in total and for one store */
  inFlight: number;
  inFlightOfStore: number;
  /**
   * after which a group in flight counts as slow: it is set aside, and another store gets its place
   * [storefront.slow-store]
   */
  slowAfterMs: number;
  /** maximum number of groups set aside, and of those among them whose store was slow before */
  aside: number;
  asideAgain: number;
}

export const queueLimits: QueueLimits = {
  totalBytes: 32 * 1024 * 1024,
  storeBytes: 4 * 1024 * 1024,
  // some 400 waiting requests of a usual page, enough for an office's shoppers; three quarters of a store's queue, and
  // nearly all of the whole one, are left to others
  senderBytes: 1024 * 1024,
  // larger groups cost less per event, but leave the event loop idle while they are written: with 128 concurrent
  // requests, groups of 64 took 4,450 events a second, of 200 3,840, of 40 2,780
  groupRequests: 64,
  groupEvents: 1_000,
  // a transaction's parameters are built in one turn of the event loop, at about 10 ns a byte
  groupBytes: 1024 * 1024,
  // a group that one sender fills with the most expensive events takes 0.1 s, during which the store's other shoppers
  // wait; thirty requests of a usual page stay below both limits
  groupSenderEvents: 250,
  groupSenderBytes: 128 * 1024,
  // an office of a few shoppers stays below both
  lightRequests: 4,
  lightEvents: 20,
  inFlight: 4,
  inFlightOfStore: 1,
  // a group takes milliseconds, and waits for the store's lock for two seconds at most; longer means that the store's
  // cluster node hangs, and other stores must not wait for it
  slowAfterMs: 2_500,
  // each has its own connection; more than `asideAgain`, since some stores of a hanging node are not known as slow yet
  aside: 12,
  asideAgain: 4,
};

/** One for each group that may be in flight; those for groups set aside are open only while a database node hangs. */
export const intakeConnections = queueLimits.inFlight + queueLimits.aside;

/** How often an entry whose group did not get the store's lock is tried; each try waits for two seconds. */
const triesAtMost = 5;
const retryAfterSeconds = 2;

interface Entry<Item, Answer> extends WaitingEntry {
  item: Item;
  tries: number;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

interface StoreQueue<Item, Answer> {
  storeId: string;
  waiting: Entry<Item, Answer>[];
  bytes: number;
  inFlight: number;
  /** senders who had much of the last group */
  heavy: ReadonlySet<string>;
}

export interface GroupQueueDeps<Item, Answer> {
  limits: QueueLimits;
  elapsed: ElapsedClock;
  /** returns one answer per item, in order; commits all of them or none */
  commit: (storeId: string, items: Item[]) => Promise<Answer[]>;
}

export class GroupQueue<Item, Answer> {
  readonly #deps: GroupQueueDeps<Item, Answer>;
  readonly #stores = new Map<string, StoreQueue<Item, Answer>>();
  /** stores that may start a group, in order */
  readonly #ready = new Set<StoreQueue<Item, Answer>>();
  /** bytes in the queue by sender */
  readonly #senders = new Map<string, number>();
  #room: (() => void)[] = [];
  /** by store, resolves when the last of those who wait for room has it */
  readonly #lastEntering = new Map<string, Promise<void>>();
  #bytes = 0;
  #inFlight = 0;
  #aside = 0;
  #asideAgain = 0;
  /** stores whose last group was set aside: their next group starts set aside */
  readonly #slow = new Set<string>();
  #pumping = false;
  #closed = false;

  constructor(deps: GroupQueueDeps<Item, Answer>) {
    this.#deps = deps;
  }

  /**
   * Resolves to an item's answer once it is committed. Rejects with 429 `rate_limited` if its sender has too much in
   * the queue, with 503 `dependency_unavailable` if the queue is full or the database unavailable
   * [storefront.full-queue], and with `timeout` if the deadline passes first.
   */
  submit(storeId: string, item: Item, size: Size, deadline: Deadline = noDeadline): Promise<Answer> {
    if (this.#bytesOf(size.sender) + size.bytes > this.#deps.limits.senderBytes && this.#bytesOf(size.sender) > 0) {
      return Promise.reject(retryLater("rate_limited", retryAfterSeconds));
    }
    const store = this.#stores.get(storeId) ?? { storeId, waiting: [], bytes: 0, inFlight: 0, heavy: new Set() };
    if (this.#closed || !this.#fits(store, size.bytes)) {
      return Promise.reject(retryLater("dependency_unavailable", retryAfterSeconds));
    }
    this.#stores.set(storeId, store);
    return new Promise<Answer>((resolve, reject) => {
      const end = this.#deps.elapsed() + deadline.remaining();
      const entry: Entry<Item, Answer> = { item, ...size, end, tries: 0, answered: false, resolve, reject };
      // The events of a browser that disconnects before the answer count as well: only the deadline withdraws an entry
      // [storefront.deadline].
      const forget = deadline.onExpiry(() => {
        if (this.#deps.elapsed() >= end - 1) this.#fail(entry, new Problem("timeout"));
      });
      entry.resolve = (answer) => {
        forget();
        resolve(answer);
      };
      entry.reject = (error) => {
        forget();
        reject(error as Error);
      };
      store.waiting.push(entry);
      this.#hold(store, entry, 1);
      this.#queueUp(store);
      this.#schedule();
    });
  }

  /** What is waiting or being committed right now, and the number of groups in flight. */
  get fill(): { bytes: number; requests: number; groups: number; aside: number } {
    let requests = 0;
    for (const store of this.#stores.values()) requests += store.waiting.length;
    return { bytes: this.#bytes, requests, groups: this.#inFlight + this.#aside, aside: this.#aside };
  }

  /**
   * Like `submit`, but waits for room instead of rejecting: for callers that send as fast as items are accepted. A
   * store's items keep their order: a small one, such as a finish, does not overtake a larger one that waits.
   */
  submitWhenRoom(storeId: string, item: Item, size: Size, deadline: Deadline = noDeadline): Promise<Answer> {
    // an item larger than the store's whole share would wait forever
    const bytes = Math.min(size.bytes, this.#deps.limits.storeBytes);
    const submit = () => this.submit(storeId, item, { ...size, bytes }, deadline);
    const before = this.#lastEntering.get(storeId);
    if (before === undefined && this.#fits(this.#stores.get(storeId), bytes)) return submit();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const entered = this.#enter(storeId, bytes, before, () => resolve(submit())).then(() => {
      if (this.#lastEntering.get(storeId) === entered) this.#lastEntering.delete(storeId);
    });
    this.#lastEntering.set(storeId, entered);
    return promise;
  }

  async #enter(storeId: string, bytes: number, before: Promise<void> | undefined, enter: () => void): Promise<void> {
    await before;
    while (!this.#closed && !this.#fits(this.#stores.get(storeId), bytes)) {
      await new Promise<void>((resolve) => this.#room.push(resolve));
    }
    enter();
  }

  /** Accepts nothing more; resolves when everything accepted is committed or rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#stores.size > 0) await new Promise<void>((resolve) => this.#room.push(resolve));
  }

  #fits(store: StoreQueue<Item, Answer> | undefined, bytes: number): boolean {
    const { totalBytes, storeBytes } = this.#deps.limits;
    return this.#bytes + bytes <= totalBytes && (store?.bytes ?? 0) + bytes <= storeBytes;
  }

  #hold(store: StoreQueue<Item, Answer>, entry: Entry<Item, Answer>, sign: 1 | -1): void {
    store.bytes += sign * entry.bytes;
    this.#bytes += sign * entry.bytes;
    const { sender } = entry;
    if (sender === null) return;
    const bytes = this.#bytesOf(sender) + sign * entry.bytes;
    if (bytes > 0) this.#senders.set(sender, bytes);
    else this.#senders.delete(sender);
  }

  #bytesOf(sender: string | null): number {
    return sender === null ? 0 : (this.#senders.get(sender) ?? 0);
  }

  #fail(entry: Entry<Item, Answer>, error: unknown): void {
    if (entry.answered) return;
    entry.answered = true;
    entry.reject(error);
  }

  /** Groups form only after all requests of this turn of the event loop have been read. */
  #schedule(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  /** A store with its maximum of groups in flight is queued again when one of them is done. */
  #queueUp(store: StoreQueue<Item, Answer>): void {
    const { inFlightOfStore } = this.#deps.limits;
    if (store.waiting.length > 0 && store.inFlight < inFlightOfStore) this.#ready.add(store);
  }

  #pump(): void {
    const { inFlight, aside, asideAgain } = this.#deps.limits;
    for (const store of this.#ready) {
      const again = this.#slow.has(store.storeId);
      const room = again ? this.#aside < aside && this.#asideAgain < asideAgain : this.#inFlight < inFlight;
      if (!room) continue;
      this.#ready.delete(store);
      const group = this.#formGroup(store);
      if (group.length === 0) {
        this.#forget(store);
        continue;
      }
      store.inFlight += 1;
      this.#queueUp(store);
      void this.#run(store, group, again);
    }
  }

  #formGroup(store: StoreQueue<Item, Answer>): Entry<Item, Answer>[] {
    const moment = { now: this.#deps.elapsed(), heavyBefore: store.heavy };
    const { group, waiting, expired, heavy } = formGroup(store.waiting, this.#deps.limits, moment);
    for (const entry of expired) {
      this.#fail(entry, new Problem("timeout"));
      this.#hold(store, entry, -1);
    }
    store.waiting = waiting;
    store.heavy = heavy;
    return group;
  }

  async #run(store: StoreQueue<Item, Answer>, group: Entry<Item, Answer>[], again: boolean): Promise<void> {
    const giveUp = again ? this.#occupyAside(store.storeId) : this.#occupyPlace(store.storeId);
    const left = await this.#commit(store.storeId, group);
    giveUp();
    for (const entry of group) if (!left.includes(entry)) this.#hold(store, entry, -1);
    store.waiting.unshift(...left);
    store.inFlight -= 1;
    this.#queueUp(store);
    this.#forget(store);
    const waiting = this.#room;
    this.#room = [];
    for (const resume of waiting) resume();
    this.#pump();
  }

  /**
   * Returns a function that frees the place. A slow group loses its place earlier, if there is room to set it aside.
   */
  #occupyPlace(storeId: string): () => void {
    this.#inFlight += 1;
    let isAside = false;
    const timer = setTimeout(() => {
      if (this.#aside >= this.#deps.limits.aside) return;
      isAside = true;
      this.#inFlight -= 1;
      this.#aside += 1;
      this.#slow.add(storeId);
      this.#pump();
    }, this.#deps.limits.slowAfterMs).unref();
    return () => {
      clearTimeout(timer);
      if (isAside) this.#aside -= 1;
      else this.#inFlight -= 1;
    };
  }

  /** For a store that was slow; it stays marked as slow until one of its groups finishes in time. */
  #occupyAside(storeId: string): () => void {
    this.#aside += 1;
    this.#asideAgain += 1;
    const began = this.#deps.elapsed();
    return () => {
      this.#aside -= 1;
      this.#asideAgain -= 1;
      if (this.#deps.elapsed() - began < this.#deps.limits.slowAfterMs) this.#slow.delete(storeId);
    };
  }

  /** Commits a group, or else each of its entries alone, to find the faulty one; returns the entries to try again. */
  async #commit(storeId: string, group: Entry<Item, Answer>[]): Promise<Entry<Item, Answer>[]> {
    try {
      const items = group.map((entry) => entry.item);
      const answers = await this.#deps.commit(storeId, items);
      for (const [index, entry] of group.entries()) {
        if (entry.answered) continue;
        entry.answered = true;
        entry.resolve(answers[index] as Answer);
      }
      return [];
    } catch (error) {
      if (isContention(error)) return this.#putBack(group, error);
      if (error instanceof Problem || group.length === 1) {
        for (const entry of group) this.#fail(entry, asUnavailable(error));
        return [];
      }
    }
    // one entry of the group is faulty: the others must not suffer from it
    const again: Entry<Item, Answer>[] = [];
    for (const entry of group) again.push(...(await this.#commit(storeId, [entry])));
    return again;
  }

  #putBack(group: Entry<Item, Answer>[], error: unknown): Entry<Item, Answer>[] {
    const again: Entry<Item, Answer>[] = [];
    for (const entry of group) {
      entry.tries += 1;
      if (entry.tries < triesAtMost) again.push(entry);
      else this.#fail(entry, asUnavailable(error));
    }
    return again;
  }

  #forget(store: StoreQueue<Item, Answer>): void {
    if (store.waiting.length === 0 && store.inFlight === 0) this.#stores.delete(store.storeId);
  }
}

/** A group's timeout says nothing about the time that each of its requests has left, so they may retry. */
const asUnavailable = (error: unknown): unknown =>
  error instanceof Problem && error.title === "timeout"
    ? retryLater("dependency_unavailable", retryAfterSeconds, error)
    : error;
