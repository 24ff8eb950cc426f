import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { page, quizDocument, text } from "../../../testkit/document-parts.ts";
import { inStore, TestPeople } from "../../../testkit/members.ts";
import { makeQuiz } from "../../../testkit/quizzes.ts";
import { sampleQuiz } from "../../../testkit/sample-quiz.ts";
import { sql } from "../../platform/database/sql.ts";
import { aiRunStart } from "../ai-lease.ts";

let t: TestApp;
let store: TestStore;
let mira: Record<string, string>;
let noor: Record<string, string>;
let reader: Record<string, string>;
beforeAll(async () => {
  const people = new TestPeople();
  t = await openTestApp({ signedIn: people.signedIn });
  store = await t.store({ plan: "enterprise" });
  mira = inStore(people.add("mira", { in: [[store, "editor"]] }), store);
  noor = inStore(people.add("noor", { in: [[store, "owner"]] }), store);
  reader = inStore(people.add("reader", { in: [[store, "analyst"]] }), store);
});
afterAll(() => t.close());
beforeEach(() => {
  t.passTime(600_000);
  t.calendar.advance(60_000);
});

const base = "/dashboard/api/quizzes";
type Given = { as?: Record<string, string>; body?: unknown; ifMatch?: string };
const ask = (method: string, path: string, { as = mira, body, ifMatch }: Given = {}) =>
  t.request(method, `${base}${path}`, { body, headers: { ...as, ...(ifMatch ? { "if-match": ifMatch } : {}) } });
const get = (id: string) => ask("GET", `/${id}/draft`);
const put = (id: string, ifMatch: string | undefined, body: unknown, as = mira) =>
  ask("PUT", `/${id}/draft`, { as, body, ...(ifMatch ? { ifMatch } : {}) });
const titled = (title: string) => quizDocument([page("a", [text("why")], { title })]);

