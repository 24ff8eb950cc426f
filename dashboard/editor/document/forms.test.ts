import { describe, expect, it } from "vitest";
import { checkDocument } from "../../../engine/check.ts";
import type { Condition, QuizDocument } from "../../../engine/document.ts";
import { lint } from "../../../engine/lint.ts";
import {
  choice,
  chosen,
  formula,
  jumpWhere,
  number,
  option,
  page,
  quizDocument,
} from "../../../testkit/document-parts.ts";
import { sampleQuiz } from "../../../testkit/sample-quiz.ts";
import { joinedBy, leafOf, negated, operatorsOf, questionsOf, withMore, withPart } from "./condition.ts";
import { readEditable } from "./editable.ts";
import { duplicatePage, removePage, setPageKind } from "./edits.ts";
import { completed, completions } from "./formula-names.ts";
import { type Edit, newHistory, perform, undo } from "./history.ts";
import { keysFor } from "./keys.ts";
import { duplicateJump, setPoints } from "./logic-edits.ts";
import { logicGraph } from "./logic-graph.ts";
import { gridRows, pastedCells } from "./points-grid.ts";
import { renameKey } from "./rename.ts";

describe("conditions by form", () => {
  it("grow, join, turn around and shrink, part by part [editor.conditions]", () => {
    const one = chosen("feel", "dry");
    const two = chosen("feel", "oily");
    const both = withMore(one, [], two);
    expect(both).toEqual({ all: [one, two] });
    expect(withMore(null, [], one)).toEqual({ all: [one] });
    const any = joinedBy(both, [], "any");
    expect(any).toEqual({ any: [one, two] });
    const turned = negated(any, [1]);
    expect(turned).toEqual({ any: [one, { not: two }] });
    expect(negated(turned, [1])).toEqual(any);
    expect(withPart(turned, [1, 0], null)).toEqual({ any: [one] });
    expect(withPart(one, [], null)).toBeNull();
    expect(withMore(turned, [0], two)).toEqual({ any: [{ all: [one, two] }, { not: two }] });
  });

  it("begin with a part that is valid, for every question and operator that it takes [editor.conditions]", () => {
    const document = sampleQuiz();
    for (const { component } of questionsOf(document)) {
      for (const op of operatorsOf(component)) {
        const when: Condition = leafOf(component, op);
        const asked = { ...document, pages: document.pages.with(3, { ...document.pages[3]!, visible_when: when }) };
        const checked = checkDocument(asked);
        expect([component.kind, op, checked.ok ? "" : checked.problems]).toEqual([component.kind, op, ""]);
      }
    }
  });
});

describe("formulas", () => {
  const names = [
    { name: "age", label: "How old?" },
    { name: '"room width"', label: "Width" },
  ];
  it("complete the word before the cursor, by key or by what it is called [editor.formulas]", () => {
    expect(completions("2 * ag", 6, names).map(({ name }) => name)).toEqual(["age"]);
    expect(completions("wid + 3", 3, names).map(({ name }) => name)).toEqual(['"room width"']);
    expect(completions("age", 3, names)).toEqual([]);
    expect(completions("1 + ", 4, names)).toEqual([]);
    expect(completed("2 * ag / 3", 6, names[0]!)).toEqual({ text: "2 * age / 3", cursor: 7 });
  });

  it("follow a number that gets another name, and nothing that only looks like it [editor.formulas]", () => {
    const document = quizDocument([
      page("a", [number("min"), number("e5"), formula("f", "F", 'min(min, "min") + {min} + 1e5 + e5')], {
        visible_when: { component_key: "min", op: "gt", value: 1 },
      }),
    ]);
    const renamed = perform(
      newHistory(document),
      renameKey(document, ["pages", 0, "components", 0, "component_key"], "room width"),
    );
    const [found] = renamed.document.pages;
    expect(found?.components[2]).toMatchObject({
      expression: 'min("room width", "room width") + "room width" + 1e5 + e5',
    });
    expect(found?.visible_when).toMatchObject({ component_key: "room width" });
    expect(lint(renamed.document).filter(({ severity }) => severity === "error")).toEqual([]);
    expect(undo(renamed).document).toEqual(document);
    const again = perform(
      newHistory(document),
      renameKey(document, ["pages", 0, "components", 1, "component_key"], "x"),
    );
    expect(again.document.pages[0]?.components[2]).toMatchObject({ expression: 'min(min, "min") + {min} + 1e5 + x' });
  });
});

