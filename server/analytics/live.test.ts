import { setImmediate as turn } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { getStoreOverview } from "../../contract/analytics.ts";
import { planAllowances } from "../../contract/limits.ts";
import { ManualCalendar, openTestApp } from "../../testkit/app.ts";
import { FakeCopies } from "../../testkit/fake-copies.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { MemoryCache } from "../platform/cache/memory.ts";
import type { Cache } from "../platform/cache/types.ts";
import type { Store } from "../platform/caller.ts";
import { runnerOf } from "../platform/database/sql.ts";
import { Deadlines } from "../platform/deadline.ts";
import { openLog } from "../platform/log.ts";
import { invalid } from "../platform/problems.ts";
import { Answers } from "./answers.ts";
import type { Question } from "./question.ts";
import { Ranges } from "./range.ts";
import { noFilters } from "./read-selection.ts";
import { zeroOverview } from "./zero.ts";

const store: Store = {
  ...{ id: "0198f2c4-a1b0-7c3e-9d5f-6a7b8c9d0e1f", name: "Shop", shopDomain: "shop.example.com", plan: "plus" },
  ...{ currency: "USD", timezone: "UTC", allowances: planAllowances.plus },
};
const selection = {
  ...{ store, quizId: null, filters: noFilters },
  range: new Ranges().of("2026-03-09", "2026-03-10", "UTC"),
};

const deadlines = new Deadlines(() => 0);
afterAll(() => deadlines.stop());

/** As several processes share it: one says that it is at work, and the others hear of it. */
class SharedCache implements Cache {
  readonly #inner = new MemoryCache(() => 0);
  readonly #claimed = new Set<string>();
  get = (key: string) => this.#inner.get(key);
  set = (key: string, value: string, milliseconds: number) => this.#inner.set(key, value, milliseconds);
  claim = async (key: string) => !this.#claimed.has(key) && this.#claimed.add(key).has(key);
  unclaim = async (key: string) => void this.#claimed.delete(key);
  close = () => this.#inner.close();
}

let calendar: ManualCalendar;
let facts: FakeCopies;
let cache: SharedCache;
let logged: string[];
const opened = () =>
  new Answers({
    ...{ facts, cache, calendar, deadlines, elapsed: () => performance.now() },
    database: { reader: () => runnerOf(async () => []) },
    log: openLog("warn", { write: (line: string) => void logged.push(line) }),
  });
beforeEach(() => {
  calendar = new ManualCalendar();
  facts = new FakeCopies(calendar);
  cache = new SharedCache();
  logged = [];
});
afterEach(() => facts.letGo());

type Overview = Question<typeof getStoreOverview>;
/** what a computation counts: it is as old as the calendar's second */
const counted: Overview["compute"] = async () => {
  const zero = zeroOverview(selection);
  return { ...zero, totals: { ...zero.totals, views: calendar.now() } };
};
const question: Overview = {
  ...{ operation: getStoreOverview, selection, own: null },
  compute: counted,
  zero: () => zeroOverview(selection),
};
const another = (own: string, compute = counted): Overview => ({ ...question, own, compute });

/** One who looks: asks again and again, and says what it has seen. */
class Screen {
  readonly #answers: Answers;
  readonly #question: Overview;
  seen: string | undefined;
  views = 0;
  stale = false;
  next = "";

  constructor(answers: Answers, put = question) {
    this.#answers = answers;
    this.#question = put;
  }

  async look(): Promise<void> {
    const { tag, body } = await this.#answers.answer(this.#question, deadlines.open(30_000), {
      seen: this.seen === undefined ? undefined : `"${this.seen}"`,
    });
    this.seen = tag;
    this.views = body.totals.views;
    this.stale = body.freshness.stale;
    this.next = body.freshness.next_refresh_at ?? "";
  }
}

