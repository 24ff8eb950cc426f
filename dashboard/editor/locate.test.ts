import { describe, expect, it } from "vitest";
import { text } from "../../testkit/document-parts.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";
import { fieldsAround, locate, placeOf, selectionAt } from "./locate.ts";

describe("locate", () => {
  const document = sampleQuiz();
  it.each([
    ["pages.0.title", "build", { page: "skin", component: null }],
    ["pages.1.visible_when.option_ids.0", "build", { page: "oil", component: null }],
    ["pages.2.components.3.expression", "build", { page: "you", component: "left" }],
    ["pages.3.components.0.products.1.dimension_id", "build", { page: "result", component: "best" }],
    ["pages.0.components.0.options.1.label", "build", { page: "skin", component: "feel" }],
    ["pages.0.components.0.options.1.points.gone", "points", { page: "skin", component: "feel" }],
    ["jump_rules.0.when.option_ids.0", "logic", null],
    ["dimensions.1", "points", null],
    ["property_mappings.0.component_key", "points", null],
    ["presentation.theme.accent", "look", null],
    ["pages", "build", { page: null, component: null }],
    ["", "build", { page: null, component: null }],
  ] as const)("leads %s to its field [editor.lint-links]", (path, tab, selection) => {
    expect(locate(document, path)).toMatchObject({ tab, selection, field: path });
  });

  it("shows a phone the pages where pages are added, and the properties for the rest [editor.lint-links]", () => {
    const pane = (path: string) => locate(document, path).pane ?? "properties";
    expect(["pages", "pages.0.components", "pages.0.title"].map(pane)).toEqual(["outline", "outline", "properties"]);
  });

  it("tells things of one key apart, as a draft may have them [editor.keys]", () => {
    const twice = { ...document, pages: [...document.pages, document.pages[2]!] };
    const same = { ...twice, pages: twice.pages.with(0, { ...twice.pages[0]!, components: [text("x"), text("x")] }) };
    for (const [page, component] of [
      [2, -1],
      [4, -1],
      [4, 3],
      [0, 1],
    ] as const)
      expect(placeOf(same, selectionAt(same, page, component === -1 ? null : component))).toEqual({ page, component });
    const second = locate(same, "pages.0.components.1.component_key");
    expect(placeOf(same, second.selection!)).toEqual({ page: 0, component: 1 });
    // the other one has a key of its own meanwhile
    expect(placeOf(document, selectionAt(same, 4))).toEqual({ page: 2, component: -1 });
  });

  it("finds what is selected wherever it has gone, and nothing where it is gone [editor.lint-links]", () => {
    const moved = { ...document, pages: document.pages.toReversed() };
    expect(placeOf(moved, { page: "you", component: "left" })).toEqual({ page: 1, component: 3 });
    expect(placeOf(moved, { page: "you", component: "gone" })).toEqual({ page: 1, component: -1 });
    expect(placeOf(moved, { page: "gone", component: "left" })).toEqual({ page: -1, component: -1 });
    expect(fieldsAround("a.0.b")).toEqual(["a.0.b", "a.0", "a"]);
  });
});
