import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkDocument } from "../../engine/check.ts";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { listen } from "../../testkit/raw-http.ts";
import { documentFormat } from "./document-format.ts";

/** An assistant drafts a quiz, by an MCP client that knows nothing of this program. */

let t: TestApp;
let url: string;
let store: TestStore;
let mira: Record<string, string>;
beforeAll(async () => {
  const people = new TestPeople();
  t = await openTestApp({ signedIn: people.signedIn });
  url = `http://127.0.0.1:${await listen(t.app)}`;
  store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { capacity: 1_000_000 } });
  mira = inStore(people.add("mira", { in: [[store, "editor"]] }), store);
}, 60_000);
afterAll(() => t.close());
beforeEach(() => t.passTime(600_000));

async function use(name: string, input: Record<string, unknown> = {}): Promise<Body> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${store.key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const { content } = await client.callTool({ name, arguments: input });
  await client.close();
  return JSON.parse((content as { text: string }[])[0]?.text ?? "null");
}

const question = (key: string) => ({
  page_key: key,
  title: `Page ${key}`,
  kind: "question",
  components: [
    { kind: "choice", component_key: `${key}_why`, question: "Why?", options: [{ option_id: "a", label: "A" }] },
  ],
});

describe("drafting by tools [mcp.drafts]", () => {
  it("goes from nothing to a quiz of five pages that shoppers are served, once a person agreed", async () => {
    const begun = await use("draft_quiz", { name: "Drafted by an assistant", holder: "Mira's assistant" });
    const { quiz_id, run_id } = begun.data;
    expect(begun.links.editor).toBe(`http://api.test/dashboard/quizzes/${quiz_id}/edit`);
    const pages = ["one", "two", "three", "four"].map((key) => ({
      op: "insert",
      path: "/pages",
      value: question(key),
    }));
    const first = await use("change_draft", { quiz_id, run_id, changes: pages });
    expect([first.data.revision, first.data.errors]).toEqual([2, 0]);
    const result = { page_key: "end", title: "Made for you", kind: "result", components: [] };
    const changes = [
      { op: "insert", path: "/pages", value: result },
      { op: "set", path: "/pages/one/title", value: "First" },
      { op: "move", path: "/pages/four", before: "two" },
    ];
    expect((await use("change_draft", { quiz_id, run_id, changes })).data.errors).toBe(0);
    const read = await use("read_draft", { quiz_id });
    expect(read.data.outline.pages.map(({ page_key }: Body) => page_key)).toEqual([
      "one",
      "four",
      "two",
      "three",
      "end",
    ]);
    expect(read.data.assistant.holder).toBe("Mira's assistant");
    expect((await use("read_draft", { quiz_id, page_key: "one" })).data.page.title).toBe("First");
    const { links } = await use("preview_quiz", { quiz_id });
    const token = links.preview.slice(links.preview.lastIndexOf("/") + 1);
    expect((await t.request("GET", `/storefront/v1/previews/${token}`)).body.document.pages).toHaveLength(5);
    expect((await use("finish_editing", { quiz_id, save: true })).data.refused).toBe("ai_run_in_progress");
    const { ended, version_id } = (await use("finish_editing", { quiz_id, run_id, save: true, label: "First" })).data;
    expect(ended).toBe(true);
    const asked = await use("publish_version", { quiz_id, version_id });
    expect(asked.data.published).toBe(false);
    const { pathname } = new URL(asked.links.approve);
    const approval = pathname.replace("/dashboard/", "/dashboard/api/");
    expect((await t.request("POST", `${approval}/approve`, { headers: mira })).status).toBe(200);
    expect((await use("publish_version", { quiz_id, version_id })).data.published).toBe(true);
    const live = await t.request("GET", `/storefront/v1/quizzes/${quiz_id}?store=${store.publishableKey}`);
    expect(live.body.document.pages).toHaveLength(5);
    const history = await t.request("GET", `/dashboard/api/quizzes/${quiz_id}/history`, { headers: mira });
    const [published, ...before] = history.body.data.map(({ source }: Body) => source);
    expect([published, new Set(before)]).toEqual(["dashboard", new Set(["assistant"])]);
  }, 60_000);

  it("keeps people out meanwhile, and is told what cannot be done", async () => {
    const { id: quiz_id } = await makeQuiz(t, store);
    const begun = await use("begin_editing", { quiz_id });
    const put = await t.request("PUT", `/dashboard/api/quizzes/${quiz_id}/draft`, {
      ...{ body: { name: "Mira's" }, headers: { ...mira, "if-match": '"1"' } },
    });
    expect([put.status, put.body.title]).toEqual([409, "ai_run_in_progress"]);
    expect((await use("begin_editing", { quiz_id })).data.refused).toBe("ai_run_in_progress");
    const { run_id } = begun.data;
    expect((await use("begin_editing", { quiz_id, run_id })).data.run_id).toBe(run_id);
    const wrong = await use("change_draft", { quiz_id, run_id, changes: [{ op: "remove", path: "/pages/nowhere" }] });
    expect(wrong.data).toMatchObject({ refused: "validation_error", errors: [{ field: "body.changes.0" }] });
    t.calendar.advance(11 * 60_000);
    const late = await use("change_draft", { quiz_id, run_id, changes: [] });
    expect(late.data.refused).toBe("conflict");
  }, 60_000);

  it("goes on with a draft that cannot be saved, and can leave it as it is", async () => {
    const { quiz_id, run_id } = (await use("draft_quiz", { name: "Not finished" })).data;
    const wrong = { page_key: "one", title: "One", kind: "question", components: [{ kind: "choice" }] };
    await use("change_draft", { quiz_id, run_id, changes: [{ op: "insert", path: "/pages", value: wrong }] });
    const refused = (await use("finish_editing", { quiz_id, run_id, save: true })).data;
    expect(refused).toMatchObject({ refused: "validation_error", ended: false });
    expect(refused.errors).toBeGreaterThan(0);
    expect((await use("begin_editing", { quiz_id, run_id })).data.run_id).toBe(run_id);
    expect((await use("finish_editing", { quiz_id, run_id, save: false })).data).toEqual({ ended: true });
  }, 60_000);

  it("takes values that a client sends as text with JSON in it [mcp.draft-values, mcp.sent-input]", async () => {
    const { quiz_id, run_id } = (await use("draft_quiz", { name: "Sent as text", template: null, holder: "" })).data;
    const page = { ...question("one"), components: JSON.stringify(question("one").components) };
    const changes = [
      { op: "insert", path: "/pages", value: JSON.stringify(page), before: "" },
      { op: "set", path: "/pages/one/title", value: "[1]" },
      { op: "set", path: "/pages/one/skippable", value: "true" },
    ];
    expect((await use("change_draft", { quiz_id, run_id, changes: JSON.stringify(changes) })).data.refused).toBe(
      undefined,
    );
    const { page: read } = (await use("read_draft", { quiz_id, page_key: "one" })).data;
    expect(read).toMatchObject({ title: "[1]", skippable: true, components: [{ component_key: "one_why" }] });
    const outline = await use("read_draft", { quiz_id, page_key: null });
    expect(outline.data.outline.pages).toHaveLength(1);
  }, 60_000);

  it("are not ended for a quiz that the caller is not editing [mcp.finish]", async () => {
    const [one, another] = [await makeQuiz(t, store), await makeQuiz(t, store)];
    const { run_id } = (await use("begin_editing", { quiz_id: one.id })).data;
    const versions = async (id: string) =>
      (await t.request("GET", `/v1/quizzes/${id}/versions`, { key: store.key })).body.data.length;
    const before = await versions(another.id);
    for (const save of [true, false]) {
      for (const input of [{}, { run_id }, { run_id: "run_0198f2c4c3d27e5f9f7b8c9d0e1f2a3b" }, { run_id: "" }])
        expect((await use("finish_editing", { quiz_id: another.id, save, ...input })).data.refused).toBe("conflict");
      expect((await use("finish_editing", { quiz_id: one.id, save })).data.refused).toBe("ai_run_in_progress");
      const nowhere = "quiz_0198f2c4c3d27e5f9f7b8c9d0e1f2a3b";
      expect((await use("finish_editing", { quiz_id: nowhere, save })).data.refused).toBe("not_found");
      expect((await use("finish_editing", { quiz_id: nowhere, run_id, save })).data.refused).toBe("not_found");
    }
    expect(await versions(another.id)).toBe(before);
    expect((await use("finish_editing", { quiz_id: one.id, run_id, save: false })).data).toEqual({ ended: true });
    expect((await use("finish_editing", { quiz_id: one.id, run_id, save: false })).data.refused).toBe("conflict");
  }, 60_000);

  it("is described by an example that is a valid document", async () => {
    expect(checkDocument(documentFormat.example)).toMatchObject({ ok: true });
    const { data } = await use("describe_documents");
    expect(data).toEqual(JSON.parse(JSON.stringify(documentFormat)));
    expect(JSON.stringify(data).length).toBeLessThan(8_000);
  });
});
