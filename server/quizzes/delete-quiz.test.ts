import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { aiRunStart } from "./ai-lease.ts";
import { exportQuiz, quizHistory } from "./operators.ts";
import { liveVersion, quizNames } from "./public.ts";

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

const remove = (id: string) => t.request("DELETE", `/v1/quizzes/${id}`, { key: store.key });
const db = () => t.database.reader();

describe("DELETE /v1/quizzes/{quiz_id}", () => {
  it("answers the deleted quiz once, then finds nothing [quizzes.delete]", async () => {
    const { id, uuid, versionId } = await makeQuiz(t, store, { publish: true });
    const before = (await t.request("GET", "/v1/quizzes?limit=1", { key: store.key })).body.data[0];
    t.calendar.advance(5000);
    const answer = await remove(id);
    expect(answer.status).toBe(200);
    const at = new Date(t.calendar.now()).toISOString();
    expect(answer.body).toEqual({ ...before, status: "deleted", updated_at: at });
    expect((await remove(id)).status).toBe(404);
    const urls = ["", "/versions", `/versions/${versionId}`].map((rest) => `/v1/quizzes/${id}${rest}`);
    for (const url of urls) expect((await t.request("GET", url, { key: store.key })).status).toBe(404);
    const { data } = (await t.request("GET", "/v1/quizzes?limit=100", { key: store.key })).body;
    expect(data.map((quiz: { id: string }) => quiz.id)).not.toContain(id);
    expect(await liveVersion(db().forStore(store.uuid), uuid)).toBeNull();
  });

  it("keeps the record: its name, draft, versions and history [quizzes.delete]", async () => {
    const { id, uuid } = await makeQuiz(t, store, { name: "Gift", publish: true });
    await remove(id);
    expect(await quizNames(db().forStore(store.uuid), [uuid])).toEqual(new Map([[uuid, "Gift"]]));
    expect((await exportQuiz(db(), id)).name).toBe("Gift");
    expect((await quizHistory(db(), id))[0]).toMatchObject({ action: "deleted", version_id: null, source: "api" });
    const changes = await db()
      .forStore(store.uuid)
      .all(sql`SELECT kind FROM changes WHERE store_id = ${ownStore} AND id = ${uuid} ORDER BY revision`);
    expect(changes).toEqual([{ kind: "quiz" }, { kind: "quiz" }]);
  });

  it("deletes during a run of the AI assistant [quizzes.delete, quizzes.ai-run]", async () => {
    const { id } = await makeQuiz(t, store);
    await t.database.transaction((tx) => aiRunStart(tx, t.foundations, id));
    expect((await remove(id)).status).toBe(200);
  });

  it("deletes once when asked several times at once, beside publishes [quizzes.delete]", async () => {
    const { id, versionId } = await makeQuiz(t, store, { publish: true });
    const second = (await t.request("POST", `/v1/quizzes/${id}/versions`, { key: store.key })).body.id;
    const publish = (version: string) =>
      t.request("POST", `/v1/quizzes/${id}/versions/${version}/publish`, { key: store.key });
    const answers = await Promise.all([publish(second), remove(id), publish(versionId), remove(id), remove(id)]);
    expect(answers.filter((answer) => answer.body.status === "deleted")).toHaveLength(1);
    expect(answers.every((answer) => answer.status === 200 || answer.status === 404)).toBe(true);
    expect((await quizHistory(db(), id)).filter(({ action }) => action === "deleted")).toHaveLength(1);
  });
});
