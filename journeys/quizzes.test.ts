import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { brokenQuiz, emptyQuiz, fullQuiz, openEndedQuiz, shortQuiz, shortQuizLater } from "./documents.ts";
import {
  type Client,
  type ListOf,
  type PersonDetail,
  pagesOf,
  type QuizSummary,
  request,
  type VersionSummary,
} from "./http.ts";
import { command, type Place, run } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { type Imported, importQuiz, newKey, openShop, openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { Visit } from "./visit.ts";

/** A shop's integrator works on its quizzes through the nine routes. */

let program: Place;
let shop: Shop;
let api: Client;
let full: Imported;

beforeAll(async () => {
  program = await sharedProgram();
  ({ shop, api } = await openShopWithKey(program));
}, 120_000);

const draft = (document: unknown, name: string, ...more: string[]): Promise<Imported> =>
  importQuiz(program.data, shop.store_id, document, "--name", name, ...more);

const read = async (quiz: string): Promise<QuizSummary & Record<string, unknown>> => {
  const answer = await api.get<QuizSummary & Record<string, unknown>>(`/v1/quizzes/${quiz}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

const save = async (quiz: string, body: unknown = {}): Promise<VersionSummary> => {
  const answer = await api.post<VersionSummary>(`/v1/quizzes/${quiz}/versions`, body);
  expect(answer.status, answer.text).toBe(201);
  expect(answer.headers.get("location")).toMatch(new RegExp(`/v1/quizzes/${quiz}/versions/${answer.body.id}$`));
  return answer.body;
};

const publish = (quiz: string, version: string) =>
  api.post<QuizSummary>(`/v1/quizzes/${quiz}/versions/${version}/publish`);

const list = async (query = ""): Promise<string[]> =>
  (await pagesOf<QuizSummary>(api, `/v1/quizzes?limit=100${query}`)).flat().map(({ id }) => id);

const served = async (quiz: string): Promise<number> =>
  (await request(`${program.url}/storefront/v1/quizzes/${quiz}?store=${shop.publishable_key}`)).status;

describe("a draft becomes a published quiz", () => {
  let quiz: string;
  let first: VersionSummary;
  let second: VersionSummary;

  beforeAll(async () => {
    quiz = (await draft(shortQuiz, "Rise")).quiz_id;
  });

  it("is a draft at first: no version, not served [quizzes.summary]", async () => {
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const summary = await read(quiz);
    expect(summary).toMatchObject({
      ...{ id: quiz, name: "Rise", status: "draft", archived: false, page_count: 3 },
      ...{ created_at: time, updated_at: time, definition_version: null, dimensions: [], jump_rules: [], formulas: [] },
    });
    expect(Object.keys(summary)).not.toContain("published_version");
    expect(Object.keys(summary)).not.toContain("latest_version");
    expect(Object.keys(summary.urls).sort()).toEqual(["dashboard", "self", "versions"]);
    expect(summary.urls["self"]).toMatch(new RegExp(`^https?://[^/]+/v1/quizzes/${quiz}$`));
    expect(summary.urls["versions"]).toBe(`${summary.urls["self"]}/versions`);
    expect(summary.urls["dashboard"]).toMatch(new RegExp(`/dashboard/quizzes/${quiz}$`));
    const page = await request(summary.urls["dashboard"] ?? "");
    expect([page.status, page.text.includes("Rise")]).toEqual([200, false]);
    expect(await served(quiz)).toBe(404);
    expect((await api.get<ListOf<VersionSummary>>(`/v1/quizzes/${quiz}/versions`)).body).toEqual({
      ...{ data: [], has_more: false, next_cursor: null },
    });
  });

  it("is saved as numbered versions, each time another [quizzes.versions, quizzes.version-numbers]", async () => {
    first = await save(quiz);
    const label = "é".repeat(200);
    second = await save(quiz, { label });
    const common = { quiz_id: quiz, page_count: 3, published: false, created_at: expect.any(String) };
    expect(first).toEqual({ id: expect.stringMatching(/^ver_[0-9a-f]{32}$/), number: 1, label: null, ...common });
    expect(second).toEqual({ id: expect.stringMatching(/^ver_[0-9a-f]{32}$/), number: 2, label, ...common });
    expect((await api.get(`/v1/quizzes/${quiz}/versions/${first.id}`)).body).toEqual(first);
    expect((await api.get<ListOf<unknown>>(`/v1/quizzes/${quiz}/versions`)).body.data).toEqual([second, first]);
    expect((await read(quiz)).status).toBe("draft");
    expect((await read(quiz))["definition_version"]).toBe(second.id);
    expect(await served(quiz)).toBe(404);
  });

  it("refuses labels that are none [quizzes.versions]", async () => {
    for (const label of ["a".repeat(201), 7, ["x"]]) {
      const answer = await api.post(`/v1/quizzes/${quiz}/versions`, { label });
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, "body.label"]);
    }
    const more = await api.post(`/v1/quizzes/${quiz}/versions`, { label: "x", lable: "y" });
    expect([more.status, more.body.errors?.map(({ field }) => field)]).toEqual([422, ["body.lable"]]);
  });

  it("goes live with a version, and another replaces it [quizzes.publish]", async () => {
    const published = await publish(quiz, first.id);
    expect(published.status).toBe(200);
    expect(published.body).toMatchObject({
      id: quiz,
      status: "published",
      published_version: first.id,
      archived: false,
    });
    expect(await served(quiz)).toBe(200);
    expect((await publish(quiz, second.id)).body.published_version).toBe(second.id);
    const versions = (await api.get<ListOf<VersionSummary>>(`/v1/quizzes/${quiz}/versions`)).body.data;
    expect(versions.map(({ number, published: live }) => [number, live])).toEqual([
      [2, true],
      [1, false],
    ]);
    const third = await save(quiz);
    expect(await read(quiz)).toMatchObject({ status: "published", definition_version: second.id });
    expect(third.number).toBe(3);
  });

  it("changes nothing when the live version is published again [quizzes.no-change]", async () => {
    const before = await read(quiz);
    expect((await publish(quiz, second.id)).status).toBe(200);
    expect(await read(quiz)).toEqual(before);
    const history = JSON.stringify(await command<unknown>(program.data, "quiz", "history", quiz));
    expect(history.split('"published"').length - 1).toBe(2);
  });

  it("is served all the same when archived [quizzes.archive, quizzes.publish]", async () => {
    const archived = await api.post<QuizSummary>(`/v1/quizzes/${quiz}/archive`);
    expect([archived.status, archived.body.archived, archived.body.status]).toEqual([200, true, "published"]);
    expect(await served(quiz)).toBe(200);
    const again = await api.post<QuizSummary>(`/v1/quizzes/${quiz}/archive`);
    expect([again.status, again.body]).toEqual([200, archived.body]);
    expect(await list("&archived=true")).toEqual([quiz]);
    expect(await list("&archived=false")).not.toContain(quiz);
    expect(await list()).toContain(quiz);
    const back = await api.post<QuizSummary>(`/v1/quizzes/${quiz}/unarchive`);
    expect([back.status, back.body.archived, back.body.status]).toEqual([200, false, "published"]);
    expect(Date.parse(back.body.updated_at)).toBeGreaterThanOrEqual(Date.parse(archived.body.updated_at));
    expect((await api.post<QuizSummary>(`/v1/quizzes/${quiz}/unarchive`)).body).toEqual(back.body);
  });

  it("is gone for every reader once deleted, and deleted once [quizzes.delete]", async () => {
    const gone = await api.delete<QuizSummary>(`/v1/quizzes/${quiz}`);
    expect([gone.status, gone.body.id, gone.body.status]).toEqual([200, quiz, "deleted"]);
    const asked: [string, string][] = [
      ...[
        ["DELETE", ""],
        ["GET", ""],
        ["POST", "/archive"],
        ["POST", "/unarchive"],
        ["GET", "/versions"],
      ],
      ...[
        ["POST", "/versions"],
        ["GET", `/versions/${first.id}`],
        ["POST", `/versions/${first.id}/publish`],
      ],
    ] as [string, string][];
    for (const [method, path] of asked) {
      const answer = await api.ask(method, `/v1/quizzes/${quiz}${path}`);
      expect([method, path, answer.status, answer.body.title]).toEqual([method, path, 404, "not_found"]);
    }
    expect(await list()).not.toContain(quiz);
    expect(await list("&status=published")).not.toContain(quiz);
    expect(await served(quiz)).toBe(404);
  });
});

