import { setImmediate as turn } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { getStoreOverview } from "../../contract/analytics.ts";
import { planAllowances } from "../../contract/limits.ts";
import { ManualCalendar } from "../../testkit/app.ts";
import { FakeCopies } from "../../testkit/fake-copies.ts";
import { timed } from "../../testkit/timed.ts";
import { MemoryCache } from "../platform/cache/memory.ts";
import type { Cache } from "../platform/cache/types.ts";
import type { Store } from "../platform/caller.ts";
import { runnerOf } from "../platform/database/sql.ts";
import { type Deadline, Deadlines } from "../platform/deadline.ts";
import { openLog } from "../platform/log.ts";
import { Answers } from "./answers.ts";
import { answerKey } from "./cached-answers.ts";
import type { Question } from "./question.ts";
import { Ranges } from "./range.ts";
import { noFilters } from "./read-selection.ts";
import type { Selection } from "./selection.ts";
import { zeroOverview } from "./zero.ts";

const store: Store = {
  id: "0198f2c4-a1b0-7c3e-9d5f-6a7b8c9d0e1f",
  name: "Shop",
  shopDomain: "shop.example.com",
  plan: "plus",
  currency: "USD",
  timezone: "UTC",
  allowances: planAllowances.plus,
};
const selection: Selection = {
  store,
  quizId: null,
  range: new Ranges().of("2026-03-09", "2026-03-10", "UTC"),
  filters: noFilters,
};

const deadlines = new Deadlines(() => 0);
afterAll(() => deadlines.stop());
const open = () => deadlines.open(30_000);

