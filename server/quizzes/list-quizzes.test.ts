import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, pagesNamed } from "../../testkit/quizzes.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  t.passTime(60_000);
  store = await t.store({ plan: "enterprise" });
});

const list = (query = "", key = store.key) => t.request("GET", `/v1/quizzes${query}`, { key });
const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map((quiz) => quiz.id);

describe("GET /v1/quizzes", () => {
  it("answers every field of the summary [quizzes.summary]", async () => {
    const { id, versionId } = await makeQuiz(t, store, {
      name: "Routine",
      document: pagesNamed("a", "b"),
      publish: true,
    });
    const draft = await makeQuiz(t, store, { name: "Gift", document: pagesNamed("a") });
    const answer = await list();
    expect(answer.status).toBe(200);
    const urls = (quiz: string) => ({
      self: `http://api.test/v1/quizzes/${quiz}`,
      versions: `http://api.test/v1/quizzes/${quiz}/versions`,
      dashboard: `http://api.test/dashboard/quizzes/${quiz}`,
    });
    const at = new Date(t.calendar.now());
    const later = new Date(t.calendar.now() + 1).toISOString();
    expect(answer.body).toEqual({
      data: [
        {
          id: draft.id,
          name: "Gift",
          status: "draft",
          archived: false,
          page_count: 1,
          created_at: later,
          updated_at: later,
          urls: urls(draft.id),
        },
        {
          id,
          name: "Routine",
          status: "published",
          archived: false,
          page_count: 2,
          created_at: at.toISOString(),
          updated_at: at.toISOString(),
          published_version: versionId,
          urls: urls(id),
        },
      ],
      has_more: false,
      next_cursor: null,
    });
  });

  it("lists all that are not deleted, newest first, with filters by status and archived [quizzes.list]", async () => {
    const draft = await makeQuiz(t, store);
    const live = await makeQuiz(t, store, { publish: true });
    const stored = await makeQuiz(t, store, { publish: true });
    const gone = await makeQuiz(t, store);
    await t.request("POST", `/v1/quizzes/${stored.id}/archive`, { key: store.key });
    await t.request("DELETE", `/v1/quizzes/${gone.id}`, { key: store.key });
    expect(ids(await list())).toEqual([stored.id, live.id, draft.id]);
    expect(ids(await list("?status=draft"))).toEqual([draft.id]);
    expect(ids(await list("?status=published"))).toEqual([stored.id, live.id]);
    expect(ids(await list("?archived=false"))).toEqual([live.id, draft.id]);
    expect(ids(await list("?archived=true&status=published"))).toEqual([stored.id]);
    expect(ids(await list("?archived=true&status=draft"))).toEqual([]);
  });

  it("adds the latest saved version on request, and only where there is one [quizzes.list]", async () => {
    const draft = await makeQuiz(t, store);
    const live = await makeQuiz(t, store, { publish: true });
    const url = `/v1/quizzes/${live.id}/versions`;
    const saved = await t.request("POST", url, { key: store.key, body: { label: "Newer" } });
    const answer = await list("?include=latest_version");
    expect(ids(answer)).toEqual([live.id, draft.id]);
    expect(answer.body.data[0].latest_version).toEqual(saved.body);
    expect(saved.body).toMatchObject({ number: 2, published: false, label: "Newer" });
    expect(answer.body.data[1]).not.toHaveProperty("latest_version");
    expect((await list()).body.data[0]).not.toHaveProperty("latest_version");
  });

  it("shows each store its own quizzes alone [api.one-store]", async () => {
    const other = await t.store();
    await makeQuiz(t, other);
    const own = await makeQuiz(t, store);
    expect(ids(await list())).toEqual([own.id]);
  });

  it.each([
    ["limit", ["0", "101", "0x10", "1e1", "%205", "5%20", "+5", "5.0", "", "5&limit=6", "-1", "٥"]],
    ["status", ["deleted", "", "Draft", "draft&status=draft"]],
    ["archived", ["1", "", "TRUE", "yes"]],
    ["include", ["versions", "", "latest_version,latest_version"]],
    ["cursor", ["", "x", "a".repeat(201), `${"A".repeat(53)}=`]],
  ])("refuses odd values of %s, never coerced [api.parameters]", async (name, values) => {
    for (const value of values) {
      const answer = await list(`?${name}=${value}`);
      expect([value, answer.status]).toEqual([value, 422]);
      expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([`query.${name}`]);
    }
  });

  it("takes limits from 1 to 100, 20 without one [api.paging]", async () => {
    for (let made = 0; made < 22; made += 1) await makeQuiz(t, store, { document: pagesNamed("a") });
    expect(ids(await list("?limit=1"))).toHaveLength(1);
    expect((await list()).body).toMatchObject({ data: { length: 20 }, has_more: true });
    expect((await list("?limit=100")).body).toMatchObject({ data: { length: 22 }, has_more: false, next_cursor: null });
    expect((await list("?limit=22")).body).toMatchObject({ has_more: false, next_cursor: null });
  });

  it("refuses a cursor that is tampered with, or of another store, route or filter [api.cursors]", async () => {
    for (let made = 0; made < 3; made += 1) await makeQuiz(t, store, { publish: true });
    const { id } = await makeQuiz(t, store, { publish: true });
    await t.request("POST", `/v1/quizzes/${id}/versions`, { key: store.key });
    const { next_cursor: cursor } = (await list("?limit=2&status=published")).body;
    expect(cursor.length).toBeLessThanOrEqual(200);
    const versions = `/v1/quizzes/${id}/versions`;
    const other = await t.store();
    const flipped = cursor.slice(0, 9) + (cursor[9] === "A" ? "B" : "A") + cursor.slice(10);
    const refused = [
      await list(`?status=published&cursor=${flipped}`),
      await list(`?status=published&cursor=${cursor}x`),
      await list(`?status=published&cursor=${cursor}`, other.key),
      await list(`?cursor=${cursor}`),
      await list(`?status=draft&cursor=${cursor}`),
      await list(`?status=published&archived=false&cursor=${cursor}`),
      await t.request("GET", `${versions}?cursor=${cursor}`, { key: store.key }),
      await list(`?cursor=${(await t.request("GET", `${versions}?limit=1`, { key: store.key })).body.next_cursor}`),
    ];
    expect(refused.map((answer) => answer.status)).toEqual(refused.map(() => 422));
    for (const answer of refused) expect(answer.body.errors).toMatchObject([{ field: "query.cursor" }]);
    const next = await list(`?limit=1&status=published&cursor=${cursor}&include=latest_version`);
    expect(next.body).toMatchObject({ has_more: true, data: { length: 1 } });
  });

  it("walks every quiz once while others are made, all at one moment too [api.paging, quizzes.list]", async () => {
    // moves of the calendar before each quiz; null: read a page instead
    const steps = fc.array(fc.option(fc.constantFrom(0, 0, 1, 5000)), { minLength: 4, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (moves, limit) => {
        t.passTime(60_000);
        const own = await t.store({ plan: "enterprise" });
        const made: string[] = [];
        const make = async (by: number) => {
          t.calendar.advance(by);
          made.unshift((await makeQuiz(t, own, { document: pagesNamed("a") })).id);
        };
        for (let first = 0; first < 5; first += 1) await make(0);
        const expected = [...made];
        const walked: string[] = [];
        let cursor: string | null = "";
        for (const move of [...moves, ...Array<null>(5).fill(null)]) {
          if (move !== null && cursor !== "") await make(move);
          else if (cursor !== null) {
            const page = await list(`?limit=${limit}${cursor && `&cursor=${cursor}`}`, own.key);
            walked.push(...ids(page));
            cursor = page.body.next_cursor;
          }
        }
        expect(walked).toEqual(expected);
        expect(ids(await list("?limit=100", own.key))).toEqual(made);
      }),
      { numRuns: 12 },
    );
  });

  it("reads one statement a page (speed)", async () => {
    for (let made = 0; made < 3; made += 1) await makeQuiz(t, store, { publish: true });
    await list();
    const seen: string[] = [];
    const reader = t.database.reader.bind(t.database);
    t.database.reader = (deadline) => {
      const unbound = reader(deadline);
      return {
        ...unbound,
        forStore: (storeId) => {
          const bound = unbound.forStore(storeId);
          return {
            ...bound,
            all: (query) => {
              seen.push("statement");
              return bound.all(query);
            },
          };
        },
      };
    };
    try {
      await list("?include=latest_version");
    } finally {
      t.database.reader = reader;
    }
    expect(seen).toHaveLength(1);
  });
});
