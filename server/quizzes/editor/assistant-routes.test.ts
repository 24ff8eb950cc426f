import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { page, quizDocument, text } from "../../../testkit/document-parts.ts";
import { inStore, TestPeople } from "../../../testkit/members.ts";
import { makeQuiz } from "../../../testkit/quizzes.ts";

let t: TestApp;
let store: TestStore;
let mira: Record<string, string>;
beforeAll(async () => {
  const people = new TestPeople();
  t = await openTestApp({ signedIn: people.signedIn });
  store = await t.store({ plan: "enterprise" });
  mira = inStore(people.add("mira", { in: [[store, "editor"]] }), store);
});
afterAll(() => t.close());
beforeEach(() => {
  t.passTime(600_000);
  t.calendar.advance(60_000);
});

const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  t.request(method, `/v1/quizzes${path}`, { key: store.key, body, headers });
const titled = (title: string) => quizDocument([page("a", [text("why")], { title })]);
const begin = async (id: string, body: object = {}): Promise<Body> =>
  (await ask("POST", `/${id}/draft/run`, body)).body;
const change = (id: string, run_id: string, ...changes: object[]) => ask("PATCH", `/${id}/draft`, { run_id, changes });
const retitle = (value: string) => ({ op: "set", path: "/pages/a/title", value });

it("a quiz is made by API with a draft alone [drafts.create]", async () => {
  const made = await ask("POST", "", { name: "  From a template ", template_id: "finder" });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ name: "From a template", revision: 1, live: null });
  const id = made.body.quiz_id;
  expect(made.headers["location"]).toBe(`http://api.test/v1/quizzes/${id}/draft`);
  expect((await ask("GET", `/${id}/draft`)).body.document).toEqual(made.body.document);
  expect((await ask("POST", "", {})).body).toMatchObject({ document: { pages: [] } });
  expect((await ask("POST", "", { name: " " })).body.errors[0].field).toBe("body.name");
  const reader = await t.key(store, ["quizzes:read"]);
  const refused = await t.request("GET", `/v1/quizzes/${id}/draft`, { key: reader });
  expect([refused.status, refused.body.required]).toEqual([403, ["quizzes:write"]]);
});

describe("an assistant's run [drafts.run]", () => {
  it("keeps everybody else from changing the quiz until it is ended", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("One") });
    const run = await begin(id, { holder: "Mira's assistant" });
    expect(run).toMatchObject({ run_id: expect.stringMatching(/^run_/), holder: "Mira's assistant" });
    const others = [
      await ask("POST", `/${id}/draft/run`, {}),
      await change(id, `run_${"0".repeat(32)}`, retitle("Mine")),
      await ask("POST", `/${id}/versions`, {}),
      await t.request("PUT", `/dashboard/api/quizzes/${id}/draft`, {
        ...{ body: { document: titled("Mira's") }, headers: { ...mira, "if-match": '"1"' } },
      }),
    ];
    for (const { status, body } of others) {
      expect([status, body.title, body.assistant?.holder]).toEqual([409, "ai_run_in_progress", "Mira's assistant"]);
    }
    expect((await change(id, run.run_id, retitle("Two"))).body).toMatchObject({ revision: 2, findings: [] });
    expect((await ask("POST", `/${id}/draft/run/end`, { run_id: `run_${"0".repeat(32)}` })).status).toBe(200);
    expect((await change(id, run.run_id, retitle("Three"))).status).toBe(200);
    expect((await ask("POST", `/${id}/draft/run/end`, { run_id: run.run_id })).status).toBe(200);
    expect((await ask("POST", `/${id}/draft/run/end`, { run_id: run.run_id })).status).toBe(200);
    const late = await change(id, run.run_id, retitle("Four"));
    expect([late.status, late.body.title]).toEqual([409, "conflict"]);
    expect((await ask("POST", `/${id}/versions`, {})).status).toBe(201);
  });

  it("is over ten minutes after its last change, and then another's", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("One") });
    const run = await begin(id);
    t.calendar.advance(9 * 60_000);
    expect((await change(id, run.run_id, retitle("Two"))).status).toBe(200);
    t.calendar.advance(9 * 60_000);
    const renewed = await begin(id, { run_id: run.run_id });
    expect(renewed).toMatchObject({ run_id: run.run_id, started_at: run.started_at });
    t.calendar.advance(11 * 60_000);
    expect((await change(id, run.run_id, retitle("Three"))).body.title).toBe("conflict");
    const other = await begin(id, { run_id: run.run_id });
    expect(other.run_id).not.toBe(run.run_id);
    expect((await change(id, other.run_id, retitle("Four"))).status).toBe(200);
  });
});