/** A cache that others share too: it can be away, and another process can be at work. */
class SharedCache implements Cache {
  readonly #inner = new MemoryCache(() => 0);
  away = false;
  claimed = new Set<string>();
  get = async (key: string) => (this.away ? null : this.#inner.get(key));
  set = async (key: string, value: string, milliseconds: number) =>
    this.away ? undefined : this.#inner.set(key, value, milliseconds);
  claim = async (key: string) => {
    if (this.away) return true;
    if (this.claimed.has(key)) return false;
    this.claimed.add(key);
    return true;
  };
  unclaim = async (key: string) => void this.claimed.delete(key);
  close = () => this.#inner.close();
}

let calendar: ManualCalendar;
let facts: FakeCopies;
let cache: SharedCache;
let logged: string[];
let answers: Answers;
/** what the next computation counts */
let views: number;
const openAnswers = (over: Cache) =>
  new Answers({
    elapsed: () => performance.now(),
    facts,
    cache: over,
    // the fake questions read nothing
    database: { reader: () => runnerOf(async () => []) },
    calendar,
    deadlines,
    log: openLog("warn", { write: (line: string) => void logged.push(line) }),
  });
beforeEach(() => {
  calendar = new ManualCalendar();
  facts = new FakeCopies(calendar);
  cache = new SharedCache();
  logged = [];
  views = 1;
  answers = openAnswers(cache);
});
afterEach(() => facts.letGo());

type Overview = typeof getStoreOverview;
const question = (over: Partial<Selection> = {}, own: unknown = null): Question<Overview> => {
  const about = { ...selection, ...over };
  const zero = () => zeroOverview(about);
  const compute = async () => ({ ...zero(), totals: { ...zero().totals, views } });
  return { operation: getStoreOverview, selection: about, own, compute, zero };
};

async function ask(put = question(), deadline: Deadline = open()) {
  const { tag, body } = await answers.answer(put, deadline);
  return { tag, views: body.totals.views, ...body.freshness };
}
const settled = async () => {
  for (let n = 0; n < 20; n += 1) await turn();
};

describe("cached answers", () => {
  it("carry range, filters and freshness around their figures [analytics.shared-fields]", async () => {
    const { body } = await answers.answer(question(), open());
    expect(body).toMatchObject({
      quiz_id: null,
      range: { days: 2, start: "2026-03-09", end: "2026-03-10", timezone: "UTC" },
      filters: { channel: null, device: null, new_returning: null, country: null },
      freshness: { as_of: "2026-03-10T12:00:00.000Z", next_refresh_at: "2026-03-10T12:01:00.000Z", stale: false },
    });
  });

  it("are sent as they are while younger than the soft TTL of the store [analytics.kept]", async () => {
    const first = await ask();
    views = 2;
    calendar.advance(59_999);
    expect(await ask()).toEqual(first);
    expect(facts.reads).toBe(1);
    const quick = { ...store, allowances: { ...store.allowances, analytics_soft_ttl_seconds: 15 } };
    calendar.advance(-40_000);
    expect(await ask(question({ store: quick }))).toMatchObject({ stale: true, views: 1 });
  });

  it("are sent at once as stale when older, while one newer is made, once [analytics.stale]", async () => {
    const first = await ask();
    views = 2;
    calendar.advance(60_000);
    facts.hold();
    const stale = await Promise.all([ask(), ask(), ask()]);
    for (const each of stale) expect(each).toEqual({ ...first, stale: true });
    await settled();
    expect(facts.reads).toBe(2);
    facts.letGo();
    await settled();
    const newer = await ask();
    expect(newer).toMatchObject({ views: 2, stale: false, as_of: "2026-03-10T12:01:00.000Z" });
    expect(newer.tag).not.toBe(first.tag);
    expect(facts.reads).toBe(2);
  });

  it("are made anew before they are sent when ten times as old [analytics.stale]", async () => {
    await ask();
    views = 2;
    calendar.advance(600_000);
    expect(await ask()).toMatchObject({ views: 2, stale: false });
  });

  it("change their tag with each computation, also when the figures are the same [analytics.etag]", async () => {
    const first = await ask();
    calendar.advance(600_000);
    const second = await ask();
    expect(second.views).toBe(first.views);
    expect(second.tag).not.toBe(first.tag);
  });

  it("stay as they are when a refresh fails, which is logged, and is tried again [analytics.failed-refresh]", async () => {
    await ask();
    calendar.advance(60_000);
    facts.failure = new Error("out of memory");
    expect(await ask()).toMatchObject({ stale: true });
    await settled();
    expect(logged.join()).toContain("could not be refreshed");
    facts.failure = null;
    expect(await ask()).toMatchObject({ stale: true });
    await settled();
    expect(await ask()).toMatchObject({ stale: false });
  });

  it("are made directly while the cache is away, once for all who ask at the same time [analytics.other-process, analytics.shared-work]", async () => {
    cache.away = true;
    facts.hold();
    const all = Promise.all([ask(), ask(), ask()]);
    await settled();
    facts.letGo();
    expect((await all).map((each) => each.views)).toEqual([1, 1, 1]);
    expect(facts.reads).toBe(1);
    await ask();
    expect(facts.reads).toBe(2);
  });

  it("that cannot be read are as good as none [analytics.kept]", async () => {
    await cache.set(answerKey(getStoreOverview, selection, null), "{", 1_000);
    expect(await ask()).toMatchObject({ views: 1 });
  });
});

describe("keys of answers [analytics.kept-apart]", () => {
  it("tell apart every store, quiz, day, zone, filter, parameter and currency", () => {
    const ranges = new Ranges();
    const variants: [Partial<Selection>, unknown][] = [
      [{}, null],
      [{}, { by: "channel" }],
      [{}, { by: "device" }],
      [{ quizId: store.id }, null],
      [{ store: { ...store, id: "0198f2c4-a1b0-7c3e-9d5f-000000000000" } }, null],
      [{ store: { ...store, currency: "EUR" } }, null],
      [{ store: { ...store, allowances: { ...store.allowances, order_window_days: 7 } } }, null],
      [{ range: ranges.of("2026-03-08", "2026-03-10", "UTC") }, null],
      [{ range: ranges.of("2026-03-09", "2026-03-09", "UTC") }, null],
      [{ range: ranges.of("2026-03-09", "2026-03-10", "Etc/UTC") }, null],
      [{ filters: { ...noFilters, channel: "mobile" } }, null],
      [{ filters: { ...noFilters, device: "mobile" } }, null],
      [{ filters: { ...noFilters, country: "US" } }, null],
      [{ filters: { ...noFilters, new_returning: "new" } }, null],
    ];
    const keys = variants.map(([over, own]) => answerKey(getStoreOverview, { ...selection, ...over }, own));
    const other = answerKey({ ...getStoreOverview, id: "other" }, selection, null);
    expect(new Set([...keys, other]).size).toBe(variants.length + 1);
    expect(answerKey(getStoreOverview, { ...selection, filters: { ...noFilters } }, null)).toBe(keys[0]);
    expect(keys.every((key) => key.startsWith(store.id) || key.startsWith("0198f2c4-a1b0-7c3e-9d5f-0000"))).toBe(true);
  });
});

describe("a store that is loaded for the first time", () => {
  it("is answered without figures, uncached, as pending [analytics.pending]", async () => {
    facts.loading = true;
    expect(await ask()).toMatchObject({ as_of: null, next_refresh_at: null, pending: true, stale: false, views: 0 });
    facts.loading = false;
    expect(await ask()).toMatchObject({ pending: false, views: 1 });
  });

  it("is answered as it was before, as stale, while that is kept [analytics.pending]", async () => {
    const first = await ask();
    calendar.advance(3_000_000);
    facts.loading = true;
    expect(await ask()).toEqual({ ...first, stale: true });
  });
});

describe("who waits for an answer [analytics.shared-work]", () => {
  it("does not lose it because the first asker left", async () => {
    facts.hold();
    const first = open();
    const left = ask(question(), first);
    const stayed = ask();
    await settled();
    first.expire();
    await expect(left).rejects.toMatchObject({ title: "timeout" });
    facts.letGo();
    expect(await stayed).toMatchObject({ views: 1 });
    expect(facts.reads).toBe(1);
  });

  it("is told of a timeout when time is up, and the computation ends with the last", async () => {
    facts.hold();
    const only = open();
    const gone = ask(question(), only);
    await settled();
    only.expire();
    await expect(gone).rejects.toMatchObject({ title: "timeout" });
    await settled();
    expect(cache.claimed.size).toBe(0);
  });

  it("waits for what another process is making, and is sent that [analytics.other-process]", async () => {
    const elsewhere = openAnswers(cache);
    facts.hold();
    const there = elsewhere.answer(question(), open());
    await settled();
    const here = ask();
    await settled();
    expect(facts.reads).toBe(1);
    facts.letGo();
    expect((await here).tag).toBe((await there).tag);
    expect(facts.reads).toBe(1);
  });

  it("waits two seconds for another process, then has it made directly [analytics.other-process]", async () => {
    cache.claimed.add(answerKey(getStoreOverview, selection, null));
    const { result, tookMs, ranMs } = await timed(() => ask());
    expect(result).toMatchObject({ views: 1, stale: false });
    expect(tookMs).toBeGreaterThan(1_900);
    expect(ranMs).toBeLessThan(4_000);
  });

  it("makes it at once when the other process gives up [analytics.other-process]", async () => {
    const key = answerKey(getStoreOverview, selection, null);
    cache.claimed.add(key);
    const { ranMs } = await timed(async () => {
      const waiting = ask();
      await settled();
      cache.claimed.delete(key);
      await waiting;
    });
    expect(ranMs).toBeLessThan(1_000);
  });
});
