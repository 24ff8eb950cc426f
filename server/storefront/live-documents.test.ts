import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { parseId } from "../platform/ids.ts";
import { LiveDocuments } from "./live-documents.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
});
afterAll(() => t.close());

const large = (text: string) => ({
  ...finderDocument,
  pages: finderDocument.pages.map((page, index) => (index === 0 ? { ...page, title: text } : page)),
});
const uuidOf = (id: string): string => {
  const uuid = parseId("quiz", id);
  if (uuid === null) throw new Error("not the id of a quiz");
  return uuid;
};

describe("live documents as they are sent [storefront.live-version]", () => {
  it("are what is live at the moment: after a publish, a name, an archive, a roll-back, a delete", async () => {
    const own = await makeQuiz(t, store, { name: "One", document: finderDocument, publish: true });
    const get = async () => {
      const answer = await t.request("GET", `/storefront/v1/quizzes/${own.id}?store=${store.publishableKey}`);
      return { status: answer.status, body: answer.body, etag: answer.headers["etag"] };
    };
    const first = await get();
    expect([(await get()).etag, first.body.version_number]).toEqual([first.etag, 1]);
    const next = await makeQuiz(t, store, { name: "Two", document: large("New"), publish: true, quizId: own.id });
    const second = await get();
    expect(second.body).toMatchObject({ name: "Two", version_id: next.versionId, version_number: 2 });
    expect(second.body.document.pages[0].title).toBe("New");
    expect(second.etag).not.toBe(first.etag);
    const post = (path: string) => t.request("POST", `/v1/quizzes/${own.id}${path}`, { key: store.key });
    expect((await post("/archive")).status).toBe(200);
    expect((await get()).etag).toBe(second.etag);
    expect((await post(`/versions/${own.versionId}/publish`)).status).toBe(200);
    expect((await get()).body).toMatchObject({ name: "Two", version_id: own.versionId, version_number: 1 });
    expect((await t.request("DELETE", `/v1/quizzes/${own.id}`, { key: store.key })).status).toBe(200);
    expect((await get()).status).toBe(404);
  });

  it("are read and written out once a version, however many ask at once, and kept in bytes up to a bound", async () => {
    const quizzes = [];
    for (const name of ["a", "b", "c"]) {
      quizzes.push(await makeQuiz(t, store, { name, document: large(name.repeat(150)), publish: true }));
    }
    const [a, b, c] = quizzes.map(({ id }) => uuidOf(id)) as [string, string, string];
    const size =
      (await new LiveDocuments({ database: t.database, elapsed: () => 0 }).find(store.uuid, a))?.bytes.length ?? 0;
    const documents = new LiveDocuments({ database: t.database, elapsed: () => 0, mostBytes: 2.8 * size });
    const find = (quiz: string) => documents.find(store.uuid, quiz);
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => find(a)));
    expect(others.every((other) => other?.bytes === first?.bytes)).toBe(true);
    expect((await find(a))?.bytes).toBe(first?.bytes);
    const second = await find(b);
    expect((await find(a))?.bytes).toBe(first?.bytes);
    expect(documents.bytes).toBeGreaterThan(2 * size);
    await find(c);
    expect(documents.bytes).toBeLessThan(2.8 * size);
    // the one that was asked for least recently went
    expect((await find(a))?.bytes).toBe(first?.bytes);
    const again = await find(b);
    expect(again?.bytes === second?.bytes).toBe(false);
    expect(again).toEqual(second);
  });

  it("that are larger than all that is kept are sent all the same", async () => {
    const own = await makeQuiz(t, store, { document: finderDocument, publish: true });
    const documents = new LiveDocuments({ database: t.database, elapsed: () => 0, mostBytes: 100 });
    expect(await documents.find(store.uuid, uuidOf(own.id))).not.toBeNull();
    expect(documents.bytes).toBe(0);
  });
});