describe("what is done to pages and jumps", () => {
  const keys = (document: QuizDocument) => keysFor(document, [], () => 0.5);
  const done = (document: QuizDocument, edit: Edit) => perform(newHistory(document), edit).document;

  it("takes a page away with the properties of all its answers, wherever they stand [editor.undo]", () => {
    const property = (component_key: string) => ({ component_key, property_name: component_key });
    const document = quizDocument([page("a", [number("one"), number("two")]), page("b", [number("other")])], {
      property_mappings: [property("one"), property("other"), property("two")],
    });
    const history = perform(newHistory(document), removePage(document, 0));
    expect(history.document.property_mappings).toEqual([property("other")]);
    expect(undo(history).document).toEqual(document);
  });

  it("asks of a page that is duplicated what it asked of itself: in its formulas too [editor.undo]", () => {
    const document = quizDocument([
      page("a", [number("width"), number("height"), formula("area", "Area", "width * {height} + other")]),
    ]);
    const copied = done(document, duplicatePage(document, keys(document), 0)).pages[1]!.components;
    expect(copied[2]).toMatchObject({ component_key: "formula_1", expression: "number_1 * number_2 + other" });
  });

  it("duplicates a jump as it is, behind itself [editor.undo]", () => {
    const jumps = [jumpWhere("one", ["a", "c"], "q", "x"), jumpWhere("two", ["a", "b"], "q", "y")];
    const document = quizDocument([page("a", []), page("b", []), page("c", [])], { jump_rules: jumps });
    const { jump_rules } = done(document, duplicateJump(document, keys(document), 0));
    expect(jump_rules).toEqual([jumps[0], { ...jumps[0], jump_rule_key: "jump_1" }, jumps[1]]);
  });

  it("gives a page another kind without what only its own had, and another key where versions had it [editor.lint-links]", () => {
    const document = quizDocument([page("a", []), page("r", [], { kind: "result", headline: "Yours" })], {
      jump_rules: [jumpWhere("j", ["a", "r"], "q", "x")],
    });
    const turned = done(document, setPageKind(document, 1, "content", null));
    expect(turned.pages[1]).toEqual(page("r", [], { kind: "content" }));
    const renamed = done(document, setPageKind(document, 1, "content", "page_9"));
    expect(renamed.pages[1]).toMatchObject({ page_key: "page_9", kind: "content" });
    expect(renamed.jump_rules[0]).toMatchObject({ source_page_key: "a", target_page_key: "page_9" });
  });
});

describe("the grid of points", () => {
  it("takes what is pasted from a spreadsheet, from a cell on, as one step [editor.grid]", () => {
    const document = sampleQuiz();
    const rows = gridRows(document);
    expect(rows.map(({ label, question }) => [question, label])).toEqual([
      ["How does your skin feel?", "Dry"],
      [null, "Oily"],
      [null, "Fine"],
      ["Where?", "Nose"],
      [null, "Chin"],
    ]);
    const dimensions = ["hydrate", "clear"];
    const cells = pastedCells("1\t2,5\r\n\t-3\tbeyond\nword\t4\n", { rows, dimensions, row: 3, column: 0 });
    expect(cells.map(({ option, dimension_id, points }) => [option, dimension_id, points])).toEqual([
      [0, "hydrate", 1],
      [0, "clear", 2.5],
      [1, "hydrate", 0],
      [1, "clear", -3],
    ]);
    const pasted = perform(newHistory(document), setPoints(document, cells));
    expect(pasted.done).toHaveLength(1);
    const [spots] = pasted.document.pages[1]!.components;
    expect(spots?.kind === "choice" && spots.options.map(({ points }) => points)).toEqual([
      { clear: 2.5, hydrate: 1 },
      { clear: -3 },
    ]);
  });
});

describe("the logic map", () => {
  it("draws pages, the ways between them, jumps, and what the lint says of them [editor.logic]", () => {
    const document = sampleQuiz();
    document.jump_rules.push({
      jump_rule_key: "back",
      source_page_key: "you",
      when: { all: [] },
      target_page_key: "skin",
    });
    const graph = logicGraph(document, lint(document));
    expect(graph.nodes.map(({ id, look }) => [id, look])).toEqual([
      ["skin", "page"],
      ["oil", "page"],
      ["you", "page"],
      ["result", "result"],
    ]);
    expect(graph.nodes[1]?.note).toBe('if "How does your skin feel?" is Oily');
    expect(graph.edges.map(({ from, to, kind, flaw }) => [from, to, kind, flaw])).toEqual([
      ["skin", "oil", "next", undefined],
      ["skin", "you", "next", undefined],
      ["oil", "you", "next", undefined],
      ["skin", "result", "jump", undefined],
      ["you", "skin", "jump", "loop"],
    ]);
    const lost = quizDocument([
      page("a", [choice("c", [option("x")])]),
      page("r", [], { kind: "result" }),
      page("z", []),
    ]);
    expect(logicGraph(lost, lint(lost)).nodes[2]?.look).toBe("unreachable");
  });
});

describe("drafts of any shape", () => {
  it("lose nothing that a person could have typed, and name what is no part of a document [editor.any-draft]", () => {
    const long = "x".repeat(5_000);
    const typed = quizDocument([
      page("", [choice("c", [option("o", { label: long })]), formula("f", "", ""), number("n", { min: 5, max: 1 })], {
        title: long,
      }),
    ]);
    expect(readEditable(JSON.parse(JSON.stringify(typed)))).toEqual({ document: typed, leftOut: [] });
    const odd = readEditable({
      pages: [null, { components: [{ kind: "carousel" }, { kind: "text" }] }],
      dimensions: 7,
    });
    expect(odd.leftOut).toEqual(["pages.0", "pages.1.components.0", "dimensions"]);
    expect(odd.document.pages).toMatchObject([
      { kind: "question", title: "", components: [{ kind: "text", question: "" }] },
    ]);
    const elsewhere = readEditable({
      pages: [
        { page_key: "a", title: "A", kind: "splash", visible_when: { component_key: "c", op: "like" }, colour: "red" },
        null,
        { page_key: "b", title: "B", kind: "question", components: [{ kind: "number", component_key: "n", min: "5" }] },
      ],
      jump_rules: [{ jump_rule_key: "j", source_page_key: "a", target_page_key: "b", when: { all: [7] } }],
    });
    expect(elsewhere.leftOut).toEqual([
      "pages.1",
      "pages.0.kind",
      "pages.0.visible_when.op",
      "pages.0.colour",
      "pages.2.components.0.min",
      "jump_rules.0.when.all",
    ]);
    for (const nothing of [null, 3, [], "x"]) expect(readEditable(nothing).document.pages).toEqual([]);
  });
});
