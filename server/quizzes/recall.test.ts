import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { choice, email, option, page, quizDocument, text } from "../../testkit/document-parts.ts";
import type { ScriptedEvent } from "../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { enter, finish, opened, say } from "../../testkit/session-scripts.ts";
import { recently, send } from "../../testkit/storefront.ts";

/** Texts that recall something, wherever they are read outside of the player. */

const document = quizDocument(
  [
    page(
      "start",
      [
        text("name"),
        choice("skin", [option("dry", { label: "Dry, {{answer:name|my friend}}", points: { dry: 1 } })], {
          question: "Your skin, {{answer:name|dear}}?",
        }),
        email("mail"),
      ],
      { title: "Hello {{answer:name|there}}" },
    ),
    page("end", [], { kind: "result", title: "{{winner|Your}} result", headline: "{{points|0}} points" }),
  ],
  { dimensions: [{ dimension_id: "dry", name: "Dry" }] },
);

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
  quiz = await makeQuiz(t, store, { document, publish: true });
  const where = { page_key: "start", component_key: "skin" };
  const skin: ScriptedEvent = { type: "answer_saved", ...where, option_ids: ["dry"], min: 1 };
  const way = [
    opened({ min: 0 }),
    enter("start", "start", { min: 0 }),
    say("start", "name", "Ada", { min: 1 }),
    skin,
    say("start", "mail", "ada@example.com", { min: 1 }),
    enter("end", "next", { min: 2 }),
    finish("end", { min: 2 }),
  ];
  expect((await send(t, store, quiz, recently(t, way))).status).toBe(202);
});
afterAll(() => t.close());

async function read(path: string): Promise<string> {
  const { status, text: body } = await t.request("GET", path, { key: store.key });
  expect([path, status]).toEqual([path, 200]);
  return body;
}

it("have their fallbacks in the API: quiz, figures, people, responses [engine.recall-fallbacks]", async () => {
  const { body: people } = await t.request("GET", "/v1/profiles", { key: store.key });
  const own = `/v1/quizzes/${quiz.id}`;
  const expected: [path: string, ...texts: string[]][] = [
    [own, "Hello there", "Your skin, dear?", "Dry, my friend", "Your result"],
    [`${own}/analytics/funnel`, "Hello there", "Your result"],
    [`${own}/analytics/paths`, "Hello there"],
    [`${own}/analytics/answers?component_key=skin`, "Your skin, dear?", "Dry, my friend"],
    [`${own}/analytics/breakdown?by=outcome`, "Your result"],
    [`/v1/profiles/${people.data[0].id}`, "Your skin, dear?", "Dry, my friend", "Your result"],
  ];
  for (const [path, ...texts] of expected) {
    const body = await read(path);
    for (const one of texts) expect([path, one, body.includes(one)]).toEqual([path, one, true]);
    expect([path, body.includes("{{")]).toEqual([path, false]);
  }
});

it("are searched by with their fallbacks, and only so [engine.recall-fallbacks]", async () => {
  const found = async (label: string): Promise<number> => {
    const skin = { page_key: "start", component_key: "skin", option_labels: [label] };
    const term = { quiz_id: quiz.id, kind: "choice", op: "in", ...skin };
    const body = { groups: [{ all: [term] }] };
    return (await t.request("POST", "/v1/profiles/search", { key: store.key, body })).body.total;
  };
  expect(await found("dry, MY friend")).toBe(1);
  expect(await found("Dry, {{answer:name|my friend}}")).toBe(0);
});

it("keep their placeholders where they are written: documents, drafts, shoppers [engine.recall-fallbacks]", async () => {
  const placeholder = "{{answer:name|my friend}}";
  expect(await read(`/v1/quizzes/${quiz.id}/draft`)).toContain(placeholder);
  const live = await t.request("GET", `/storefront/v1/quizzes/${quiz.id}?store=${store.publishableKey}`, {});
  expect(live.text).toContain(placeholder);
});
