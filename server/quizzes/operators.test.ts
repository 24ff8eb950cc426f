import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { content, page, quizDocument } from "../../testkit/document-parts.ts";
import { makeQuiz, pagesNamed } from "../../testkit/quizzes.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { aiRunEnd, aiRunStart } from "./ai-lease.ts";
import { inWords } from "./commands.ts";
import type { QuizImport } from "./import.ts";
import { exportQuiz, keyKindsOf, lintFile, quizHistory } from "./operators.ts";
import { importQuiz, liveVersion, quizNames } from "./public.ts";

let t: TestApp;
let store: TestStore;
let other: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
  other = await t.store();
});
afterAll(() => t.close());
beforeEach(() => {
  t.passTime(60_000);
  t.calendar.advance(1000);
});

const db = () => t.database.reader();
const take = (given: Partial<QuizImport> & { document: unknown }) =>
  t.database.transaction((tx) => importQuiz(tx, t.foundations, store.uuid, { publish: false, ...given }));
const get = async (id: string) => (await t.request("GET", `/v1/quizzes/${id}`, { key: store.key })).body;
const events = async (id: string) =>
  (
    await db()
      .forStore(store.uuid)
      .all<{ data: { quiz_id: string } }>(
        sql`SELECT data FROM outbox WHERE store_id = ${ownStore} AND topic = 'quiz.published'`,
      )
  ).filter(({ data }) => data.quiz_id === id);
const start = (id: string) => t.database.transaction((tx) => aiRunStart(tx, t.foundations, id));
const end = (id: string) => t.database.transaction((tx) => aiRunEnd(tx, id));

