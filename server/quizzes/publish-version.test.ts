import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, pagesNamed } from "../../testkit/quizzes.ts";
import { sql } from "../platform/database/sql.ts";
import { aiRunStart } from "./ai-lease.ts";
import { quizHistory } from "./operators.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
});
afterAll(() => t.close());
beforeEach(() => {
  t.passTime(60_000);
  t.calendar.advance(1000);
});

const request = (method: string, url: string, headers = {}) => t.request(method, url, { key: store.key, headers });
const get = async (id: string) => (await request("GET", `/v1/quizzes/${id}`)).body;
const save = async (id: string) => (await request("POST", `/v1/quizzes/${id}/versions`)).body;
const publish = (id: string, version: string, headers = {}) =>
  request("POST", `/v1/quizzes/${id}/versions/${version}/publish`, headers);
type Row = Record<string, unknown>;
const events = (uuid: string) =>
  t.database
    .reader()
    .all(sql<Row>`SELECT * FROM outbox WHERE store_id = ${store.uuid} AND quiz_id = ${uuid} ORDER BY created_at`);
const changes = (uuid: string) =>
  t.database
    .reader()
    .all(sql<Row>`SELECT * FROM changes WHERE store_id = ${store.uuid} AND id = ${uuid} ORDER BY revision`);
const deeds = async (id: string) => (await quizHistory(t.database.reader(), id)).map(({ action }) => action);

describe("POST /v1/quizzes/{quiz_id}/versions/{version_id}/publish", () => {
  it("makes the version live and answers the quiz [quizzes.publish]", async () => {
    const { id } = await makeQuiz(t, store);
    const before = await get(id);
    const first = await save(id);
    t.calendar.advance(5000);
    const answer = await publish(id, first.id);
    expect(answer.status).toBe(200);
    const now = new Date(t.calendar.now()).toISOString();
    const {
      definition_version: _,
      pages: _pages,
      jump_rules: _rules,
      dimensions: _names,
      formulas: _sums,
      ...summary
    } = before;
    expect(answer.body).toEqual({ ...summary, status: "published", published_version: first.id, updated_at: now });
    const second = await save(id);
    await publish(id, second.id);
    expect(await get(id)).toMatchObject({ status: "published", published_version: second.id });
    const versions = (await request("GET", `/v1/quizzes/${id}/versions`)).body.data;
    expect(versions.map((version: { published: boolean }) => version.published)).toEqual([true, false]);
  });

  it("commits the event, who did it and what changed with it [quizzes.publish-event, quizzes.history]", async () => {
    const key = await t.key(store, ["quizzes:publish"], { admin: "mira@example.com" });
    const { id, uuid } = await makeQuiz(t, store, { name: "Routine" });
    const version = await save(id);
    const before = (await changes(uuid)).length;
    t.calendar.advance(5000);
    await t.request("POST", `/v1/quizzes/${id}/versions/${version.id}/publish`, { key });
    const at = new Date(t.calendar.now());
    expect(await events(uuid)).toMatchObject([
      {
        topic: "quiz.published",
        created_at: at,
        due_at: at,
        session_id: null,
        profile_id: null,
        data: {
          quiz_id: id,
          quiz_name: "Routine",
          version_id: version.id,
          version_number: 1,
          published_at: at.toISOString(),
        },
      },
    ]);
    expect((await quizHistory(t.database.reader(), id))[0]).toMatchObject({
      at: at.toISOString(),
      action: "published",
      version_id: version.id,
      version_number: 1,
      admin: "mira@example.com",
      source: "api",
    });
    expect((await changes(uuid)).slice(before)).toMatchObject([{ kind: "quiz", at }]);
  });

  it("changes nothing where the version is live already [quizzes.no-change]", async () => {
    const { id, uuid, versionId } = await makeQuiz(t, store, { publish: true });
    const state = async () => [await get(id), await events(uuid), await deeds(id), await changes(uuid)];
    const before = await state();
    t.calendar.advance(5000);
    const again = await publish(id, versionId);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ id, status: "published", published_version: versionId });
    expect(await state()).toEqual(before);
  });

  it("publishes once when asked several times at once [quizzes.publish]", async () => {
    const { id, uuid } = await makeQuiz(t, store);
    const version = await save(id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => publish(id, version.id)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
    expect(await events(uuid)).toHaveLength(1);
    expect(await deeds(id)).toEqual(["published", "saved", "imported"]);
  });

  it("goes back to an earlier version [quizzes.publish]", async () => {
    const { id, uuid, versionId } = await makeQuiz(t, store, { publish: true });
    const second = await save(id);
    await publish(id, second.id);
    const back = await publish(id, versionId);
    expect(back.body.published_version).toBe(versionId);
    expect(await events(uuid)).toHaveLength(3);
  });

  it("refuses a version without pages [quizzes.pages-to-publish]", async () => {
    const { id, uuid } = await makeQuiz(t, store, { document: pagesNamed() });
    const version = await save(id);
    const answer = await publish(id, version.id);
    expect(answer.status).toBe(409);
    expect(answer.body.title).toBe("conflict");
    expect(await get(id)).toMatchObject({ status: "draft" });
    expect(await events(uuid)).toEqual([]);
  });

  it("waits for the AI assistant [quizzes.ai-run]", async () => {
    const { id, uuid } = await makeQuiz(t, store);
    const version = await save(id);
    await t.database.transaction((tx) => aiRunStart(tx, t.foundations, id));
    const answer = await publish(id, version.id);
    expect(answer.status).toBe(409);
    expect(answer.body.title).toBe("ai_run_in_progress");
    expect(await events(uuid)).toEqual([]);
    t.calendar.advance(10 * 60_000);
    expect((await publish(id, version.id)).status).toBe(200);
  });

  it("publishes an archived quiz, which stays archived [quizzes.publish, quizzes.archive]", async () => {
    const { id } = await makeQuiz(t, store);
    const version = await save(id);
    await request("POST", `/v1/quizzes/${id}/archive`);
    expect((await publish(id, version.id)).body).toMatchObject({ status: "published", archived: true });
  });

  it("replays its answer under an Idempotency-Key, and refuses the key for another version [api.idempotency]", async () => {
    const { id, uuid } = await makeQuiz(t, store);
    const first = await save(id);
    const second = await save(id);
    const headers = { "idempotency-key": "publish" };
    const published = await publish(id, first.id, headers);
    await publish(id, second.id);
    const again = await publish(id, first.id, headers);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(again.body).toEqual(published.body);
    expect((await get(id)).published_version).toBe(second.id);
    expect(await events(uuid)).toHaveLength(2);
    expect((await publish(id, second.id, headers)).status).toBe(422);
  });
});
