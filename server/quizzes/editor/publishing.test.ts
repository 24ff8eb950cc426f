import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lint } from "../../../engine/lint.ts";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { page, quizDocument, text } from "../../../testkit/document-parts.ts";
import { inStore, TestPeople } from "../../../testkit/members.ts";
import { makeQuiz, pagesNamed } from "../../../testkit/quizzes.ts";
import { sampleQuiz } from "../../../testkit/sample-quiz.ts";
import { sql } from "../../platform/database/sql.ts";
import { templates } from "./templates.ts";

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
  t.calendar.advance(3_600_000);
});

const base = "/dashboard/api/quizzes";
const ask = (method: string, path: string, body?: unknown, revision?: number) =>
  t.request(method, `${base}${path}`, {
    body,
    headers: { ...mira, ...(revision === undefined ? {} : { "if-match": `"${revision}"` }) },
  });
const draftOf = async (id: string) => (await ask("GET", `/${id}/draft`)).body;
const publish = (id: string, revision?: number, body: unknown = {}) =>
  ask("POST", `/${id}/draft/publish`, body, revision);
const titled = (title: string) => quizDocument([page("a", [text("why")], { title })]);
const events = (uuid: string) =>
  t.database.reader().all(sql`SELECT topic FROM outbox WHERE store_id = ${store.uuid} AND quiz_id = ${uuid}`);

describe("publishing a draft", () => {
  it("makes it a version and live at once, with its event and history [editor.publish]", async () => {
    const { id, uuid } = await makeQuiz(t, store, { document: titled("One") });
    const answer = await publish(id, 1, { label: "First" });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ live: { number: 1 }, differs_from_live: false, revision: 1 });
    const live = await t.request("GET", `/storefront/v1/quizzes/${id}?store=${store.publishableKey}`);
    expect(live.body.document).toEqual(titled("One"));
    expect(await events(uuid)).toEqual([{ topic: "quiz.published" }]);
    const history = (await ask("GET", `/${id}/history`)).body.data;
    expect(history).toMatchObject([
      {
        action: "published",
        by: "mira@people.example",
        source: "dashboard",
        version_number: 1,
        label: "First",
        live: true,
      },
      { action: "saved", by: "mira@people.example", version_number: 1 },
      { action: "imported", by: "operator", version_id: null },
    ]);
  });

  it("publishes the draft that was looked at, and no other [editor.publish]", async () => {
    const { id, uuid } = await makeQuiz(t, store, { document: titled("One") });
    await ask("PUT", `/${id}/draft`, titled("Two"), 1);
    expect((await publish(id, 1)).body).toMatchObject({ title: "draft_changed", draft: { revision: 2 } });
    expect((await publish(id)).status).toBe(428);
    expect(await events(uuid)).toEqual([]);
    expect((await publish(id, 2)).status).toBe(200);
  });

  it("changes nothing where it is live already [editor.publish]", async () => {
    const { id, uuid } = await makeQuiz(t, store, { document: titled("One") });
    const answers = await Promise.all([publish(id, 1), publish(id, 1), publish(id, 1)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await publish(id, 1);
    expect((await draftOf(id)).live.number).toBe(1);
    expect(await events(uuid)).toHaveLength(1);
  });

  it("refuses what is no valid version, field by field, and a quiz without pages [editor.publish]", async () => {
    const { id } = await makeQuiz(t, store, { document: { pages: [{ page_key: "a", kind: "question" }] } });
    const refused = await publish(id, 1);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toContainEqual({ field: "draft.pages.0.title", message: "is missing" });
    const empty = await makeQuiz(t, store, { document: pagesNamed() });
    expect((await publish(empty.id, 1)).body).toMatchObject({ status: 409, title: "conflict" });
  });
});

describe("the audit log", () => {
  it("has what people did with a quiz, and that they edited it once until they pause [dashboard-api.audit]", async () => {
    const made = (await ask("POST", "", { name: "Logged" })).body;
    await ask("PUT", `/${made.quiz_id}/draft`, titled("One"), 1);
    await ask("PUT", `/${made.quiz_id}/draft`, titled("Two"), 2);
    await ask("PUT", `/${made.quiz_id}/draft`, { name: "Logged twice" }, 3);
    await publish(made.quiz_id, 4, { label: "First" });
    await publish(made.quiz_id, 4);
    const rows = await t.database.reader().all(sql`
      SELECT action, target, details FROM audit_log
      WHERE store_id = ${store.uuid} AND target = ${made.quiz_id} ORDER BY at, id`);
    expect(rows.map((row) => (row as { action: string }).action).sort()).toEqual([
      "quiz.created",
      "quiz.edited",
      "quiz.published",
      "quiz.renamed",
    ]);
    expect(rows).toContainEqual({
      action: "quiz.renamed",
      target: made.quiz_id,
      details: { before: "Logged", after: "Logged twice" },
    });
  });
});