describe("the list and its quizzes", () => {
  let a: Imported;
  let b: Imported;
  let c: Imported;

  it("is newest first, by status and archive, with the latest version when asked [quizzes.list]", async () => {
    a = await draft(shortQuiz, "A");
    b = await draft(openEndedQuiz, "B", "--publish");
    c = await draft(emptyQuiz, "C");
    const saved = await save(a.quiz_id, { label: "kept" });
    const all = await list();
    expect(all.slice(0, 3)).toEqual([c.quiz_id, b.quiz_id, a.quiz_id]);
    expect(await list("&status=published")).toEqual([b.quiz_id]);
    expect(await list("&status=draft&archived=false")).toEqual([c.quiz_id, a.quiz_id]);
    expect(await list("&status=published&archived=true")).toEqual([]);
    const { body } = await api.get<ListOf<QuizSummary>>("/v1/quizzes?include=latest_version&limit=3");
    expect(body.data.map((quiz) => quiz.latest_version?.id)).toEqual([undefined, b.version_id, saved.id]);
    expect(body.data[2]?.latest_version).toEqual(saved);
    expect(body.data.map((quiz) => quiz.page_count)).toEqual([0, 2, 3]);
    const plain = (await api.get<ListOf<QuizSummary>>("/v1/quizzes?limit=3")).body.data;
    expect(plain.some((quiz) => "latest_version" in quiz)).toBe(false);
    const { latest_version: _latest, ...summary } = body.data[1] as QuizSummary;
    const detail = await read(b.quiz_id);
    for (const [key, value] of Object.entries(summary)) expect(detail[key]).toEqual(value);
    for (const limit of [1, 2]) {
      const pages = await pagesOf<QuizSummary>(api, `/v1/quizzes?limit=${limit}`);
      expect(pages.flat().map(({ id }) => id)).toEqual(all);
    }
  });

  it("refuses what it does not know [api.parameters]", async () => {
    const refused: [string, string][] = [
      ...[
        ["status=deleted", "query.status"],
        ["archived=1", "query.archived"],
        ["include=pages", "query.include"],
      ],
      ...[
        ["limit=0x10", "query.limit"],
        ["limit=1e1", "query.limit"],
        ["limit=%205", "query.limit"],
      ],
      ...[
        ["limit=5&limit=6", "query.limit"],
        ["q=x", "query.q"],
        ["limit=", "query.limit"],
        ["limit=5.0", "query.limit"],
      ],
    ] as [string, string][];
    for (const [query, field] of refused) {
      const answer = await api.get(`/v1/quizzes?${query}`);
      expect([query, answer.status, answer.body.errors?.map((error) => error.field)]).toEqual([query, 422, [field]]);
    }
  });
  it("publishing a version without pages is a conflict [quizzes.pages-to-publish]", async () => {
    const { quiz_id } = c;
    const version = await save(quiz_id);
    expect(version.page_count).toBe(0);
    const answer = await publish(quiz_id, version.id);
    expect([answer.status, answer.body]).toMatchObject([409, { title: "conflict", status: 409 }]);
    expect((await read(quiz_id)).status).toBe("draft");
  });

  it("an invalid draft is kept but never saved as a version [quizzes.valid-version]", async () => {
    const { quiz_id } = await draft(brokenQuiz, "Broken");
    const answer = await api.post(`/v1/quizzes/${quiz_id}/versions`, {});
    expect([answer.status, answer.body.title]).toEqual([422, "validation_error"]);
    expect(answer.body.errors?.length).toBeGreaterThan(0);
    for (const { field } of answer.body.errors ?? []) expect(field).toMatch(/^draft\.jump_rules\b/);
    expect((await api.get<ListOf<unknown>>(`/v1/quizzes/${quiz_id}/versions`)).body.data).toEqual([]);
  });

  it("the assistant's run holds archive, unarchive, save and publish, not reading and deleting [quizzes.ai-run]", async () => {
    const { quiz_id } = a;
    const version = await save(quiz_id);
    await command(program.data, "quiz", "ai-run", "start", quiz_id);
    const before = await read(quiz_id);
    for (const path of ["archive", "unarchive", "versions", `versions/${version.id}/publish`]) {
      const answer = await api.post(`/v1/quizzes/${quiz_id}/${path}`);
      expect([path, answer.status, answer.body.title]).toEqual([path, 409, "ai_run_in_progress"]);
    }
    expect(await read(quiz_id)).toEqual(before);
    await command(program.data, "quiz", "ai-run", "end", quiz_id);
    expect((await api.post(`/v1/quizzes/${quiz_id}/archive`)).status).toBe(200);
    await command(program.data, "quiz", "ai-run", "start", quiz_id);
    expect((await api.delete(`/v1/quizzes/${quiz_id}`)).status).toBe(200);
  });

  it("another quiz's version is not found [api.not-found]", async () => {
    const [one, two] = [c, b];
    const version = await save(two.quiz_id);
    expect((await api.get(`/v1/quizzes/${one.quiz_id}/versions/${version.id}`)).status).toBe(404);
    expect((await publish(one.quiz_id, version.id)).status).toBe(404);
    expect((await api.get(`/v1/quizzes/${two.quiz_id}/versions/${two.quiz_id}`)).status).toBe(404);
  });
});

