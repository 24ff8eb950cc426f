import { describe, expect, it } from "vitest";
import { checkDocument } from "../../../engine/check.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import {
  choice,
  chosen,
  content,
  formula,
  jumpWhere,
  number,
  option,
  page,
  pick,
  products,
  quizDocument,
  ruled,
} from "../../../testkit/document-parts.ts";
import { sampleQuiz } from "../../../testkit/sample-quiz.ts";
import { type Path, valueAt } from "./change.ts";
import { newHistory, perform, undo } from "./history.ts";
import { isTaken, renameKey } from "./rename.ts";

describe("keys", () => {
  const renamed = (document: QuizDocument, path: Path, key: string): QuizDocument => {
    const history = perform(newHistory(document), renameKey(document, path, key));
    expect(undo(history).document).toEqual(document);
    expect(history.done.length).toBe(valueAt(document, path) === key ? 0 : 1);
    return history.document;
  };

  /** Every key of the sample, and what names the thing by it. */
  const named: readonly [Path, ...Path[]][] = [
    [
      ["pages", 0, "page_key"],
      ["jump_rules", 0, "source_page_key"],
    ],
    [
      ["pages", 3, "page_key"],
      ["jump_rules", 0, "target_page_key"],
    ],
    [
      ["pages", 0, "components", 0, "component_key"],
      ["pages", 1, "visible_when", "component_key"],
      ["jump_rules", 0, "when", "component_key"],
      ["property_mappings", 0, "component_key"],
    ],
    [["pages", 3, "components", 0, "block_key"]],
    [
      ["pages", 0, "components", 0, "options", 1, "option_id"],
      ["pages", 1, "visible_when", "option_ids", 0],
    ],
    [
      ["dimensions", 1, "dimension_id"],
      ["pages", 3, "components", 0, "products", 1, "dimension_id"],
    ],
    [["jump_rules", 0, "jump_rule_key"]],
  ];

  it("follows into the price limits of rules, of questions and of formulas [editor.keys]", () => {
    const max = { component_key: "budget" };
    const block = ruled("best", {
      from: { price: { min: "5", max } },
      rules: [
        { rule_key: "one", when: null, effect: "include", match: { price: { max } } },
        { rule_key: "two", when: null, effect: "include", match: { price: { min: { formula: "half" } } } },
        { rule_key: "three", when: null, effect: "include", match: { tags_any: ["budget"] } },
      ],
      fallback: { from: { price: { max: { component_key: "other" } } }, limit: 2 },
    });
    const questions = [number("budget"), number("other"), formula("half", "Half", "budget / 2")];
    const document = quizDocument([page("ask", questions), page("end", [block], { kind: "result" })]);
    const best = (next: QuizDocument) => next.pages[1]?.components[0];
    const money = renamed(document, ["pages", 0, "components", 0, "component_key"], "money");
    expect(best(money)).toMatchObject({
      from: { price: { min: "5", max: { component_key: "money" } } },
      rules: [
        { match: { price: { max: { component_key: "money" } } } },
        { match: { price: { min: { formula: "half" } } } },
        { match: { tags_any: ["budget"] } },
      ],
      fallback: { from: { price: { max: { component_key: "other" } } } },
    });
    expect(checkDocument(money).ok).toBe(true);
    const part = renamed(document, ["pages", 0, "components", 2, "component_key"], "part");
    expect(best(part)).toMatchObject({ rules: [{}, { match: { price: { min: { formula: "part" } } } }, {}] });
    expect(checkDocument(part).ok).toBe(true);
    const rest = renamed(document, ["pages", 0, "components", 1, "component_key"], "rest");
    expect(best(rest)).toMatchObject({ fallback: { from: { price: { max: { component_key: "rest" } } } } });
  });

  it.each(named)("changes %j with everything that names the thing, in one step [editor.keys]", (path, ...others) => {
    const document = sampleQuiz();
    const next = renamed(document, path, "another key");
    for (const one of [path, ...others]) expect([one, valueAt(next, one)]).toEqual([one, "another key"]);
    // whatever named it before names it now: the document is as right as it was
    expect(checkDocument(next).ok).toBe(true);
    const before = new RegExp(`(?<!"kind":)"${valueAt(document, path)}"`, "g");
    const text = JSON.stringify(document).replaceAll(before, '"another key"');
    expect(JSON.parse(text)).toEqual(next);
  });

  it("follows in texts that recall a question, a formula or a dimension [editor.keys]", () => {
    const recalling = quizDocument(
      [
        page(
          "a",
          [
            choice("skin", [
              option("x", { label: "{{answer:skin|a}} {{winner:1|b}}" }),
              option("y", { label: "{{winner:1|}}" }),
            ]),
            content("c", '<p title="{{answer:skin|t}}">{{answer:skin|x &amp; y}} {{points:dry|}}</p>'),
          ],
          { title: "{{formula:skin|}} {{answer:skin|}} {{answer:other|}}" },
        ),
      ],
      { dimensions: [{ dimension_id: "dry", name: "Dry" }] },
    );
    const [asked] = renamed(recalling, ["pages", 0, "components", 0, "component_key"], "feel").pages;
    expect(asked?.title).toBe("{{formula:feel|}} {{answer:feel|}} {{answer:other|}}");
    expect(asked?.components).toMatchObject([
      { options: [{ label: "{{answer:feel|a}} {{winner|b}}" }, { label: "{{winner:1|}}" }] },
      { html_text: '<p title="{{answer:skin|t}}">{{answer:feel|x &amp; y}} {{points:dry|}}</p>' },
    ]);
    const [scored] = renamed(recalling, ["dimensions", 0, "dimension_id"], "arid").pages;
    expect(scored?.components[1]).toMatchObject({
      html_text: '<p title="{{answer:skin|t}}">{{answer:skin|x &amp; y}} {{points:arid|}}</p>',
    });
  });

  it("takes points, properties and formulas along [editor.keys]", () => {
    const document = quizDocument(
      [
        page("a", [
          choice("feel", [option("dry", { points: { calm: 2, wild: 1 } })]),
          choice("other", [option("dry")]),
          formula("f", "F", "calm + max(calm, 1)"),
        ]),
        page("r", [products("best", [pick("1", { when: { not: { any: [chosen("feel", "dry")] } } })])], {
          visible_when: { component_key: "feel", op: "eq", value: "dry" },
        }),
      ],
      {
        dimensions: [
          { dimension_id: "calm", name: "Calm" },
          { dimension_id: "wild", name: "Wild" },
        ],
        jump_rules: [jumpWhere("j", ["a", "r"], "other", "dry")],
        property_mappings: [{ component_key: "feel", property_name: "skin", option_values: { dry: "DRY" } }],
      },
    );
    const calm = renamed(document, ["dimensions", 0, "dimension_id"], "very calm");
    expect(valueAt(calm, ["pages", 0, "components", 0, "options", 0, "points"])).toEqual({ "very calm": 2, wild: 1 });
    expect(valueAt(calm, ["pages", 0, "components", 2, "expression"])).toBe('"very calm" + max("very calm", 1)');
    const dry = renamed(document, ["pages", 0, "components", 0, "options", 0, "option_id"], "arid");
    expect(dry.pages[1]).toMatchObject({
      visible_when: { value: "arid" },
      components: [{ products: [{ when: { not: { any: [{ option_ids: ["arid"] }] } } }] }],
    });
    expect(dry.property_mappings).toMatchObject([{ option_values: { arid: "DRY" } }]);
    // of another question
    expect(dry.jump_rules).toEqual(document.jump_rules);
  });

  it("leaves formulas that mean a number with a result where they are [editor.keys]", () => {
    const document = quizDocument([page("a", [number("calm"), formula("f", "F", "calm * 2")])], {
      dimensions: [{ dimension_id: "calm", name: "Calm" }],
    });
    const result = renamed(document, ["dimensions", 0, "dimension_id"], "calmer");
    expect(valueAt(result, ["pages", 0, "components", 1, "expression"])).toBe("calm * 2");
    const asked = renamed(document, ["pages", 0, "components", 0, "component_key"], "age");
    expect(valueAt(asked, ["pages", 0, "components", 1, "expression"])).toBe("age * 2");
  });

  it("leaves with the first of two things of one key what names them [editor.keys]", () => {
    const jump = { jump_rule_key: "j", source_page_key: "a", when: { all: [] }, target_page_key: "a" };
    const document = quizDocument([page("a", []), page("a", [])], { jump_rules: [jump] });
    expect(renamed(document, ["pages", 1, "page_key"], "b").jump_rules).toEqual([jump]);
    expect(renamed(document, ["pages", 0, "page_key"], "b").jump_rules).toEqual([
      { ...jump, source_page_key: "b", target_page_key: "b" },
    ]);
    expect(isTaken(document, ["pages", 1, "page_key"], "a")).toBe(true);
    expect(isTaken(document, ["pages", 1, "page_key"], "b")).toBe(false);
  });
});
