import { isContention } from "../platform/database/failures.ts";
import { type Deadline, type ElapsedClock, noDeadline } from "../platform/deadline.ts";
import { Problem, retryLater } from "../platform/problems.ts";

/**
 * Commits together what arrives together [storefront.groups]. A group belongs to one store; a store has one group under
 * way, so that the next one forms meanwhile; stores are served in turn. What waits is bounded: beyond it the answer is
 * 503 rather than memory.
 */
export interface QueueLimits {
  totalBytes: number;
  storeBytes: number;
  /** of one sender without a key, whatever stores it names [storefront.fair-share] */
  senderBytes: number;
  groupRequests: number;
  groupEvents: number;
  groupBytes: number;
  /** of a group, what one sender without a key may have of it */
  groupSenderEvents: number;
  groupSenderBytes: number;
  /** groups under way in all, and of one store */
  inFlight: number;
  inFlightOfStore: number;
  /**
   * after which a group under way is slow: it is set aside, and its place goes to another store [storefront.slow-store]
   */
  slowAfterMs: number;
  /** groups set aside at most, and those among them whose store was slow before */
  aside: number;
  asideAgain: number;
}

export const queueLimits: QueueLimits = {
  totalBytes: 32 * 1024 * 1024,
  storeBytes: 4 * 1024 * 1024,
  // some 400 waiting requests of a usual page, so that an office's shoppers fit; three quarters of a store's queue, and
  // nearly all of the whole one, are left to others
  senderBytes: 1024 * 1024,
  // larger groups cost less each event, but leave the event loop nothing to do while they are written: of 128 requests
  // at once, groups of 64 took 4,450 events a second, of 200 3,840, of 40 2,780
  groupRequests: 64,
  groupEvents: 1_000,
  // of what a transaction writes its parameters are made in one turn of the event loop, about 10 ns a byte
  groupBytes: 1024 * 1024,
  // a group that one sender fills with what costs most takes 0.1 s, in which the store's other shoppers wait; thirty
  // requests of a usual page stay below both
  groupSenderEvents: 250,
  groupSenderBytes: 128 * 1024,
  inFlight: 4,
  inFlightOfStore: 1,
  // a group takes milliseconds, and waits for the store's lock for two seconds at most; more means that the cluster
  // node of the store hangs, and other stores must not wait for it
  slowAfterMs: 2_500,
  // as many connections are kept for them; of a node that hangs some stores are not known as slow yet
  aside: 12,
  asideAgain: 4,
};

/**
 * As many connections as groups may be under way; those set aside are there only while a node of the database hangs.
 */
export const intakeConnections = queueLimits.inFlight + queueLimits.aside;

/** How often a group is put back that did not get the store's lock; each try waits for two seconds. */
const triesAtMost = 5;
const retryAfterSeconds = 2;

/** How large an item is. */
export interface Size {
  /** of memory, about */
  bytes: number;
  events: number;
  /** null: bounded by the store's and the whole queue's share alone */
  sender: string | null;
}

interface Entry<Item, Answer> extends Size {
  item: Item;
  /** elapsed time at which nobody waits for the answer any more */
  end: number;
  tries: number;
  answered: boolean;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

interface StoreQueue<Item, Answer> {
  storeId: string;
  waiting: Entry<Item, Answer>[];
  bytes: number;
  inFlight: number;
}

/** What one sender has of a group that forms. */
interface Share {
  events: number;
  bytes: number;
  full: boolean;
}

export interface GroupQueueDeps<Item, Answer> {
  limits: QueueLimits;
  elapsed: ElapsedClock;
  /** one answer an item, in their order; all of them are kept, or none */
  commit: (storeId: string, items: Item[]) => Promise<Answer[]>;
}

export class GroupQueue<Item, Answer> {
  readonly #deps: GroupQueueDeps<Item, Answer>;
  readonly #stores = new Map<string, StoreQueue<Item, Answer>>();
  /** stores that may begin a group, in order */
  readonly #ready = new Set<StoreQueue<Item, Answer>>();
  /** bytes of each sender that has any here */
  readonly #senders = new Map<string, number>();
  #room: (() => void)[] = [];
  #bytes = 0;
  #inFlight = 0;
  #aside = 0;
  #asideAgain = 0;
  /** stores whose last group was set aside: the next one begins there */
  readonly #slow = new Set<string>();
  #pumping = false;
  #closed = false;

  constructor(deps: GroupQueueDeps<Item, Answer>) {
    this.#deps = deps;
  }