describe("quizstore quiz import", () => {
  it("makes a draft without a version, named on the way or in the file [quizzes.import]", async () => {
    const made = await take({ document: sampleQuiz() });
    expect(made).toEqual({ quiz_id: expect.stringMatching(/^quiz_[0-9a-f]{32}$/), version_id: null });
    expect(await get(made.quiz_id)).toMatchObject({ name: "Untitled quiz", status: "draft", page_count: 4 });
    const wrapped = await take({ document: { name: "  In the file ", document: sampleQuiz() } });
    expect(await get(wrapped.quiz_id)).toMatchObject({ name: "In the file" });
    const named = await take({ document: { name: "In the file", document: sampleQuiz() }, name: "Given" });
    expect(await get(named.quiz_id)).toMatchObject({ name: "Given" });
    for (const name of ["", " ", "x".repeat(201), "a\u0000"])
      await expect(take({ document: sampleQuiz(), name })).rejects.toThrow(OperatorError);
  });

  it("saves and publishes with --publish, with its event and history [quizzes.import, quizzes.publish-event, quizzes.history]", async () => {
    const made = await take({ document: sampleQuiz(), name: "Routine", publish: true, admin: "mira@example.com" });
    expect(await get(made.quiz_id)).toMatchObject({ status: "published", published_version: made.version_id });
    expect(await events(made.quiz_id)).toHaveLength(1);
    const by = { admin: "mira@example.com", source: "operator", key_id: null };
    expect(await quizHistory(db(), made.quiz_id)).toMatchObject([
      { action: "published", version_id: made.version_id, version_number: 1, ...by },
      { action: "saved", version_id: made.version_id, version_number: 1, ...by },
      { action: "imported", version_id: null, version_number: null, ...by },
    ]);
  });

  it("replaces the draft of --quiz, and keeps its name without another [quizzes.import]", async () => {
    const { id, versionId } = await makeQuiz(t, store, { name: "Routine", publish: true });
    const before = await get(id);
    const made = await take({ document: pagesNamed("a", "b"), quizId: id });
    expect(made).toEqual({ quiz_id: id, version_id: null });
    const after = await get(id);
    expect(after).toMatchObject({ name: "Routine", page_count: 2, published_version: versionId });
    expect(after.created_at).toBe(before.created_at);
    expect(after.updated_at).toBe(new Date(t.calendar.now()).toISOString());
    const published = await take({ document: pagesNamed("a", "b"), quizId: id, name: "Other", publish: true });
    expect(await get(id)).toMatchObject({ name: "Other", published_version: published.version_id });
    expect(await events(id)).toHaveLength(2);
  });

  it("takes an unfinished draft in and says what is missing, but never publishes it [quizzes.import]", async () => {
    const document = { pages: [{ page_key: "a" }] };
    const made = await take({ document });
    expect(made.problems?.map((problem) => problem.path)).toEqual(["pages.0.title", "pages.0.kind"]);
    expect((await exportQuiz(db(), made.quiz_id)).document).toEqual(document);
    await expect(take({ document, publish: true })).rejects.toThrow(
      /pages\.0\.title is missing; pages\.0\.kind is missing/,
    );
    await expect(take({ document: pagesNamed(), publish: true })).rejects.toThrow(/without pages/);
    for (const odd of [null, 7, "x", [], [sampleQuiz()]])
      await expect(take({ document: odd })).rejects.toThrow(/must be a JSON object/);
    for (const odd of ["\u0000", "\ud800", "\udfff"])
      await expect(take({ document: { pages: [], title: odd } })).rejects.toThrow(/character/);
    const escaped = { pages: [], title: "\\u0000 \\ud800 \\\\u0000" };
    expect((await exportQuiz(db(), (await take({ document: escaped })).quiz_id)).document).toEqual(escaped);
  });

  it("takes HTML out that may not be there, says so, and keeps the rest for good [quiz-documents.html]", async () => {
    const document = quizDocument([page("a", [content("c", "<p onclick=a()>x</p><script>a()</script>")])]);
    const clean = quizDocument([page("a", [content("c", "<p>x</p>")])]);
    const warning = {
      path: "pages.0.components.0.html_text",
      message: "may not hold onclick of <p>, <script>, which was taken out",
    };
    const made = await take({ document });
    expect(made.warnings).toEqual([warning]);
    expect(made).not.toHaveProperty("problems");
    const file = await exportQuiz(db(), made.quiz_id);
    expect(file.document).toEqual(clean);
    const again = await take({ document: JSON.parse(JSON.stringify(file)), publish: true });
    expect(again).not.toHaveProperty("warnings");
    expect((await exportQuiz(db(), again.quiz_id)).document).toEqual(clean);
    expect(await lintFile(document)).toEqual([{ severity: "warning", code: "html_removed", ...warning }]);
    // a draft that does not check yet, and one whose version is saved at once
    const unfinished = { pages: [...document.pages, { page_key: "b" }], more: 1 };
    const draft = await take({ document: unfinished });
    expect(draft).toMatchObject({ warnings: [warning], problems: expect.any(Array) });
    expect((await exportQuiz(db(), draft.quiz_id)).document).toMatchObject({
      pages: [clean.pages[0], { page_key: "b" }],
    });
    const live = await take({ document, publish: true });
    const version = await liveVersion(db().forStore(store.uuid), parseId("quiz", live.quiz_id) ?? "");
    expect(version?.document).toEqual(clean);
  });

  it("keeps how a quiz looks, in versions and exports [quizzes.export, quiz-documents.presentation]", async () => {
    const document = quizDocument(
      [
        page("a", [], { subtitle: "Hello", image_url: "https://img.example/a.png" }),
        page("r", [], { kind: "result", headline: "Yours" }),
      ],
      { presentation: { locale: "de", theme: { accent: "#102030", radius: 4 }, texts: { next: "Weiter" } } },
    );
    const made = await take({ document, publish: true });
    expect((await exportQuiz(db(), made.quiz_id)).document).toEqual(document);
    const live = await liveVersion(db().forStore(store.uuid), parseId("quiz", made.quiz_id) ?? "");
    expect(live?.document).toEqual(document);
  });

  it("refuses quizzes that are unknown, deleted or another store's [quizzes.import]", async () => {
    const foreign = await makeQuiz(t, other);
    const gone = await makeQuiz(t, store);
    await t.request("DELETE", `/v1/quizzes/${gone.id}`, { key: store.key });
    for (const quizId of ["odd", `quiz_${"0".repeat(32)}`, foreign.id, foreign.uuid, gone.id])
      await expect(take({ document: sampleQuiz(), quizId })).rejects.toThrow(OperatorError);
  });

  it("publishes nothing while the AI assistant edits, though its draft may come in [quizzes.ai-run]", async () => {
    const { id } = await makeQuiz(t, store);
    await start(id);
    await expect(take({ document: sampleQuiz(), quizId: id, publish: true })).rejects.toThrow(/AI assistant/);
    expect(await take({ document: pagesNamed("a"), quizId: id })).toMatchObject({ version_id: null });
    expect(await get(id)).toMatchObject({ status: "draft", page_count: 1 });
  });
});