describe("what a document says", () => {
  it("is told with every key that a search term needs [quizzes.one-quiz]", async () => {
    full = await draft(fullQuiz, "Full", "--publish");
    const { quiz_id, version_id } = full;
    const told = await read(quiz_id);
    expect(told).toMatchObject({ definition_version: version_id, page_count: 7, dimensions: fullQuiz.dimensions });
    expect(told["jump_rules"]).toEqual([
      { jump_rule_key: "normal_rule", source_page_key: "skin_page", target_page_key: "contact", removed: false },
    ]);
    expect(told["formulas"]).toEqual([
      { component_key: "dose", page_key: "about_page", label: "Dose", removed: false },
      { component_key: "share", page_key: "about_page", label: "Share", removed: false },
    ]);
    const pages = told["pages"] as { page_key: string; position: number; kind: string; components: unknown[] }[];
    expect(pages.map(({ page_key, position, kind }) => [page_key, position, kind])).toEqual(
      fullQuiz.pages.map((page, index) => [page["page_key"], index + 1, page["kind"]]),
    );
    const options = [
      { option_id: "matte", label: "Label of matte", image_url: "https://img.example/matte.png", removed: false },
      { option_id: "dewy", label: "Label of dewy", image_url: null, removed: false },
    ];
    const look = { component_key: "look", kind: "image", question: "Question look?", required: false, options };
    expect(pages[2]?.components).toMatchObject([look]);
  });

  it("marks removed keys and words them as the newest version that had them [quizzes.removed-keys]", async () => {
    const live = await publishQuiz(program, shop, shortQuiz, "Changing");
    const v = new Visit(live);
    const contact = [
      v.wrote("contact", "mail", "old.keys@example.com"),
      v.wrote("contact", "mail2", "second@example.com"),
    ];
    await v.send(v.opened(), v.chose("first", "pick", "two"), ...contact, v.entered("result"), v.finished("result"));
    await publishQuiz(program, shop, shortQuizLater, "Changing", "--quiz", live.quiz_id);
    const told = await read(live.quiz_id);
    type Component = { component_key: string; options?: unknown[] };
    const pages = told["pages"] as { page_key: string; title: string; components: Component[] }[];
    const pick = pages.find(({ page_key }) => page_key === "first")?.components[0];
    const option = (option_id: string, removed: boolean) => ({
      ...{ option_id, label: `Label of ${option_id}`, image_url: null, removed },
    });
    expect(pick?.options).toHaveLength(3);
    expect(pick?.options).toEqual(
      expect.arrayContaining([option("one", false), option("three", false), option("two", true)]),
    );
    const [found] = (await api.get<ListOf<{ id: string }>>("/v1/profiles?q=old.keys")).body.data;
    const person = (await api.get<PersonDetail>(`/v1/profiles/${found?.id}`)).body;
    const removed = person.latest_results[0]?.answers.map((answer) => [answer.component_key, answer.removed]);
    expect(removed).toContainEqual(["mail2", true]);
    expect(removed).toContainEqual(["pick", false]);
    expect(person.latest_results[0]?.answers[0]?.values).toEqual(["Label of two"]);
    expect(person.sessions[0]).toMatchObject({ version_number: 1, page_count: 3, last_page_title: "Title of result" });
  });
});