describe("small changes [drafts.changes]", () => {
  it("are made all or none, and checked as the editor's drafts are", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("One") });
    const { run_id } = await begin(id);
    const html = '<p>Hello</p><script>alert("x")</script>';
    const content = { kind: "content", component_key: "words", html_text: html };
    const added = await change(id, run_id, { op: "insert", path: "/pages/a/components", value: content });
    expect(added.body.findings.map(({ code }: Body) => code)).toContain("html_removed");
    const wrong = await change(id, run_id, retitle("Lost"), { op: "remove", path: "/pages/zzz" });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "body.changes.1"]);
    const draft = (await ask("GET", `/${id}/draft`)).body;
    expect([draft.revision, draft.document.pages[0].title]).toEqual([2, "One"]);
    expect(draft.document.pages[0].components[1].html_text).toBe("<p>Hello</p>");
    const incomplete = await change(id, run_id, { op: "insert", path: "/pages", value: { page_key: "b" } });
    expect([incomplete.status, incomplete.body.revision]).toEqual([200, 3]);
    expect(incomplete.body.findings.some(({ severity }: Body) => severity === "error")).toBe(true);
    const same = await change(id, run_id);
    expect([same.status, same.body.revision]).toEqual([200, 3]);
    const nul = await change(id, run_id, retitle("half \ud800"));
    expect(nul.status).toBe(422);
  });

  it("rename the quiz, and never make a draft that could not be sent again", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("One") });
    const { run_id } = await begin(id);
    const named = await ask("PATCH", `/${id}/draft`, { run_id, name: "Another name", changes: [] });
    expect(named.body).toMatchObject({ name: "Another name", revision: 2 });
    expect((await ask("GET", `/${id}`)).body.name).toBe("Another name");
    const long = "x".repeat(700_000);
    expect((await change(id, run_id, { op: "set", path: "/note", value: long })).status).toBe(200);
    const more = await change(id, run_id, { op: "set", path: "/other", value: long });
    expect([more.status, more.body.errors[0].field]).toEqual([422, "body.changes"]);
  });
});

it("a preview link shows the draft, as the editor's does [drafts.preview]", async () => {
  const { id } = await makeQuiz(t, store, { document: titled("Looked at") });
  const { status, body } = await ask("POST", `/${id}/preview`, { hours: 1 });
  expect([status, body.version_id]).toEqual([201, null]);
  const token = body.url.slice(body.url.lastIndexOf("/") + 1);
  const shown = await t.request("GET", `/storefront/v1/previews/${token}`);
  expect(shown.body).toMatchObject({ preview: true, document: { pages: [{ title: "Looked at" }] } });
  const wrong = await ask("POST", `/${id}/preview`, { version_id: `ver_${"0".repeat(32)}` });
  expect(wrong.body.errors[0].field).toBe("body.version_id");
});

it("what an assistant did stands in the history as such [drafts.history]", async () => {
  const as = { "quizstore-assistant": "mcp" };
  const made = await ask("POST", "", { name: "Drafted" }, as);
  const id = made.body.quiz_id;
  const { run_id } = (await ask("POST", `/${id}/draft/run`, {}, as)).body;
  const first = { op: "insert", path: "/pages", value: titled("One").pages[0] };
  await ask("PATCH", `/${id}/draft`, { run_id, changes: [first] }, as);
  await ask("POST", `/${id}/draft/run/end`, { run_id }, as);
  const version = await ask("POST", `/${id}/versions`, {}, as);
  await ask("POST", `/${id}/versions/${version.body.id}/publish`, undefined, as);
  t.calendar.advance(1);
  await ask("POST", `/${id}/versions`, {});
  const history = await t.request("GET", `/dashboard/api/quizzes/${id}/history`, { headers: mira });
  expect(history.body.data.map(({ action, source }: Body) => [action, source])).toEqual([
    ["saved", "api"],
    ["published", "assistant"],
    ["saved", "assistant"],
    ["edited", "assistant"],
    ["created", "assistant"],
  ]);
});