describe("quizstore quiz export, history and lint", () => {
  it("exports what the import takes again [quizzes.export]", async () => {
    const { id } = await makeQuiz(t, store, { name: "Routine" });
    const file = await exportQuiz(db(), id);
    expect(file).toEqual({ quiz_id: id, name: "Routine", document: sampleQuiz() });
    const copy = await take({ document: JSON.parse(JSON.stringify(file)) });
    expect(await exportQuiz(db(), copy.quiz_id)).toEqual({ ...file, quiz_id: copy.quiz_id });
  });

  it("says which quiz is not there [quizzes.export]", async () => {
    await expect(exportQuiz(db(), "quiz_1")).rejects.toThrow("there is no quiz quiz_1");
    await expect(quizHistory(db(), `quiz_${"0".repeat(32)}`)).rejects.toThrow(OperatorError);
    await expect(start("x")).rejects.toThrow(OperatorError);
    await expect(end("x")).rejects.toThrow(OperatorError);
  });

  it("prints a line a finding, whatever a field is called [command-line.output]", async () => {
    const named = { pages: [], "a\nerror: forged": 1, "b\u001b[2J": 2 };
    for (const line of (await lintFile(named)).map(inWords)) expect(line.trimEnd()).not.toMatch(/\p{Cc}/u);
  });

  it("lints a file of either form [quizzes.export]", async () => {
    expect(await lintFile(sampleQuiz())).toEqual(await lintFile({ name: "Routine", document: sampleQuiz() }));
    expect(await lintFile({ pages: [] })).toMatchObject([{ code: "no_pages" }]);
    expect(await lintFile({ name: "x", document: { pages: 1 } })).toMatchObject([{ severity: "error", path: "pages" }]);
    expect(await lintFile(7)).toMatchObject([{ severity: "error", path: "" }]);
  });
});

describe("keys that another version uses otherwise", () => {
  it("are told of a draft, by the import and by the lint, and keep it from being published [quiz-documents.key-kinds]", async () => {
    const { id } = await makeQuiz(t, store, { publish: true });
    const document = sampleQuiz();
    document.pages[1]!.kind = "content";
    const problem = {
      path: "pages.1.page_key",
      message: "is the key of a page of kind question in an earlier version, here of a page of kind content",
    };
    const kinds = await keyKindsOf(db(), id);
    expect(await lintFile(document, kinds)).toContainEqual({ severity: "error", code: "reused_key", ...problem });
    expect(await lintFile(sampleQuiz(), kinds)).toEqual(await lintFile(sampleQuiz()));
    await expect(take({ document, quizId: id, publish: true })).rejects.toThrow(
      `the quiz cannot be published: ${problem.path} ${problem.message}`,
    );
    expect(await take({ document, quizId: id })).toEqual({ quiz_id: id, version_id: null, problems: [problem] });
    expect(await take({ document, publish: true })).not.toHaveProperty("problems");
  });
});

describe("quizstore quiz ai-run", () => {
  it("lasts ten minutes, is renewed by another start, and ends [quizzes.ai-lease]", async () => {
    const { id } = await makeQuiz(t, store);
    const before = await get(id);
    const iso = (minutes: number) => new Date(t.calendar.now() + minutes * 60_000).toISOString();
    const begun = iso(0);
    expect(await start(id)).toEqual({ quiz_id: id, started_at: begun, expires_at: iso(10) });
    t.calendar.advance(60_000);
    expect(await start(id)).toEqual({ quiz_id: id, started_at: begun, expires_at: iso(10) });
    t.calendar.advance(10 * 60_000);
    expect(await start(id)).toEqual({ quiz_id: id, started_at: iso(0), expires_at: iso(10) });
    expect(await end(id)).toEqual({ quiz_id: id });
    expect(await end(id)).toEqual({ quiz_id: id });
    expect(await start(id)).toMatchObject({ started_at: iso(0) });
    expect(await get(id)).toEqual(before);
  });
});

describe("what other slices ask of quizzes", () => {
  it("reads the live version of a store's quiz [quizzes.publish]", async () => {
    const { id, uuid, versionId } = await makeQuiz(t, store, { name: "Routine", publish: true });
    await t.request("POST", `/v1/quizzes/${id}/archive`, { key: store.key });
    expect(await liveVersion(db().forStore(store.uuid), uuid)).toEqual({
      quiz_id: id,
      name: "Routine",
      version_id: versionId,
      version_number: 1,
      document: sampleQuiz(),
    });
    expect(await liveVersion(db().forStore(other.uuid), uuid)).toBeNull();
    const draft = await makeQuiz(t, store);
    expect(await liveVersion(db().forStore(store.uuid), draft.uuid)).toBeNull();
  });

  it("names a store's quizzes", async () => {
    const one = await makeQuiz(t, store, { name: "One" });
    const foreign = await makeQuiz(t, other, { name: "Foreign" });
    expect(await quizNames(db().forStore(store.uuid), [one.uuid, foreign.uuid])).toEqual(new Map([[one.uuid, "One"]]));
    expect(await quizNames(db().forStore(store.uuid), [])).toEqual(new Map());
  });
});
