import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Page, QuestionComponent, QuizDocument } from "../../engine/document.ts";
import { arbitraryDocument } from "../../testkit/documents.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";
import { definitionOf as fullDefinitionOf } from "./definition.ts";
import { noKeys } from "./keys.ts";
import { outlineOf, type PageOutline, withRemoved } from "./outline.ts";

const definitionOf = (document: unknown, pages: PageOutline[]) => fullDefinitionOf(document, { pages, keys: noKeys });

/** What addVersion keeps beside each version: the outline of everything before it. */
const earlierOf = (before: readonly QuizDocument[]): PageOutline[] =>
  before.reduce<PageOutline[]>((earlier, document) => withRemoved(outlineOf(document), earlier), []);

const isQuestion = (component: Page["components"][number]): component is QuestionComponent =>
  !["formula", "content", "products"].includes(component.kind);

type Found = Map<string, { page: Page; question: QuestionComponent }>;
function questionsOf(document: QuizDocument): Found {
  const found: Found = new Map();
  for (const page of document.pages)
    for (const question of page.components.filter(isQuestion)) found.set(question.component_key, { page, question });
  return found;
}
const optionsOf = (question: QuestionComponent | undefined) =>
  question && "options" in question ? question.options : [];

/** Every removed key by asking each version, the newest first: slow and plain. */
function naiveRemoved(versions: readonly QuizDocument[]) {
  const current = versions.at(-1)!;
  const older = versions.slice(0, -1).reverse();
  const facts: string[] = [];
  const say = (...parts: unknown[]) => void facts.push(JSON.stringify(parts));
  for (const key of new Set(older.flatMap(({ pages }) => pages.map((page) => page.page_key)))) {
    if (current.pages.some((page) => page.page_key === key)) continue;
    const newest = older.flatMap(({ pages }) => pages).find((page) => page.page_key === key)!;
    say("page", key, newest.title, newest.kind);
  }
  for (const key of new Set(older.flatMap((document) => [...questionsOf(document).keys()]))) {
    const newest = older.map((document) => questionsOf(document).get(key)).find((found) => found)!;
    const now = questionsOf(current).get(key);
    if (!now)
      say(
        "question",
        key,
        newest.page.page_key,
        newest.question.question,
        newest.question.kind,
        newest.question.required,
      );
    const allOptions = older.flatMap((document) => optionsOf(questionsOf(document).get(key)?.question));
    for (const id of new Set(allOptions.map((option) => option.option_id))) {
      if (optionsOf(now?.question).some((option) => option.option_id === id)) continue;
      const { label, image_url } = allOptions.find((option) => option.option_id === id)!;
      say("option", key, id, label, image_url);
    }
  }
  return facts.sort();
}

function listedRemoved(pages: readonly PageOutline[]) {
  const facts: string[] = [];
  const say = (...parts: unknown[]) => void facts.push(JSON.stringify(parts));
  for (const page of pages) {
    if (page.removed) say("page", page.page_key, page.title, page.kind);
    for (const each of page.components) {
      const { component_key: key } = each;
      if (each.removed) say("question", key, page.page_key, each.question, each.kind, each.required);
      for (const option of each.options)
        if (option.removed) say("option", key, option.option_id, option.label, option.image_url);
    }
  }
  return facts.sort();
}

/** Versions as an editor makes them: pages, questions and options come, go, move and are renamed, a few keys in all. */
const arbitraryVersions = fc
  .tuple(
    arbitraryDocument(),
    arbitraryDocument(),
    fc.array(fc.infiniteStream(fc.nat(99)), { minLength: 1, maxLength: 6 }),
  )
  .map(([one, other, edits]) =>
    edits.map((stream, number) => {
      const draw = () => stream.next().value as number;
      const document = structuredClone(draw() < 70 ? one : other);
      document.pages = document.pages.filter(() => draw() < 75);
      for (const page of document.pages) {
        if (draw() < 30) page.title += ` (${number})`;
        page.components = page.components.filter(() => draw() < 75);
        for (const each of page.components) {
          if (isQuestion(each) && draw() < 30) each.question += ` (${number})`;
          if ("options" in each) each.options = each.options.filter(() => draw() < 75);
        }
      }
      const [first, second] = document.pages;
      const moved = first && second && draw() < 30 ? first.components.shift() : undefined;
      if (moved) second?.components.push(moved);
      return document;
    }),
  );

describe("what earlier versions had", () => {
  it("lists every removed key once, as the newest version that had it had it [quizzes.removed-keys]", () => {
    fc.assert(
      fc.property(arbitraryVersions, (versions) => {
        const { pages } = definitionOf(versions.at(-1), earlierOf(versions.slice(0, -1)));
        expect(listedRemoved(pages)).toEqual(naiveRemoved(versions));
      }),
      { numRuns: 400 },
    );
  });

  it("lists the present version's keys first, in its order, as they are in it [quizzes.one-quiz, quizzes.removed-keys]", () => {
    fc.assert(
      fc.property(arbitraryVersions, (versions) => {
        const { pages } = definitionOf(versions.at(-1), earlierOf(versions.slice(0, -1)));
        const present = pages.slice(0, versions.at(-1)!.pages.length).map((page) => ({
          ...page,
          components: page.components
            .filter((each) => !each.removed)
            .map((each) => ({ ...each, options: each.options.filter((option) => !option.removed) })),
        }));
        expect(present).toEqual(outlineOf(versions.at(-1)));
        expect(present.map((page) => page.position)).toEqual(present.map((_, index) => index + 1));
        expect(pages.slice(present.length).every((page) => page.removed && page.position === null)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("reads whatever is in an invalid draft, and never fails [quizzes.one-quiz]", () => {
    const text = fc.constantFrom("pages", "page_key", "components", "component_key", "options", "kind", "choice");
    const junk = fc.jsonValue({ maxDepth: 4 });
    const tree = fc.dictionary(text, fc.oneof(junk, fc.array(fc.dictionary(text, fc.oneof(text, fc.array(junk))))));
    fc.assert(
      fc.property(fc.oneof(junk, tree), (draft) => {
        expect(Array.isArray(definitionOf(draft, []).pages)).toBe(true);
      }),
    );
    const { pages } = sampleQuiz();
    const draft = { pages: ["no page", { title: "no key" }, { ...pages[0], title: 7, kind: "odd" }, pages[2]] };
    const definition = definitionOf(draft, []);
    expect(definition.pages).toMatchObject([
      { page_key: "skin", title: "", kind: "question", position: 1, components: [{ component_key: "feel" }] },
      { page_key: "you", position: 2 },
    ]);
    expect(definition.formulas).toEqual([
      { component_key: "left", page_key: "you", label: "Years to 100", removed: false },
    ]);
  });
});
