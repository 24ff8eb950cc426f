import type { EventBatch, ShopperEvent } from "../contract/storefront.ts";
import { newPageMemory } from "../player/record/page-memory.ts";
import type { Browser, Storage } from "../player/record/types.ts";

/** Simulates a shopper's browsers, network and server, with a clock that only tests advance. */

/** How the server answers an arriving request; `down`: not at all. */
export type ServerMood = "up" | "down" | "failing" | "busy" | "refusing";

interface Timer {
  at: number;
  work: () => void;
}

class StoredTexts implements Storage {
  readonly texts = new Map<string, string>();
  /** the reason why every access throws; null: access works */
  denial: string | null = null;
  /** capacity in characters */
  room = 5_000_000;

  get length(): number {
    return this.#open().size;
  }
  key(index: number): string | null {
    return [...this.#open().keys()][index] ?? null;
  }
  getItem(key: string): string | null {
    return this.#open().get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    const others = [...this.#open()].filter(([one]) => one !== key);
    const size = others.reduce((sum, [, text]) => sum + text.length, value.length);
    if (size > this.room) throw Object.assign(new Error("no room"), { name: "QuotaExceededError" });
    this.texts.set(key, value);
  }
  removeItem(key: string): void {
    this.#open().delete(key);
  }
  #open(): Map<string, string> {
    if (this.denial !== null) throw Object.assign(new Error("denied"), { name: this.denial });
    return this.texts;
  }
}

export class ShopperWorld {
  now = Date.parse("2026-03-10T12:00:00.000Z");
  isOnline = true;
  mood: ServerMood = "up";
  /** a proxy or firewall before the server, which answers in its place; null: the request reaches the server */
  proxy: (batch: EventBatch, bytes: number) => Response | null = () => null;
  /** seconds in the Retry-After header of a busy server */
  retryAfter = 20;
  readonly local = new StoredTexts();
  /** events that the server accepted, by session and id */
  readonly taken = new Map<string, Map<string, ShopperEvent>>();
  readonly requests: { at: number; via: "post" | "beacon"; batch: EventBatch; bytes: number; tab: FakeTab }[] = [];
  /** forbidden things that requests did */
  readonly faults: string[] = [];
  locks: "held" | "none" | "rejected" = "held";
  #timers: Timer[] = [];
  #made = 0;
  /** until when the server asked not to be called, by the tab that received this; tabs with a storage share it */
  readonly #closedUntil = new Map<FakeTab | null, number>();
  readonly #flying = new Map<FakeTab, Set<string>>();
  readonly #lock: { tab: FakeTab; begin: () => void }[] = [];
  readonly tabs = new Set<FakeTab>();

  openTab(): FakeTab {
    const tab = new FakeTab(this);
    this.tabs.add(tab);
    return tab;
  }

  newId(): string {
    this.#made += 1;
    return this.#made.toString(16).padStart(32, "0");
  }

  later(ms: number, work: () => void): () => void {
    const timer = { at: this.now + ms, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  async pass(ms: number): Promise<void> {
    const until = this.now + ms;
    await settled();
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.now = Math.max(this.now, next.at);
      next.work();
      await settled();
    }
    this.now = until;
  }

  setOnline(isOnline: boolean): void {
    this.isOnline = isOnline;
    if (isOnline) for (const tab of this.tabs) tab.tell("online");
  }

  /** A request in flight: it arrives after 40 ms, and its answer after another 40. */
  carry(tab: FakeTab, body: string, via: "post" | "beacon"): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const batch: EventBatch = JSON.parse(body);
    const bytes = Buffer.byteLength(body);
    this.requests.push({ at: this.now, via, batch, bytes, tab });
    this.#inspect(tab, batch, bytes, via);
    const isLost = !this.isOnline;
    this.later(40, () => {
      const answer = isLost || !this.isOnline ? null : (this.proxy(batch, bytes) ?? this.#receive(batch));
      this.later(40, () => {
        if (via === "post") this.#flying.delete(tab);
        if (tab.isGone) return;
        if (answer === null || !this.isOnline) reject(new TypeError("Failed to fetch"));
        else resolve(answer);
      });
    });
    return promise;
  }

  #inspect(tab: FakeTab, { events }: EventBatch, bytes: number, via: "post" | "beacon"): void {
    if (events.length > 100 || events.length === 0) this.faults.push(`${events.length} events in a batch`);
    if (bytes > 60_000 && events.length > 1) this.faults.push(`${bytes} bytes in a batch`);
    const isTold = this.now < (this.#closedUntil.get(tab.hasStorage ? null : tab) ?? 0);
    // data that is not stored has no later chance
    const isLastChance = via === "beacon" && !tab.hasStorage;
    if (isTold && !isLastChance) this.faults.push(`${via} before Retry-After`);
    if (via === "beacon") return;
    const ids = new Set(events.map((event) => (event as ShopperEvent).id));
    for (const [other, flying] of this.#flying) {
      if (!other.isGone && other !== tab && [...ids].some((id) => flying.has(id))) this.faults.push("sent by two tabs");
    }
    this.#flying.set(tab, ids);
  }

  #receive({ session, events }: EventBatch): Response | null {
    const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
      new Response(JSON.stringify(body), { status, headers });
    const problem = (status: number, title: string, headers = {}) =>
      answer(status, { type: `https://api.example/errors/${title}`, title }, headers);
    switch (this.mood) {
      case "down":
        return null;
      case "failing":
        return problem(500, "internal_error");
      case "busy":
        return problem(429, "rate_limited", { "Retry-After": String(this.retryAfter) });
      case "refusing":
        return problem(422, "validation_error");
      case "up": {
        const known = this.taken.get(session.id) ?? new Map<string, ShopperEvent>();
        this.taken.set(session.id, known);
        const rejected: { id: string; reason: string }[] = [];
        for (const event of events as ShopperEvent[]) {
          const reason =
            "value" in event && typeof event.value === "string" ? /^refuse (\w+)/.exec(event.value)?.[1] : null;
          if (reason) rejected.push({ id: event.id, reason });
          else known.set(event.id, event);
        }
        return answer(202, { accepted: events.length - rejected.length, duplicates: 0, rejected });
      }
    }
  }