describe("history", () => {
  it("makes any version the draft again [editor.restore]", async () => {
    const { id, versionId } = await makeQuiz(t, store, { document: titled("One"), publish: true });
    await ask("PUT", `/${id}/draft`, titled("Two"), 1);
    const late = await ask("POST", `/${id}/versions/${versionId}/restore`, undefined, 1);
    expect(late.body.title).toBe("draft_changed");
    t.calendar.advance(1_000);
    const restored = await ask("POST", `/${id}/versions/${versionId}/restore`, undefined, 2);
    expect(restored.body).toMatchObject({ revision: 3, document: titled("One"), differs_from_live: false });
    expect((await ask("GET", `/${id}/history`)).body.data[0]).toMatchObject({ action: "restored", version_number: 1 });
    const whole = await ask("GET", `/${id}/versions/${versionId}/document`);
    expect(whole.body).toMatchObject({ number: 1, document: titled("One") });
    const sibling = await makeQuiz(t, store, { publish: true });
    expect((await ask("POST", `/${id}/versions/${sibling.versionId}/restore`, undefined, 3)).status).toBe(404);
  });

  it("says what differs between any two [editor.difference]", async () => {
    const { id, versionId } = await makeQuiz(t, store, { document: titled("One"), publish: true });
    await ask("PUT", `/${id}/draft`, titled("Two"), 1);
    const compared = await ask("GET", `/${id}/difference`);
    expect(compared.body).toMatchObject({
      from: versionId,
      to: "draft",
      changes: [{ kind: "changed", path: "pages.0.title", before: "One", after: "Two" }],
    });
    expect((await ask("GET", `/${id}/difference?from=draft&to=${versionId}`)).body.changes[0].after).toBe("One");
    expect((await ask("GET", `/${id}/difference?from=ver_1`)).body.errors[0].field).toBe("query.from");
    const fresh = await makeQuiz(t, store, { document: titled("One") });
    expect((await ask("GET", `/${fresh.id}/difference`)).body).toMatchObject({
      from: "nothing",
      changes: [{ kind: "added" }, { kind: "added" }],
    });
  });

  it("says once that somebody edits, and again after a pause [editor.history]", async () => {
    const { id } = await makeQuiz(t, store, { document: titled("0") });
    for (const n of [1, 2, 3]) {
      await ask("PUT", `/${id}/draft`, titled(String(n)), n);
      t.calendar.advance(60_000);
    }
    t.calendar.advance(3_600_000);
    await ask("PUT", `/${id}/draft`, titled("4"), 4);
    const actions = (await ask("GET", `/${id}/history`)).body.data.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(["edited", "edited", "imported"]);
  });
});

describe("new quizzes", () => {
  it.each(templates)(
    "begin with the template $template_id, which could be published [editor.create]",
    async (template) => {
      const made = await ask("POST", "", { template_id: template.template_id, name: "Mine" });
      expect(made.status).toBe(201);
      expect(made.headers["location"]).toBe(`http://api.test${base}/${made.body.quiz_id}/draft`);
      expect(made.body).toMatchObject({ name: "Mine", revision: 1, document: template.document });
      const errors = lint(template.document).filter(({ severity }) => severity === "error");
      expect(errors).toEqual([]);
    },
  );

  it("begin with a document, or what an export holds, or another quiz's draft [editor.create]", async () => {
    const imported = await ask("POST", "", { document: { name: "From a file", document: sampleQuiz() } });
    expect(imported.body).toMatchObject({ name: "From a file", document: sampleQuiz() });
    const { quiz_id: id } = imported.body;
    const exported = (await ask("GET", `/${id}/export`)).body;
    expect(exported).toEqual({ quiz_id: id, name: "From a file", document: sampleQuiz() });
    const again = await ask("POST", "", { document: exported });
    expect(again.body).toMatchObject({ name: "From a file", document: sampleQuiz() });
    const copy = await ask("POST", `/${id}/duplicate`, {});
    expect(copy.body).toMatchObject({ name: "Copy of From a file", document: sampleQuiz(), live: null });
    expect(copy.body.quiz_id).not.toBe(id);
    expect((await ask("POST", "", { document: {}, template_id: "gift" })).body.errors[0].field).toBe(
      "body.template_id",
    );
    expect((await ask("POST", "", {})).body.document).toEqual({
      pages: [],
      jump_rules: [],
      dimensions: [],
      property_mappings: [],
    });
  });

  it("are listed with the state of their drafts, newest first [editor.list]", async () => {
    const one = await makeQuiz(t, store, { name: "Listed 100%_a", document: titled("One"), publish: true });
    const two = await makeQuiz(t, store, { name: "Listed 100x", document: titled("One") });
    await ask("PUT", `/${one.id}/draft`, titled("Two"), 1);
    const listed = (await ask("GET", "?q=listed&limit=1")).body;
    expect(listed).toMatchObject({
      has_more: true,
      data: [{ id: two.id, status: "draft", live: null, differs_from_live: true }],
    });
    const next = (await ask("GET", `?q=listed&limit=1&cursor=${listed.next_cursor}`)).body;
    expect(next).toMatchObject({
      has_more: false,
      data: [
        {
          id: one.id,
          status: "published",
          live: { number: 1 },
          differs_from_live: true,
          saved_by: "mira@people.example",
        },
      ],
    });
    expect((await ask("GET", "?q=100%25_")).body.data.map(({ id }: { id: string }) => id)).toEqual([one.id]);
    expect((await ask("GET", "?status=draft")).body.data.map(({ id }: { id: string }) => id)).not.toContain(one.id);
  });

  it("are shown by a link that needs no account, the draft or a version [editor.preview]", async () => {
    const { id, versionId } = await makeQuiz(t, store, { document: titled("One"), publish: true });
    await ask("PUT", `/${id}/draft`, titled("Two"), 1);
    const shown = async (body: unknown) => {
      const made = await ask("POST", `/${id}/preview`, body);
      const token = made.body.url.split("/").at(-1);
      return (await t.request("GET", `/storefront/v1/previews/${token}`)).body.document.pages[0].title;
    };
    expect(await shown({})).toBe("Two");
    expect(await shown({ version_id: versionId, hours: 1 })).toBe("One");
    expect((await ask("POST", `/${id}/preview`, { hours: 721 })).status).toBe(422);
    expect((await ask("POST", `/${id}/preview`, { version_id: `ver_${"0".repeat(32)}` })).body.errors[0].field).toBe(
      "body.version_id",
    );
  });
});
