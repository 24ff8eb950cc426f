import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

const get = (id: string) => t.request("GET", `/v1/quizzes/${id}`, { key: store.key });
const save = async (id: string) => (await t.request("POST", `/v1/quizzes/${id}/versions`, { key: store.key })).body.id;
const publish = (id: string, version: string) =>
  t.request("POST", `/v1/quizzes/${id}/versions/${version}/publish`, { key: store.key });

describe("GET /v1/quizzes/{quiz_id}", () => {
  it("answers the summary and every key that a search or a question needs [quizzes.one-quiz]", async () => {
    const { id, versionId } = await makeQuiz(t, store, { publish: true });
    const answer = await get(id);
    expect(answer.status).toBe(200);
    const listed = (await t.request("GET", "/v1/quizzes?limit=1", { key: store.key })).body.data[0];
    const option = (option_id: string, label: string) => ({ option_id, label, image_url: null, removed: false });
    const question = (
      component_key: string,
      kind: string,
      text: string,
      required: boolean,
      options: object[] = [],
    ) => ({
      component_key,
      kind,
      question: text,
      required,
      removed: false,
      options,
    });
    const page = (page_key: string, title: string, kind: string, position: number, components: object[]) => ({
      page_key,
      title,
      kind,
      position,
      removed: false,
      components,
    });
    expect(answer.body).toEqual({
      ...listed,
      definition_version: versionId,
      pages: [
        page("skin", "Your skin", "question", 1, [
          question("feel", "choice", "How does your skin feel?", true, [
            option("dry", "Dry"),
            option("oily", "Oily"),
            option("fine", "Fine"),
          ]),
        ]),
        page("oil", "About oil", "question", 2, [
          question("spots", "choice", "Where?", true, [option("nose", "Nose"), option("chin", "Chin")]),
        ]),
        page("you", "You", "question", 3, [
          question("age", "number", "Age?", false),
          question("since", "date", "Since when?", false),
          question("email", "email", "Email?", false),
        ]),
        page("result", "For you", "result", 4, []),
      ],
      jump_rules: [{ jump_rule_key: "young", source_page_key: "skin", target_page_key: "result", removed: false }],
      dimensions: [
        { dimension_id: "hydrate", name: "Hydration", removed: false },
        { dimension_id: "clear", name: "Clarity", removed: false },
      ],
      formulas: [{ component_key: "left", page_key: "you", label: "Years to 100", removed: false }],
    });
  });

  it("describes the draft, then the latest saved version, then the live one [quizzes.described-version]", async () => {
    const titled = (title: string) => {
      const document = sampleQuiz();
      document.pages[0]!.title = title;
      return document;
    };
    const { id } = await makeQuiz(t, store, { document: titled("first") });
    const shown = async () => {
      const { definition_version: version, pages, page_count: count } = (await get(id)).body;
      return [version, pages[0].title, count];
    };
    expect(await shown()).toEqual([null, "first", 4]);
    const first = await save(id);
    await makeQuiz(t, store, {
      quizId: id,
      document: { ...titled("second"), pages: titled("second").pages.slice(0, 3), jump_rules: [] },
    });
    expect(await shown()).toEqual([first, "first", 3]);
    const second = await save(id);
    expect(await shown()).toEqual([second, "second", 3]);
    await publish(id, first);
    expect(await shown()).toEqual([first, "first", 3]);
    await publish(id, second);
    expect(await shown()).toEqual([second, "second", 3]);
  });

  it("lists what earlier versions had as removed, with the newest version's words [quizzes.removed-keys]", async () => {
    const { id } = await makeQuiz(t, store, { publish: true });
    const renamed = sampleQuiz();
    renamed.pages[1]!.title = "About oil, again";
    await makeQuiz(t, store, { quizId: id, document: renamed, publish: true });
    const smaller = sampleQuiz();
    smaller.pages.splice(1, 1);
    const [skin, you] = smaller.pages;
    if (skin?.components[0]?.kind === "choice") skin.components[0].options.splice(1, 1);
    you!.components.splice(1, 1);
    await makeQuiz(t, store, { quizId: id, document: smaller, publish: true });
    const { pages } = (await get(id)).body;
    const keys = (page: { page_key: string; position: number | null; removed: boolean; title: string }) => [
      page.page_key,
      page.position,
      page.removed,
      page.title,
    ];
    expect(pages.map(keys)).toEqual([
      ["skin", 1, false, "Your skin"],
      ["you", 2, false, "You"],
      ["result", 3, false, "For you"],
      ["oil", null, true, "About oil, again"],
    ]);
    expect(pages[0].components[0]).toMatchObject({
      removed: false,
      options: [
        { option_id: "dry", removed: false },
        { option_id: "fine", removed: false },
        { option_id: "oily", label: "Oily", removed: true },
      ],
    });
    expect(
      pages[1].components.map((each: { component_key: string; removed: boolean }) => [
        each.component_key,
        each.removed,
      ]),
    ).toEqual([
      ["age", false],
      ["email", false],
      ["since", true],
    ]);
    expect(pages[3].components).toMatchObject([
      { component_key: "spots", removed: true, question: "Where?", options: [{ removed: true }, { removed: true }] },
    ]);
  });

  /** The sample quiz, and one with more of everything. */
  const more = () => {
    const document = sampleQuiz();
    const [skin, , you] = document.pages;
    if (skin?.components[0]?.kind === "choice") {
      skin.components[0].options.push({ option_id: "new", label: "New", image_url: null, points: {} });
    }
    you?.components.push({ kind: "formula", component_key: "double", label: "Twice", expression: "age * 2" });
    you?.components.push({ kind: "text", component_key: "note", question: "Note?", required: false, max_length: 9 });
    document.pages.splice(1, 0, { ...document.pages[1]!, page_key: "extra", components: [] });
    document.dimensions.push({ dimension_id: "calm", name: "Calm" });
    document.jump_rules.push({ ...document.jump_rules[0]!, jump_rule_key: "late" });
    return document;
  };
  const removedKeys = (body: Body) => ({
    pages: body.pages.filter(({ removed }: Body) => removed).map((page: Body) => page.page_key),
    components: body.pages
      .flatMap((page: Body) => page.components)
      .flatMap((each: Body) => [
        ...(each.removed ? [each.component_key] : []),
        ...each.options.filter(({ removed }: Body) => removed).map((option: Body) => option.option_id),
      ]),
    rules: body.jump_rules.filter(({ removed }: Body) => removed).map((rule: Body) => rule.jump_rule_key),
    dimensions: body.dimensions.filter(({ removed }: Body) => removed),
    formulas: body.formulas.filter(({ removed }: Body) => removed),
  });
  const onlyInMore = {
    pages: ["extra"],
    components: ["new", "note"],
    rules: ["late"],
    dimensions: [{ dimension_id: "calm", name: "Calm", removed: true }],
    formulas: [{ component_key: "double", page_key: "you", label: "Twice", removed: true }],
  };

  it("lists every key of later versions too, once an earlier one is published again [quizzes.removed-keys]", async () => {
    const { id, versionId: first } = await makeQuiz(t, store, { publish: true });
    const nothing = { pages: [], components: [], rules: [], dimensions: [], formulas: [] };
    expect(removedKeys((await get(id)).body)).toEqual(nothing);
    await makeQuiz(t, store, { quizId: id, document: more(), publish: true });
    expect(removedKeys((await get(id)).body)).toEqual(nothing);
    await publish(id, first);
    expect(removedKeys((await get(id)).body)).toEqual(onlyInMore);
    // a version that is saved and never published adds what it has, and takes nothing away
    await makeQuiz(t, store, { quizId: id, document: sampleQuiz() });
    await save(id);
    expect(removedKeys((await get(id)).body)).toEqual(onlyInMore);
  });

  it("lists removed rules, dimensions and formulas, of versions too that an older program saved [quizzes.removed-keys]", async () => {
    const { id } = await makeQuiz(t, store, { document: more(), publish: true });
    await makeQuiz(t, store, { quizId: id, publish: true });
    await t.database.transaction((tx) =>
      tx
        .forStore(store.uuid)
        .all(
          sql`UPDATE quiz_versions SET earlier_keys = NULL WHERE store_id = ${ownStore} AND quiz_id = ${parseId("quiz", id)}`,
        ),
    );
    expect(removedKeys((await get(id)).body)).toEqual(onlyInMore);
    await save(id);
    expect(removedKeys((await get(id)).body)).toEqual(onlyInMore);
  });

  it("reads a quiz whose draft is not valid [quizzes.one-quiz]", async () => {
    const document = {
      pages: [{ page_key: "a", components: [{ kind: "choice", component_key: "q", options: [7] }] }, 3],
    };
    const { id } = await makeQuiz(t, store, { document });
    const answer = await get(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      page_count: 2,
      definition_version: null,
      pages: [{ page_key: "a", title: "", components: [{ component_key: "q", options: [] }] }],
    });
  });

  it("reads a version's document once (speed)", async () => {
    const { id } = await makeQuiz(t, store, { publish: true });
    const first = await get(id);
    await t.database.transaction((tx) =>
      tx.forStore(store.uuid).all(sql`UPDATE quiz_versions SET document = '{}' WHERE store_id = ${ownStore}`),
    );
    expect((await get(id)).body).toEqual(first.body);
  });
});