  hears(tab: FakeTab, { status, headers }: Response): void {
    const until = this.now + Number(headers.get("Retry-After")) * 1000;
    if (status === 429) this.#closedUntil.set(tab.hasStorage ? null : tab, until);
  }

  lock(tab: FakeTab, work: () => Promise<void>): Promise<void> {
    if (this.locks === "rejected") return Promise.reject(new Error("SecurityError"));
    return new Promise((resolve) => {
      const wish = {
        tab,
        begin: () =>
          void work()
            .then(() => this.#unlock((one) => one === wish))
            .then(resolve),
      };
      this.#lock.push(wish);
      if (this.#lock.length === 1) wish.begin();
    });
  }

  #unlock(ends: (wish: { tab: FakeTab }) => boolean): void {
    const holder = this.#lock[0];
    const left = this.#lock.filter((wish) => !ends(wish));
    this.#lock.splice(0, this.#lock.length, ...left);
    if (this.#lock[0] !== holder) this.#lock[0]?.begin();
  }

  /** Requests of a page that is gone still arrive, but nobody waits for them. */
  pageIsGone(tab: FakeTab): void {
    this.#flying.delete(tab);
    this.#unlock((wish) => wish.tab === tab);
  }
}

export class FakeTab {
  readonly world: ShopperWorld;
  readonly session = new StoredTexts();
  /** the reason why this tab has no storage; null: it has one */
  denial: string | null = null;
  /** whether a test lets it use that storage */
  hasStorage = true;
  isGone = false;
  isReloaded = false;
  #page = newPageMemory();
  #hears: { moment: string; hear: () => void }[] = [];
  #pages = 0;

  constructor(world: ShopperWorld) {
    this.world = world;
  }

  /** The browser's interface for the tab's current page. */
  browser(): Browser {
    const { world } = this;
    const page = this.#pages;
    const isHere = () => !this.isGone && page === this.#pages;
    const storage = (texts: StoredTexts) => (): Storage => {
      if (!isHere()) throw new Error("the page is gone");
      if (this.denial !== null) throw Object.assign(new Error("denied"), { name: this.denial });
      return texts;
    };
    return {
      memory: this.#page,
      local: storage(world.local),
      tab: storage(this.session),
      isReloaded: this.isReloaded,
      now: () => world.now,
      random: () => 0.5,
      newId: () => world.newId(),
      post: (_url, body) => {
        const answer = world.carry(this, body, "post");
        return new Promise((resolve, reject) => {
          answer.then(
            (one) => {
              if (!isHere()) return;
              world.hears(this, one);
              resolve(one);
            },
            // a page that is gone receives nothing
            (error) => isHere() && reject(error),
          );
        });
      },
      beacon: (_url, body) => {
        world.carry(this, body, "beacon").catch(() => undefined);
        return true;
      },
      lock: world.locks === "none" ? null : (_name, work) => world.lock(this, work),
      later: (work, ms) => world.later(ms, () => isHere() && work()),
      on: (moment, hear) => {
        const one = { moment, hear };
        this.#hears.push(one);
        return () => {
          this.#hears = this.#hears.filter((other) => other !== one);
        };
      },
    };
  }

  tell(moment: "hide" | "show" | "online"): void {
    for (const one of [...this.#hears]) if (one.moment === moment) one.hear();
  }

  /** Loads a page in the tab: a reload, or a later visit. */
  load(isReloaded: boolean): void {
    this.#pages += 1;
    this.#hears = [];
    this.#page = newPageMemory();
    this.isReloaded = isReloaded;
    this.world.pageIsGone(this);
  }

  /** Kills the tab without `pagehide` or a last request. */
  kill(): void {
    this.isGone = true;
    this.#hears = [];
    this.world.tabs.delete(this);
    this.world.pageIsGone(this);
  }
}

/** Waits until all pending promises have settled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
