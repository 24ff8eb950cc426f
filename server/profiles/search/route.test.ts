import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { makeQuiz, type TestQuiz } from "../../../testkit/quizzes.ts";
import { newShopper, searchDocument, searchQuiz, shop } from "../../../testkit/search-quiz.ts";
import type { CopyReader } from "../../columnar-copy/public.ts";
import { Problem, retryLater } from "../../platform/problems.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
const labels = ["Dry", '50% \\ "O\'Neil"; --', "🌸 \u202Eעברית", "_"];

beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store({ plan: "enterprise" });
  quiz = await searchQuiz(t, store, { labels });
});

const search = async (body: unknown, query = "", key = store.key) => {
  t.passTime(10_000);
  return t.request("POST", `/v1/profiles/search${query}`, { key, body });
};
const term = (more: object, extra: object = {}) => ({ ...extra, groups: [{ all: [{ quiz_id: quiz.id, ...more }] }] });
const asking = (component_key: string, more: object) => term({ page_key: "start", component_key, ...more });
const mails = async (body: unknown, query?: string): Promise<string[]> => {
  const { status, text, body: found } = await search(body, query);
  if (status !== 200) throw new Error(text);
  return found.data.map((person: { email: string | null; phone: string | null }) => person.email ?? person.phone);
};
const person = async (mail: string, answers: Parameters<typeof shop>[4] = {}, finish = false) => {
  const shopper = newShopper();
  t.calendar.advance(1_000);
  await shop(t, store, quiz, shopper, { ...answers, mail }, finish);
  return shopper;
};