describe("drafts", () => {
  it("are read with their revision, and replaced by whoever names it [editor.revisions]", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("One") });
    const first = await get(id);
    expect(first).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(first.body).toMatchObject({ quiz_id: id, revision: 1, document: titled("One"), live: null, findings: [] });
    const second = await put(id, '"1"', { document: titled("Two") });
    expect(second).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(second.body).toMatchObject({ revision: 2, saved_by: "mira@people.example", document: null });
    expect((await get(id)).body).toMatchObject({ revision: 2, document: titled("Two") });
    // a bare document, and a tag that a proxy made weak
    expect((await put(id, 'W/"2"', titled("Three"))).body.revision).toBe(3);
  });

  it("are the same draft under a tag that a compressing proxy marked [editor.revisions]", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("One") });
    for (const [index, tag] of ['"1-gzip"', 'W/"2-br"', '"3;gzip"', '"4--gzip"'].entries()) {
      const answer = await put(id, tag, titled(`Draft ${index}`));
      expect([tag, answer.status, answer.body.revision]).toEqual([tag, 200, index + 2]);
    }
    for (const tag of ['"4-gzip"', '"5-"', '"5-other"', '"50-gzip"']) {
      expect([tag, (await put(id, tag, titled("Late"))).status]).toEqual([tag, 412]);
    }
  });

  it("are never overwritten by whoever did not see them: 412 says who changed them, and when [editor.revisions]", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("One") });
    const at = new Date(t.calendar.now()).toISOString();
    await put(id, '"1"', titled("Noor's"), noor);
    t.calendar.advance(5_000);
    const late = await put(id, '"1"', titled("Mira's"));
    expect(late.status).toBe(412);
    expect(late.body).toMatchObject({
      title: "draft_changed",
      draft: { revision: 2, saved_at: at, saved_by: "noor@people.example" },
    });
    expect(late.body.detail).toContain("noor@people.example");
    expect((await get(id)).body).toMatchObject({ revision: 2, document: titled("Noor's") });
  });

  it("take one of two changes that come at once [editor.revisions]", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("One") });
    const both = await Promise.all([put(id, '"1"', titled("A"), mira), put(id, '"1"', titled("B"), noor)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect((await get(id)).body.revision).toBe(2);
  });

  it("are the same after a change that is sent twice [editor.revisions]", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("One") });
    await put(id, '"1"', titled("Two"));
    const again = await put(id, '"1"', titled("Two"));
    expect([again.status, again.body.revision]).toEqual([200, 2]);
  });

  it("ask for If-Match, and for one tag in it [editor.revisions]", async () => {
    const { id } = await makeQuiz(t, store);
    const without = await put(id, undefined, titled("Two"));
    expect([without.status, without.body.title]).toEqual([428, "if_match_required"]);
    for (const odd of ["*", "1", '"1", "2"', '""']) {
      const refused = await put(id, odd, titled("Two"));
      expect([odd, refused.status, refused.body.errors?.[0]?.field]).toEqual([odd, 422, "header.If-Match"]);
    }
  });

  it("may be incomplete, and say what keeps them from being a version [editor.drafts, editor.findings]", async () => {
    const { id } = await makeQuiz(t, store);
    const document = { pages: [{ page_key: "a", kind: "question", components: [{ kind: "choice" }] }] };
    const kept = await put(id, '"1"', { document });
    expect(kept.status).toBe(200);
    const paths = kept.body.findings.map(
      (finding: { severity: string; path: string }) => `${finding.severity} ${finding.path}`,
    );
    expect(paths).toContain("error pages.0.title");
    expect(paths).toContain("error pages.0.components.0.component_key");
    expect((await get(id)).body.document).toEqual(document);
  });

  it("name the field of what cannot be kept at all [editor.drafts]", async () => {
    const { id } = await makeQuiz(t, store);
    const refused = async (body: unknown) => {
      const answer = await put(id, '"1"', body);
      return [answer.status, answer.body.errors?.map(({ field }: { field: string }) => field)];
    };
    expect(await refused({ name: "", document: titled("x") })).toEqual([422, ["body.name"]]);
    expect(await refused({ name: "x".repeat(201), document: titled("x") })).toEqual([422, ["body.name"]]);
    expect(await refused({ name: "ok", document: 7 })).toEqual([422, ["body.document"]]);
    expect(await refused([])).toEqual([422, ["body"]]);
    expect(await refused('{"document":{"pages":[{"title":"\\ud800"}]}}')).toEqual([422, ["body.document"]]);
    expect((await get(id)).body.revision).toBe(1);
  });

  it("lose HTML that a document may not hold, which is named [editor.findings, quiz-documents.html]", async () => {
    const { id } = await makeQuiz(t, store);
    const unsafe = quizDocument([
      page("a", [{ kind: "content", component_key: "hi", html_text: '<p onclick="x()">Hi<script>1</script></p>' }]),
    ]);
    const kept = await put(id, '"1"', unsafe);
    expect(kept.body.document.pages[0].components[0].html_text).toBe("<p>Hi</p>");
    expect(kept.body.findings).toContainEqual(
      expect.objectContaining({ code: "html_removed", path: "pages.0.components.0.html_text" }),
    );
  });

  it("get another name without another document [editor.drafts]", async () => {
    const { id } = await makeQuiz(t, store, { name: "Before", document: titled("One") });
    expect((await put(id, '"1"', { name: "After" })).body).toMatchObject({ name: "After", revision: 2 });
    expect((await get(id)).body).toMatchObject({ name: "After", document: titled("One") });
    expect((await t.request("GET", `/v1/quizzes/${id}`, { key: store.key })).body.name).toBe("After");
  });

  it("are read-only while the assistant edits, and say who runs it until when [editor.assistant]", async () => {
    const { id } = await makeQuiz(t, store);
    await t.database.transaction((tx) => aiRunStart(tx, t.foundations, id, "Mira's assistant"));
    const until = new Date(t.calendar.now() + 600_000).toISOString();
    expect((await get(id)).body.assistant).toMatchObject({ holder: "Mira's assistant", expires_at: until });
    for (const [method, path] of [
      ["PUT", ""],
      ["POST", "/publish"],
    ] as const) {
      const body = method === "PUT" ? titled("x") : {};
      const refused = await ask(method, `/${id}/draft${path}`, { body, ifMatch: '"1"' });
      expect(refused.status).toBe(409);
      expect(refused.body).toMatchObject({
        title: "ai_run_in_progress",
        assistant: { holder: "Mira's assistant", expires_at: until },
      });
    }
    // a browser that kept what it was told of the same draft is told of the run
    const kept = await t.request("GET", `${base}/${id}/draft`, { headers: { ...mira, "if-none-match": '"1"' } });
    expect(kept).toMatchObject({ status: 200, headers: { "cache-control": "private, no-store" } });
    expect(kept.body.assistant).toMatchObject({ holder: "Mira's assistant" });
    t.calendar.advance(600_000);
    expect((await get(id)).body.assistant).toBeNull();
    expect((await put(id, '"1"', titled("x"))).status).toBe(200);
  });

  it("are taken back from the assistant by an editor, which the log of the store says [editor.assistant]", async () => {
    const { id } = await makeQuiz(t, store);
    const end = (as = mira) => ask("POST", `/${id}/assistant/end`, { as });
    expect((await end()).body).toEqual({ quiz_id: id, ended: null });
    await t.database.transaction((tx) => aiRunStart(tx, t.foundations, id, "Mira's assistant"));
    expect((await end(reader)).status).toBe(403);
    expect((await end()).body).toMatchObject({ ended: { holder: "Mira's assistant" } });
    expect((await get(id)).body.assistant).toBeNull();
    expect((await put(id, '"1"', titled("x"))).status).toBe(200);
    const rows = await t.database.reader().all<{ action: string; details: object }>(sql`
      SELECT action, details FROM audit_log WHERE store_id = ${store.uuid} AND target = ${id} ORDER BY at, id`);
    const ended = { action: "quiz.assistant_ended", details: { holder: "Mira's assistant" } };
    expect(rows.filter(({ action }) => action === ended.action)).toEqual([ended]);
    const foreign = await makeQuiz(t, await t.store({ plan: "enterprise" }));
    expect((await ask("POST", `/${foreign.id}/assistant/end`)).status).toBe(404);
  });

  it("are looked at without being kept [editor.findings]", async () => {
    const { id } = await makeQuiz(t, store, { publish: true });
    const reused = sampleQuiz();
    reused.pages[0]!.kind = "content";
    const found = await ask("POST", `/${id}/draft/lint`, { body: reused });
    expect(found.body.findings).toContainEqual(
      expect.objectContaining({ code: "reused_key", path: "pages.0.page_key" }),
    );
    expect((await get(id)).body.revision).toBe(1);
  });

  it("are for editors and owners; analysts see the list alone [editor.roles]", async () => {
    const { id } = await makeQuiz(t, store);
    for (const [method, path, body] of [
      ["GET", `/${id}/draft`],
      ["PUT", `/${id}/draft`, titled("x")],
      ["POST", "", {}],
      ["POST", `/${id}/draft/publish`, {}],
      ["GET", `/${id}/history`],
    ] as const) {
      const refused = await ask(method, path, { as: reader, body, ifMatch: '"1"' });
      expect([method, path, refused.status, refused.body.title]).toEqual([method, path, 403, "insufficient_role"]);
    }
    expect((await ask("GET", "", { as: reader })).status).toBe(200);
    const other = await t.store({ plan: "enterprise" });
    const foreign = await makeQuiz(t, other);
    expect((await get(foreign.id)).status).toBe(404);
  });
});