describe("the command line beside the API", () => {
  it("tells who saved and published what [quizzes.history]", async () => {
    const { quiz_id } = full;
    const { key } = await newKey(
      program.data,
      shop.store_id,
      ["quizzes:write", "quizzes:publish"],
      "--admin",
      "ann@shop.example",
    );
    const path = `${program.url}/v1/quizzes/${quiz_id}/versions`;
    const headers = { authorization: `Bearer ${key}` };
    const saved = await request<VersionSummary>(path, { method: "POST", headers });
    const published = await request(`${path}/${saved.body.id}/publish`, { method: "POST", headers });
    expect([saved.status, published.status]).toEqual([201, 200]);
    const history = await command<Record<string, unknown>[]>(program.data, "quiz", "history", quiz_id);
    const byAnn = history.filter((entry) => JSON.stringify(entry).includes("ann@shop.example"));
    expect(byAnn).toHaveLength(2);
    for (const entry of byAnn) expect(JSON.stringify(entry)).toContain(saved.body.id);
    expect(history.length).toBeGreaterThanOrEqual(4);
  });

  it("exports what imports to the same quiz again [quizzes.export, quizzes.import]", async () => {
    const { quiz_id } = full;
    const exported = await run(["quiz", "export", quiz_id, "--data", program.data, "--json"]);
    expect(exported.status, exported.stderr).toBe(0);
    const file = join(program.data, "exported.json");
    await writeFile(file, exported.stdout);
    const other = await openShop(program.data);
    const again = await command<Imported>(program.data, "quiz", "import", file, "--store", other.domain, "--publish");
    const shown = await request<{ document: unknown; name: string }>(
      `${program.url}/storefront/v1/quizzes/${again.quiz_id}?store=${other.publishable_key}`,
    );
    expect([shown.status, shown.body.document]).toEqual([200, fullQuiz]);
  });
});