describe("POST /v1/profiles/search", () => {
  it("answers people as the list shows them, with totals, last seen first [search.total]", async () => {
    await person("a@example.com", { tone: ["o1"] });
    await person("b@example.com", { tone: ["o2"] }, true);
    const { status, body, headers } = await search({});
    expect(status).toBe(200);
    const listed = await t.request("GET", "/v1/profiles", { key: store.key });
    expect(body.data).toEqual(listed.body.data);
    expect(body).toMatchObject({
      has_more: false,
      next_cursor: null,
      total: 2,
      total_capped: false,
      returning_total: 0,
    });
    expect(body.data.map((one: { email: string }) => one.email)).toEqual(["b@example.com", "a@example.com"]);
    expect(headers["ratelimit"]).toContain("remaining=");
  });

  it("says on request whom each group and each slot matches alone [search.explain]", async () => {
    await person("a@example.com", { tone: ["o1"], years: 30 });
    await person("b@example.com", { tone: ["o2"], years: 30 }, true);
    await person("c@example.com", { tone: ["o1"] });
    const slot = (component_key: string, more: object) => ({
      quiz_id: quiz.id,
      page_key: "start",
      component_key,
      ...more,
    });
    const first = slot("tone", { kind: "choice", op: "in", option_ids: ["o1"] });
    const second = slot("years", { kind: "number", op: "eq", value: 30 });
    const nobody = slot("years", { kind: "number", op: "eq", value: 31 });
    const body = {
      has_email: true,
      groups: [{ all: [first, second] }, { all: [nobody] }, { all: [{ any: [nobody, second] }] }],
    };
    const { status, body: found } = await search(body, "?explain=true&limit=1");
    expect([status, found.total, found.data.length]).toEqual([200, 2, 1]);
    expect(found.explain).toEqual({
      filters: 3,
      groups: [
        { people: 1, all: [{ people: 2 }, { people: 2 }] },
        { people: 0, all: [{ people: 0 }] },
        { people: 2, all: [{ people: 2 }] },
      ],
    });
    expect((await search(body)).body).not.toHaveProperty("explain");
    expect((await search({ has_phone: true }, "?explain=true")).body.explain).toEqual({ filters: 0, groups: [] });
    const next = await search(body, `?explain=true&limit=1&cursor=${found.next_cursor}`);
    expect([next.status, next.body.explain]).toEqual([200, found.explain]);
  });

  it("finds by every kind of term [search.body, search.outcome]", async () => {
    const all = {
      tone: ["o1"],
      years: 30,
      born: { date: "2000-02-29", time: "10:00" },
      note: "Dry skin",
      phone: "+4915112345678",
    };
    await person("a@example.com", all, true);
    await person("b@example.com", { tone: ["o2", "o3"], years: 40 });
    const a = ["a@example.com"];
    expect(await mails(asking("tone", { kind: "choice", op: "in", option_ids: ["o1"] }))).toEqual(a);
    expect(await mails(asking("tone", { kind: "choice", op: "not_in", option_labels: [labels[1]] }))).toEqual(a);
    expect(await mails(asking("years", { kind: "number", op: "between", min: 29.5, max: 30 }))).toEqual(a);
    expect(await mails(asking("born", { kind: "date", op: "eq", value: "2000-02-29" }))).toEqual(a);
    expect(await mails(asking("note", { kind: "text", op: "matches", value: "SKIN dry" }))).toEqual(a);
    expect(await mails(asking("phone", { kind: "phone", op: "answered" }))).toEqual(a);
    expect(await mails(asking("note", { kind: "text", op: "not_answered" }))).toEqual(["b@example.com"]);
    const formula = { kind: "formula", op: "gt", value: 59, page_key: "end", component_key: "twice" };
    expect(await mails(term(formula))).toEqual(a);
    expect(await mails(term({ kind: "points", op: "eq", dimension_id: "calm", value: 0 }))).toEqual(a);
    expect(await mails(term({ kind: "winner", op: "in", option_ids: ["calm"] }))).toEqual([]);
    expect(await mails(term({ kind: "session", op: "equals", value: "completed", page_key: "end" }))).toEqual(a);
    const ended = (more: object) => mails(term({ kind: "session", op: "equals", ...more }));
    expect(await ended({ outcome: "page:end" })).toEqual(a);
    expect(await ended({ outcome: "page:end", page_key: "start" })).toEqual([]);
    expect(await ended({ outcome: "calm" })).toEqual([]);
    expect(await mails({ has_phone: true, has_marketing_consent: true, quiz_id: quiz.id })).toEqual(a);
    expect(await mails({ from: "2026-03-10", to: "2026-03-10" })).toHaveLength(2);
    expect(await mails({ from: "2026-03-11" })).toEqual([]);
  });

  it("takes labels and texts for what they are, never for syntax [search.texts]", async () => {
    const notes = ['100% O\'Neil "x" \\', "🌸 \u202Eעברית rose", "a_b", "'; DROP TABLE people; --"];
    for (const [index, note] of notes.entries()) {
      await person(`n${index}@example.com`, { tone: [`o${index + 1}`], note });
    }
    for (const [index, note] of notes.entries()) {
      for (const op of ["contains", "equals", "matches"]) {
        expect(await mails(asking("note", { kind: "text", op, value: note }))).toEqual([`n${index}@example.com`]);
      }
      const labelled = asking("tone", { kind: "choice", op: "in", option_labels: [labels[index]] });
      expect(await mails(labelled)).toEqual([`n${index}@example.com`]);
    }
    const nothing = ["\u0000", "a\u0000b", "\ud800", "%", "a%b", "a.b", ".*", "\\\\", "' OR '1'='1", "$1", "?", "😀"];
    for (const value of nothing) {
      const expected = value === "%" ? ["n0@example.com"] : [];
      expect([value, await mails(asking("note", { kind: "text", op: "contains", value }))]).toEqual([value, expected]);
      expect(
        await mails(asking("tone", { kind: "choice", op: "in", option_labels: [value], option_ids: [value] })),
      ).toEqual([]);
    }
  });

  it("finds who was captured, changed or removed just now as they are now [search.fresh]", async () => {
    const dry = asking("tone", { kind: "choice", op: "in", option_ids: ["o1"] });
    expect(await mails(dry)).toEqual([]);
    const shopper = await person("a@example.com", { tone: ["o1"] });
    expect(await mails(dry)).toEqual(["a@example.com"]);
    await shop(t, store, quiz, shopper, { tone: ["o2"], mail: "b@example.com" });
    expect(await mails(dry)).toEqual([]);
    expect(await mails({})).toEqual(["b@example.com"]);
    await shop(t, store, quiz, shopper, { tone: ["o1"] });
    expect(await mails(dry)).toEqual(["b@example.com"]);
  });

  it("walks pages with the same body, and refuses a cursor with another [search.pages]", async () => {
    for (let i = 0; i < 5; i++) await person(`p${i}@example.com`);
    const body = { has_email: true, groups: [] };
    const first = (await search(body, "?limit=2")).body;
    expect([first.data.length, first.has_more, first.total]).toEqual([2, true, 5]);
    const reordered = { groups: [], has_email: true };
    const second = (await search(reordered, `?limit=2&cursor=${first.next_cursor}`)).body;
    const third = (await search(body, `?limit=2&cursor=${second.next_cursor}`)).body;
    const seen = [first, second, third].flatMap((page) => page.data.map(({ email }: { email: string }) => email));
    expect(seen).toEqual([4, 3, 2, 1, 0].map((i) => `p${i}@example.com`));
    expect([third.has_more, third.next_cursor, third.total]).toEqual([false, null, 5]);
    const other = await search({ has_email: true }, `?cursor=${first.next_cursor}`);
    expect([other.status, other.body.errors[0].field]).toEqual([422, "query.cursor"]);
  });

  it("leaves out who came after the first page, though they were last seen before [search.pages]", async () => {
    for (let i = 0; i < 3; i++) await person(`p${i}@example.com`);
    const first = (await search({}, "?limit=1")).body;
    t.calendar.advance(-2_500);
    await person("late@example.com");
    t.calendar.advance(1_500);
    const second = (await search({}, `?limit=1&cursor=${first.next_cursor}`)).body;
    const rest = (await search({}, `?cursor=${second.next_cursor}`)).body;
    const mails = [first, second, rest].flatMap(({ data }) => data.map(({ email }: { email: string }) => email));
    expect(mails).toEqual(["p2@example.com", "p1@example.com", "p0@example.com"]);
    const anew = (await search({})).body.data.map(({ email }: { email: string }) => email);
    expect(anew).toEqual(["p2@example.com", "p1@example.com", "late@example.com", "p0@example.com"]);
  });

  it("knows what earlier versions and deleted quizzes asked, and nothing else [search.targets]", async () => {
    await person("a@example.com", { tone: ["o1"], years: 30 });
    await makeQuiz(t, store, {
      document: searchDocument({ labels: ["Arid", ...labels.slice(1)], withoutYears: true }),
      publish: true,
      quizId: quiz.id,
    });
    const years = asking("years", { kind: "number", op: "eq", value: 30 });
    expect(await mails(years)).toEqual(["a@example.com"]);
    for (const label of ["dry", "ARID"]) {
      const labelled = asking("tone", { kind: "choice", op: "in", option_labels: [label] });
      expect(await mails(labelled)).toEqual(["a@example.com"]);
    }
    await t.request("DELETE", `/v1/quizzes/${quiz.id}`, { key: store.key });
    expect(await mails(years)).toEqual(["a@example.com"]);
    expect(await mails({ quiz_id: quiz.id })).toEqual(["a@example.com"]);
    const at = "body.groups.0.all.0";
    const other = await searchQuiz(t, await t.store(), { labels });
    const refused: [object, string][] = [
      [{ quiz_id: other.id }, "body.quiz_id"],
      [term({ kind: "session", op: "equals", value: "completed", quiz_id: other.id }), `${at}.quiz_id`],
      [term({ kind: "session", op: "equals", value: "completed", page_key: "gone" }), `${at}.page_key`],
      [term({ kind: "session", op: "equals", outcome: "page:gone" }), `${at}.outcome`],
      [term({ kind: "session", op: "equals", outcome: "page:start" }), `${at}.outcome`],
      [term({ kind: "session", op: "equals", outcome: "bold" }), `${at}.outcome`],
      [term({ kind: "session", op: "equals", outcome: "calm", page_key: "gone" }), `${at}.page_key`],
      [asking("gone", { kind: "number", op: "eq", value: 30 }), `${at}.component_key`],
      [asking("tone", { kind: "number", op: "eq", value: 30 }), `${at}.component_key`],
      [asking("years\u0000", { kind: "number", op: "eq", value: 30 }), `${at}.component_key`],
      [asking("years", { kind: "number", op: "eq", value: 30, page_key: "end" }), `${at}.component_key`],
      [asking("twice", { kind: "formula", op: "eq", value: 30 }), `${at}.component_key`],
      [term({ kind: "points", op: "eq", value: 30, dimension_id: "bold" }), `${at}.dimension_id`],
    ];
    for (const [body, field] of refused) {
      const answered = await search(body);
      expect([answered.status, answered.body.errors?.map((one: { field: string }) => one.field)]).toEqual([
        422,
        [field],
      ]);
    }
  });

  it("needs profiles:read and costs 6 [people.access, api.costs]", async () => {
    const key = await t.key(store, ["quizzes:read"]);
    expect((await search({}, "", key)).status).toBe(403);
    const before = (await search({})).headers["ratelimit"];
    const after = (await t.request("POST", "/v1/profiles/search", { key: store.key, body: {} })).headers["ratelimit"];
    const remaining = (header: unknown) => Number(/remaining=(\d+)/.exec(String(header))?.[1]);
    expect(remaining(before) - remaining(after)).toBe(6);
  });
});