describe("people who look at figures [analytics.live]", () => {
  it("follow within five seconds, fifty of them at one computation in five seconds", async () => {
    const answers = opened();
    const screens = Array.from({ length: 50 }, () => new Screen(answers));
    await Promise.all(screens.map((screen) => screen.look()));
    const before = facts.reads;
    for (let second = 1; second <= 60; second += 1) {
      calendar.advance(1_000);
      await Promise.all(screens.map((screen) => screen.look()));
      // what happened five seconds ago is on every screen
      for (const { views } of screens) expect(calendar.now() - views).toBeLessThan(5_000);
    }
    expect(facts.reads - before).toBe(12);
  });

  it("share it between processes that share the cache", async () => {
    const [here, there] = [opened(), opened()];
    const screens = Array.from({ length: 20 }, (_, number) => new Screen(number % 2 === 0 ? here : there));
    await Promise.all(screens.map((screen) => screen.look()));
    const before = facts.reads;
    for (let second = 1; second <= 20; second += 1) {
      calendar.advance(1_000);
      await Promise.all(screens.map((screen) => screen.look()));
    }
    expect(facts.reads - before).toBe(4);
  });

  it("follow whichever figures they look at, those of a store in one reading of its copy in five seconds [analytics.live-rounds]", async () => {
    const answers = opened();
    const put = Array.from({ length: 6 }, (_, number) => another(`figure ${number}`));
    const screens = Array.from({ length: 60 }, (_, number) => new Screen(answers, put[number % put.length]));
    // each figure was come to at another time, and that is when it was made first
    for (const [number, screen] of screens.entries()) {
      await screen.look();
      if (number < put.length) calendar.advance(300);
    }
    const look = async () => {
      calendar.advance(1_000);
      await Promise.all(screens.map((screen) => screen.look()));
    };
    for (let second = 0; second < 10; second += 1) await look();
    const before = facts.reads;
    for (let second = 0; second < 60; second += 1) {
      await look();
      for (const { views } of screens) expect(calendar.now() - views).toBeLessThan(5_000);
    }
    expect(facts.reads - before).toBe(12);
  });

  it("follow when each screen asks once in five seconds, at another moment than the others", async () => {
    const answers = opened();
    const screens = Array.from({ length: 5 }, (_, number) => new Screen(answers, another(`figure ${number}`)));
    for (const screen of screens) {
      await screen.look();
      calendar.advance(10);
    }
    calendar.advance(950);
    await Promise.all(screens.map((screen) => screen.look()));
    calendar.advance(3_990);
    const before = facts.reads;
    for (let round = 0; round < 12; round += 1) {
      for (const screen of screens) {
        calendar.advance(10);
        await screen.look();
        expect(calendar.now() - screen.views).toBeLessThan(100);
      }
      screens.push(screens.shift() as Screen);
      calendar.advance(4_950);
    }
    expect(facts.reads - before).toBe(12);
  });

  it("who were away for longer wait for the store's next round, and see what they come to first at once [analytics.live-rounds]", async () => {
    const answers = opened();
    const [here, elsewhere] = [new Screen(answers), new Screen(answers, another("elsewhere"))];
    await elsewhere.look();
    await here.look();
    calendar.advance(5_000);
    await here.look();
    const begun = calendar.now();
    calendar.advance(1_000);
    const reads = facts.reads;
    const back = elsewhere.look();
    for (let n = 0; n < 20; n += 1) await turn();
    expect(facts.reads).toBe(reads);
    await new Screen(answers, another("new")).look();
    expect(facts.reads).toBe(reads + 1);
    calendar.advance(4_000);
    await Promise.all([here.look(), back]);
    expect([here.views, elsewhere.views, facts.reads]).toEqual([begun + 5_000, begun + 5_000, reads + 2]);
  });

  it("wait for the next round also when nobody else asks for it [analytics.live-rounds]", async () => {
    const answers = opened();
    const [here, elsewhere] = [new Screen(answers), new Screen(answers, another("elsewhere"))];
    await Promise.all([here.look(), elsewhere.look()]);
    calendar.advance(5_000);
    await here.look();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      calendar.advance(2_000);
      const back = elsewhere.look();
      for (let n = 0; n < 20; n += 1) await turn();
      const reads = facts.reads;
      vi.advanceTimersByTime(2_999);
      for (let n = 0; n < 20; n += 1) await turn();
      expect(facts.reads).toBe(reads);
      vi.advanceTimersByTime(1);
      await back;
      expect(facts.reads).toBe(reads + 1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("do not lose their figures to one that fails, which is logged [analytics.live-rounds]", async () => {
    const answers = opened();
    let fails = false;
    const failing = another("failing", async (...given) => {
      if (fails) throw new Error("a figure that cannot be made");
      return counted(...given);
    });
    const refused = another("refused", async (...given) => {
      if (fails) throw invalid("query.component_key", "is not a question of this quiz");
      return counted(...given);
    });
    const [good, bad, gone] = [new Screen(answers), new Screen(answers, failing), new Screen(answers, refused)];
    await Promise.all([good.look(), bad.look(), gone.look()]);
    calendar.advance(1_000);
    await Promise.all([good.look(), bad.look(), gone.look()]);
    calendar.advance(4_000);
    fails = true;
    const outcomes = await Promise.allSettled([good.look(), bad.look(), gone.look()]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(good.views).toBe(calendar.now());
    expect(logged.join()).toContain("could not be made together");
    fails = false;
    calendar.advance(5_000);
    await Promise.all([good.look(), bad.look(), gone.look()]);
    for (const { views } of [good, bad, gone]) expect(views).toBe(calendar.now());
  });

  it("are shown what is there when they come, and wait for what is newer than what they have seen", async () => {
    const answers = opened();
    await answers.answer(question, deadlines.open(30_000));
    const made = calendar.now();
    calendar.advance(30_000);
    facts.hold();
    const screen = new Screen(answers);
    await screen.look();
    expect([screen.views, screen.stale]).toEqual([made, true]);
    const again = screen.look();
    for (let n = 0; n < 20; n += 1) await turn();
    expect(screen.views).toBe(made);
    facts.letGo();
    await again;
    expect([screen.views, screen.stale, screen.next]).toEqual([
      ...[calendar.now(), false, new Date(calendar.now() + 5_000).toISOString()],
    ]);
  });

  it("do not make programs' answers dearer or older: those are kept as long as the store's plan says", async () => {
    const answers = opened();
    const ask = () => answers.answer(question, deadlines.open(30_000));
    await ask();
    calendar.advance(59_999);
    const { body } = await ask();
    expect([facts.reads, body.freshness.stale]).toEqual([1, false]);
  });
});

it("a member is told by HTTP when to ask again: in five seconds, a key by its plan [analytics.live]", async () => {
  const people = new TestPeople();
  const t = await openTestApp({ signedIn: people.signedIn });
  const shop = await t.store();
  const headers = inStore(people.add("ana", { in: [[shop, "analyst"]] }), shop);
  const path = "/v1/analytics/overview";
  const byPerson = await t.request("GET", `/dashboard/api${path}`, { headers });
  const byKey = await t.request("GET", path, { key: shop.key });
  const after = ({ as_of, next_refresh_at }: Record<string, string>) =>
    Date.parse(next_refresh_at ?? "") - Date.parse(as_of ?? "");
  expect([after(byPerson.body.freshness), after(byKey.body.freshness)]).toEqual([5_000, 60_000]);
  const seen = { ...headers, "if-none-match": byPerson.headers["etag"] as string };
  expect((await t.request("GET", `/dashboard/api${path}`, { headers: seen })).status).toBe(304);
  t.calendar.advance(5_000);
  const newer = await t.request("GET", `/dashboard/api${path}`, { headers: seen });
  expect([newer.status, newer.headers["etag"] === byPerson.headers["etag"]]).toEqual([200, false]);
  await t.close();
});
