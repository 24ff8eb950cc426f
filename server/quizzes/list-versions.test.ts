import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

const list = (id: string, query = "") => t.request("GET", `/v1/quizzes/${id}/versions${query}`, { key: store.key });
const save = async (id: string) => (await t.request("POST", `/v1/quizzes/${id}/versions`, { key: store.key })).body;
const numbers = (answer: { body: { data: { number: number }[] } }) => answer.body.data.map((version) => version.number);

describe("GET /v1/quizzes/{quiz_id}/versions", () => {
  it("lists versions newest first, and which of them is live [quizzes.versions]", async () => {
    const { id } = await makeQuiz(t, store);
    const empty = await list(id);
    expect(empty.status).toBe(200);
    expect(empty.body).toEqual({ data: [], has_more: false, next_cursor: null });
    const saved = [await save(id), await save(id), await save(id)];
    await t.request("POST", `/v1/quizzes/${id}/versions/${saved[1].id}/publish`, { key: store.key });
    const answer = await list(id);
    expect(answer.body.data).toEqual([saved[2], { ...saved[1], published: true }, saved[0]]);
  });

  it("walks each version once while others are saved at the same moment [api.paging, quizzes.version-numbers]", async () => {
    const { id } = await makeQuiz(t, store);
    for (let made = 0; made < 5; made += 1) await save(id);
    const walked: number[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await list(id, `?limit=2${cursor && `&cursor=${cursor}`}`);
      walked.push(...numbers(page));
      expect(page.body.has_more).toBe(page.body.next_cursor !== null);
      cursor = page.body.next_cursor;
      await save(id);
    }
    expect(walked).toEqual([5, 4, 3, 2, 1]);
    expect(numbers(await list(id, "?limit=100"))).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it.each(["0", "101", "0x10", "1e1", "%205", "5&limit=6", ""])("refuses limit=%s [api.parameters]", async (value) => {
    const { id } = await makeQuiz(t, store);
    const answer = await list(id, `?limit=${value}`);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ field: "query.limit" }]);
  });

  it("refuses a cursor of another quiz, before it looks for the quiz [api.cursors, api.check-order]", async () => {
    const one = await makeQuiz(t, store);
    const other = await makeQuiz(t, store);
    for (let made = 0; made < 2; made += 1) {
      await save(one.id);
      await save(other.id);
    }
    const { next_cursor: cursor } = (await list(one.id, "?limit=1")).body;
    expect(numbers(await list(one.id, `?cursor=${cursor}`))).toEqual([1]);
    for (const id of [other.id, `quiz_${"0".repeat(32)}`, "odd"]) {
      const answer = await list(id, `?cursor=${cursor}`);
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toMatchObject([{ field: "query.cursor" }]);
    }
  });

  it("goes on after a page whose rest is gone", async () => {
    const { id } = await makeQuiz(t, store);
    await save(id);
    await save(id);
    const { next_cursor: cursor } = (await list(id, "?limit=1")).body;
    await t.request("DELETE", `/v1/quizzes/${id}`, { key: store.key });
    expect((await list(id, `?limit=1&cursor=${cursor}`)).status).toBe(404);
  });
});

describe("GET /v1/quizzes/{quiz_id}/versions/{version_id}", () => {
  it("reads a version, live or not [quizzes.versions]", async () => {
    const { id } = await makeQuiz(t, store);
    const saved = await save(id);
    const url = `/v1/quizzes/${id}/versions/${saved.id}`;
    const read = await t.request("GET", url, { key: store.key });
    expect(read.status).toBe(200);
    expect(read.body).toEqual(saved);
    await t.request("POST", `${url}/publish`, { key: store.key });
    expect((await t.request("GET", url, { key: store.key })).body).toEqual({ ...saved, published: true });
  });
});