/** An app whose copy answers as it is told. */
async function withFacts(
  read: CopyReader["read"],
  work: (app: TestApp, own: TestStore) => Promise<void>,
): Promise<void> {
  const facts: CopyReader = { read, ask: () => Promise.reject(new Error("not asked")) };
  const app = await openTestApp({ facts });
  try {
    await work(app, await app.store({ plan: "enterprise" }));
  } finally {
    await app.close();
  }
}

describe("limits of searches", () => {
  it("answers 422 with the export of the same people after 10 seconds [search.time-limit]", async () => {
    const begun = Promise.withResolvers<void>();
    const read: CopyReader["read"] = async (_store, work, deadline) => {
      const stuck = () =>
        new Promise<never>((_resolve, reject) => {
          deadline?.onExpiry(() => reject(new Problem("timeout")));
          begun.resolve();
        });
      await work(stuck);
      throw new Error("unreachable");
    };
    await withFacts(read, async (app, own) => {
      const body = { has_email: true, groups: [] };
      const pending = app.request("POST", "/v1/profiles/search", { key: own.key, body });
      await begun.promise;
      app.passTime(10_001);
      const answered = await pending;
      expect(answered.status).toBe(422);
      expect(answered.body).toMatchObject({ title: "validation_error", export: { dataset: "profiles", search: body } });
    });
  });

  it("runs 15 searches of a store at once; the next waits a second, then 429 with Retry-After: 1 [search.at-once]", async () => {
    let live = 0;
    const enough = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const read: CopyReader["read"] = async () => {
      live += 1;
      if (live === 15) enough.resolve();
      await over.promise;
      throw new Problem("timeout");
    };
    await withFacts(read, async (app, own) => {
      const ask = () => app.request("POST", "/v1/profiles/search", { key: own.key, body: {} });
      const held = Array.from({ length: 15 }, ask);
      await enough.promise;
      const refused = await ask();
      expect([refused.status, refused.body.title, refused.body.retry_after]).toEqual([429, "rate_limited", 1]);
      expect(refused.headers["retry-after"]).toBe("1");
      expect(live).toBe(15);
      const other = await app.store({ plan: "enterprise" });
      void app.request("POST", "/v1/profiles/search", { key: other.key, body: {} });
      over.resolve();
      expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(15).fill(504));
      const next = ask();
      expect((await next).status).toBe(504);
    });
  });

  it("answers 503 while the store's copy is loaded for the first time [search.first-load]", async () => {
    await withFacts(
      async () => {
        throw retryLater("dependency_unavailable", 5);
      },
      async (app, own) => {
        const answered = await app.request("POST", "/v1/profiles/search", { key: own.key, body: {} });
        expect([answered.status, answered.body.title, answered.headers["retry-after"]]).toEqual([
          503,
          "dependency_unavailable",
          "5",
        ]);
      },
    );
  });
});
