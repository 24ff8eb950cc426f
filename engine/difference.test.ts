import { describe, expect, it } from "vitest";
import {
  choice,
  chosen,
  content,
  jumpWhere,
  number,
  option,
  page,
  pick,
  products,
  quizDocument,
} from "../testkit/document-parts.ts";
import { sampleQuiz } from "../testkit/sample-quiz.ts";
import { conditionInWords, namesOf } from "./condition-words.ts";
import { differenceOf } from "./difference.ts";

const words = (before: unknown, after: unknown) => differenceOf(before, after).map((change) => change.words);

describe("differenceOf", () => {
  it("says nothing of documents that are alike, whatever the order of their fields [editor.difference]", () => {
    const document = sampleQuiz();
    const turned = JSON.parse(JSON.stringify(document), (_, value) =>
      value && typeof value === "object" && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    );
    expect(words(document, turned)).toEqual([]);
  });

  it("names what is new and what is gone [editor.difference]", () => {
    const before = quizDocument([page("a", [number("age")], { title: "You" }), page("b", [])]);
    const after = quizDocument([
      page("a", [content("hello", "<p>Hi <em>you</em></p>")], { title: "You" }),
      page("c", []),
    ]);
    expect(words(before, after)).toEqual([
      'Page "c" was added',
      'Page "b" was removed',
      'Text block "Hi you" was added',
      'Question "age?" was removed',
    ]);
  });

  it("gives each change its field's path, and both values [editor.difference]", () => {
    const after = sampleQuiz();
    after.pages[0]!.title = "Skin";
    const feel = after.pages[0]!.components[0]!;
    if (feel.kind !== "choice") throw new Error("the sample begins with a choice");
    feel.options[0]!.points = { hydrate: 5 };
    expect(differenceOf(sampleQuiz(), after)).toEqual([
      {
        kind: "changed",
        path: "pages.0.title",
        words: 'The title of page "Skin" is now "Skin"; before: "Your skin"',
        before: "Your skin",
        after: "Skin",
      },
      {
        kind: "changed",
        path: "pages.0.components.0.options.0.points.hydrate",
        words: 'Option "Dry" of question "How does your skin feel?" gives "Hydration" 5 points, before 2',
        before: "2",
        after: "5",
      },
    ]);
  });

  it("says of as few things as explain it that they moved [editor.difference]", () => {
    const named = (...keys: string[]) => quizDocument(keys.map((key) => page(key, [])));
    expect(words(named("a", "b", "c", "d"), named("d", "a", "b", "c"))).toEqual(['Page "d" has another place']);
    const one = quizDocument([page("a", [number("age")]), page("b", [])]);
    const other = quizDocument([page("a", []), page("b", [number("age")])]);
    expect(words(one, other)).toEqual(['Question "age?" moved from page "a" to page "b"']);
    // the page that it was on is gone: that says it all
    expect(words(one, quizDocument([page("b", [number("age")])]))).toEqual([
      'Page "a" was removed',
      'Question "age?" moved from page "a" to page "b"',
    ]);
  });

  it("says conditions, jumps, products and looks in words [editor.difference]", () => {
    const before = quizDocument(
      [
        page("a", [choice("kind", [option("x", { label: "Dry" }), option("y", { label: "Oily" })])]),
        page("b", [products("best", [1])]),
      ],
      { jump_rules: [jumpWhere("j", ["a", "b"], "kind", "x")] },
    );
    const after = structuredClone(before);
    after.jump_rules[0]!.when = {
      all: [chosen("kind", "x", "y"), { not: { component_key: "kind", op: "not_answered" } }],
    };
    after.pages[1]!.visible_when = chosen("kind", "y");
    const block = after.pages[1]!.components[0]!;
    if (block.kind === "products" && block.source !== "rules") block.products.push(pick("gid://shopify/Product/2"));
    after.presentation = { theme: { accent: "#112233" }, texts: { next: "On" } };
    expect(words(before, after)).toEqual([
      'The condition of page "b" is now "kind?" is Oily; before: "always"',
      'Product gid://shopify/Product/2 of product block "best" was added',
      'The condition of jump from page "a" to page "b" is now "kind?" is Dry or Oily and not "kind?" is not answered; before: "kind?" is Dry',
      'The theme "accent" of quiz is now "#112233"; before: nothing',
      'The text "next" of quiz is now "On"; before: nothing',
    ]);
  });

  it("says where a thing stood that is gone from something that moved [editor.difference]", () => {
    const asked = choice("kind", [option("x", { label: "Dry" }), option("y", { label: "Oily" })]);
    const one = quizDocument([page("a", [asked]), page("b", [])]);
    const other = quizDocument([
      page("a", []),
      page("b", [number("age"), { ...asked, options: [option("y", { label: "Oily" })] }]),
    ]);
    expect(differenceOf(one, other)).toContainEqual(
      expect.objectContaining({ kind: "removed", path: "pages.0.components.0.options.0" }),
    );
  });

  it("says what options are kept as by their labels [editor.difference]", () => {
    const kept = (option_values?: Record<string, string>) =>
      quizDocument([page("a", [choice("kind", [option("x", { label: "Dry" })])])], {
        property_mappings: [
          { component_key: "kind", property_name: "skin", ...(option_values ? { option_values } : {}) },
        ],
      });
    expect(words(kept(), kept({ x: "dry skin" }))).toEqual([
      'The list of values of property "skin" is now Dry as "dry skin"; before: nothing',
    ]);
  });

  it("reads drafts of any shape [editor.difference]", () => {
    const odder = {
      pages: [{ page_key: "a", components: [{ kind: "choice", options: [{ points: { d: "many" } }] }] }],
    };
    for (const odd of [
      null,
      3,
      {},
      { pages: 3 },
      { pages: [null, { components: [7, {}] }], dimensions: [{}] },
      odder,
    ]) {
      expect(() => differenceOf(odd, sampleQuiz())).not.toThrow();
      expect(() => differenceOf(sampleQuiz(), odd)).not.toThrow();
      expect(differenceOf(odd, structuredClone(odd))).toEqual([]);
    }
  });
});

describe("conditionInWords", () => {
  const names = namesOf(sampleQuiz());
  it.each([
    [{ all: [] }, "always"],
    [{ any: [] }, "never"],
    [{ component_key: "age", op: "between", min: 3, max: 9 }, '"Age?" is from 3 to 9'],
    [{ component_key: "age", op: "lt", value: 3 }, '"Age?" is below 3'],
    [
      { component_key: "feel", op: "not_in", option_ids: ["dry", "oily"] },
      '"How does your skin feel?" is not Dry or Oily',
    ],
    [
      {
        any: [
          { component_key: "age", op: "gt", value: 3 },
          {
            all: [
              { component_key: "age", op: "answered" },
              { component_key: "feel", op: "eq", value: "dry" },
            ],
          },
        ],
      },
      '"Age?" is above 3 or ("Age?" is answered and "How does your skin feel?" is Dry)',
    ],
    [{ component_key: "", op: "in", option_ids: [] }, "a question that is not chosen yet is …"],
    [7, "something that is not complete"],
  ])("%j is said as %s [editor.difference]", (condition, said) => {
    expect(conditionInWords(condition, names)).toBe(said);
  });
});