  /**
   * The answer to an item once it is committed. Rejects with 429 `rate_limited` when its sender has too much here, with
   * 503 `dependency_unavailable` when the queue is full or the database away [storefront.full-queue], and with
   * `timeout` when the deadline passes first.
   */
  submit(storeId: string, item: Item, size: Size, deadline: Deadline = noDeadline): Promise<Answer> {
    if (this.#bytesOf(size.sender) + size.bytes > this.#deps.limits.senderBytes && this.#bytesOf(size.sender) > 0) {
      return Promise.reject(retryLater("rate_limited", retryAfterSeconds));
    }
    const store = this.#stores.get(storeId) ?? { storeId, waiting: [], bytes: 0, inFlight: 0 };
    if (this.#closed || !this.#fits(store, size.bytes)) {
      return Promise.reject(retryLater("dependency_unavailable", retryAfterSeconds));
    }
    this.#stores.set(storeId, store);
    return new Promise<Answer>((resolve, reject) => {
      const end = this.#deps.elapsed() + deadline.remaining();
      const entry: Entry<Item, Answer> = { item, ...size, end, tries: 0, answered: false, resolve, reject };
      // The events of a browser that goes away before the answer count as well: only time withdraws an entry
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

  /** What waits or is being committed at the moment, and how many groups of it. */
  get fill(): { bytes: number; requests: number; groups: number; aside: number } {
    let requests = 0;
    for (const store of this.#stores.values()) requests += store.waiting.length;
    return { bytes: this.#bytes, requests, groups: this.#inFlight + this.#aside, aside: this.#aside };
  }

  /** As `submit`, but waits for room instead of refusing: for callers that bring as much as is accepted. */
  async submitWhenRoom(storeId: string, item: Item, size: Size, deadline: Deadline = noDeadline): Promise<Answer> {
    // an item larger than all the room there is would never get it
    const bytes = Math.min(size.bytes, this.#deps.limits.storeBytes);
    while (!this.#closed && !this.#fits(this.#stores.get(storeId), bytes)) {
      await new Promise<void>((resolve) => this.#room.push(resolve));
    }
    return this.submit(storeId, item, { ...size, bytes }, deadline);
  }

  /** Accepts nothing more; resolves when all that was accepted is committed or refused. */
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

  /** Groups begin after the requests that came in with this round of the event loop have all been read. */
  #schedule(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  /** A store with as many groups under way as it may have comes back when one of them is done. */
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

  /** The first that wait; what is beyond its sender's share waits for the next group, and others go before it. */
  #formGroup(store: StoreQueue<Item, Answer>): Entry<Item, Answer>[] {
    const { groupRequests, groupEvents, groupBytes } = this.#deps.limits;
    const now = this.#deps.elapsed();
    const group: Entry<Item, Answer>[] = [];
    const waiting: Entry<Item, Answer>[] = [];
    const shares = new Map<string, Share>();
    let [events, bytes, full] = [0, 0, false];
    for (const entry of store.waiting) {
      if (entry.answered || now >= entry.end) {
        this.#fail(entry, new Problem("timeout"));
        this.#hold(store, entry, -1);
        continue;
      }
      full ||=
        group.length > 0 &&
        (group.length >= groupRequests || events + entry.events > groupEvents || bytes + entry.bytes > groupBytes);
      if (full || !this.#isWithinShare(shares, entry)) {
        waiting.push(entry);
        continue;
      }
      group.push(entry);
      events += entry.events;
      bytes += entry.bytes;
    }
    store.waiting = waiting;
    return group;
  }

  /** Counts an entry into its sender's share of a group, if it fits; a sender's requests keep their order. */
  #isWithinShare(shares: Map<string, Share>, { sender, events, bytes }: Size): boolean {
    if (sender === null) return true;
    const { groupSenderEvents, groupSenderBytes } = this.#deps.limits;
    const share = shares.get(sender);
    if (share === undefined) {
      shares.set(sender, { events, bytes, full: false });
      return true;
    }
    share.full ||= share.events + events > groupSenderEvents || share.bytes + bytes > groupSenderBytes;
    share.events += events;
    share.bytes += bytes;
    return !share.full;
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

  /** Answers what gives the place up. A group that lasts loses it before, as long as there is room aside. */
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

  /** For a store that was slow: it is known as slow until a group of it is done in time. */
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

  /** Commits a group, or finds out whose fault it is that it cannot be; answers what is to be tried again. */
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
    // something in the group is at fault: the others must not suffer from it
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

/** A group that ran out of time says nothing about the time that each of its requests has left. */
const asUnavailable = (error: unknown): unknown =>
  error instanceof Problem && error.title === "timeout"
    ? retryLater("dependency_unavailable", retryAfterSeconds, error)
    : error;
