import { afterAll, beforeAll, expect, it } from "vitest";
import type { Condition, QuizDocument } from "../../engine/document.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { choice, option, page, quizDocument } from "../../testkit/document-parts.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, finish, opened } from "../../testkit/session-scripts.ts";
import { recently, send, sessionId, visitorId } from "../../testkit/storefront.ts";

/** Results that sessions finished with, from the shopper's request to the figures. */

const documentOf = (name: string): QuizDocument => {
  const skin = ["dry", "oily", ""].map((to, at) =>
    option(`skin_type_${at + 1}`, { points: to === "" ? {} : { [to]: 1 } }),
  );
  const winner = (id: string): Condition => ({ kind: "winner", op: "in", dimension_ids: [id] });
  return quizDocument(
    [
      page("skin", [choice("skin_type", skin, { required: true })]),
      page("dry", [], {
        kind: "result",
        title: "Your dry skin",
        visible_when: winner("dry"),
        outcome: { dimension_id: "dry" },
      }),
      page("oily", [], { kind: "result", title: `Oily${name}`, visible_when: winner("oily") }),
      page("bye", [], { kind: "content" }),
    ],
    {
      dimensions: [
        { dimension_id: "dry", name: `Dry${name}` },
        { dimension_id: "oily", name: "Oily" },
      ],
    },
  );
};

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
let sessions = 0;

/** @param to the page that it finishes on; null: it does not finish */
async function take(taken: TestQuiz, skin: number, to: string | null): Promise<void> {
  sessions += 1;
  const way = [opened({ min: 0 }), enter("skin", "start", { min: 0 }), choose("skin", "skin_type", skin, { min: 1 })];
  const end = to === null ? [] : [enter(to, "next", { min: 2 }), finish(to, { min: 2 })];
  const events = recently(t, [...way, ...end], { firstId: sessions * 100 });
  const session = { id: sessionId(sessions), visitor_id: visitorId(sessions) };
  expect((await send(t, store, taken, events, { session })).status).toBe(202);
}

beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: documentOf(""), publish: true });
  for (const _ of [1, 2, 3]) await take(quiz, 1, "dry");
  for (const _ of [1, 2]) await take(quiz, 2, "oily");
  await take(quiz, 3, "bye");
});
afterAll(() => t.close());

async function rows(path: string): Promise<unknown[]> {
  const { status, body } = await t.request("GET", `${path}/breakdown?by=outcome`, { key: store.key });
  expect([status, body.by]).toEqual([200, "outcome"]);
  return body.rows.map((row: Record<string, unknown>) => [row["value"], row["name"], row["views"], row["completions"]]);
}

it("splits by what sessions finished with: a dimension, a page or nothing, with names [figures.outcomes]", async () => {
  expect(await rows(`/v1/quizzes/${quiz.id}/analytics`)).toEqual([
    ["dry", "Dry", 3, 3],
    ["page:oily", "Oily", 2, 2],
    ["none", "No result", 1, 1],
  ]);
});

it("counts sessions that did not finish under none, and sums up the store's quizzes [figures.outcomes]", async () => {
  t.calendar.advance(60_000);
  const other = await makeQuiz(t, store, { document: documentOf(" of another"), publish: true });
  await take(other, 1, "dry");
  await take(other, 1, null);
  expect(await rows("/v1/analytics")).toEqual([
    ["dry", "Dry of another", 4, 4],
    ["none", "No result", 2, 1],
    ["page:oily", "Oily of another", 2, 2],
  ]);
  expect(await rows(`/v1/quizzes/${other.id}/analytics`)).toEqual([
    ["dry", "Dry of another", 1, 1],
    ["none", "No result", 1, 0],
  ]);
});

it("names results as the newest version does that a shopper opened [figures.outcomes]", async () => {
  const edited = await makeQuiz(t, store, { document: documentOf(""), publish: true });
  await take(edited, 1, "dry");
  const second = await makeQuiz(t, store, { document: documentOf(" (new)"), publish: true, quizId: edited.id });
  await take(second, 3, null);
  expect(await rows(`/v1/quizzes/${edited.id}/analytics`)).toEqual([
    ["dry", "Dry (new)", 1, 1],
    ["none", "No result", 1, 0],
  ]);
});
