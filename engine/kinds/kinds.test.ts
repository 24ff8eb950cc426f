import { describe, expect, it } from "vitest";
import { quizDocument } from "../../testkit/document-parts.ts";
import { normaliseAnswer } from "../answers.ts";
import { checkDocument } from "../check.ts";
import type { Component } from "../document.ts";
import { kindDescriptors } from "./kinds.ts";
import { operatorsOfValue } from "./operators.ts";
import {
  isChoice,
  isContact,
  isNumber,
  isQuestion,
  type Kind,
  kindOfAnswers,
  kinds,
  valueOfKind,
  valueOfText,
} from "./value.ts";

const make = {
  option: () => ({ option_id: "a", label: "A", image_url: null, points: {} }),
  blockKey: () => "block",
};

/** A new component as an editor makes it, with one option of each key. */
function freshOf(kind: Kind): Component {
  const shared = { component_key: "key", question: "?", required: false };
  const keys = valueOfKind[kind] === "none" ? (kind === "products" ? {} : { component_key: "key" }) : shared;
  const settings = kindDescriptors[kind].fresh(make);
  const own = "options" in settings ? { ...settings, options: settings.options.slice(0, 1) } : settings;
  return { kind, ...keys, ...own } as Component;
}

const documentOf = (component: Component) =>
  quizDocument([
    { page_key: "p", title: "P", kind: "question", skippable: false, visible_when: null, components: [component] },
  ]);

describe.each([...kinds])("the kind %s [engine.kinds]", (kind) => {
  it("has a new component that documents accept unchanged", () => {
    const document = documentOf(freshOf(kind));
    expect(checkDocument(document)).toEqual({ ok: true, document });
  });

  it("has conditions if and only if it is answered", () => {
    const component = freshOf(kind);
    const conditions = (op: string) =>
      checkDocument({
        ...documentOf(component),
        jump_rules: [
          { jump_rule_key: "r", source_page_key: "p", target_page_key: "p", when: { component_key: "key", op } },
        ],
      }).ok;
    expect(operatorsOfValue[valueOfKind[kind]].includes("answered")).toBe(isQuestion(component));
    expect(conditions("answered")).toBe(isQuestion(component));
  });

  it("has the value in its predicates that the table gives it", () => {
    const component = freshOf(kind);
    const value = valueOfKind[kind];
    expect([isQuestion(component), isChoice(component), isContact(component), isNumber(component)]).toEqual([
      value !== "none",
      value === "options",
      value === "contact",
      value === "number",
    ]);
  });

  it("is answered with options if and only if that is its value", () => {
    const component = freshOf(kind);
    if (!isQuestion(component)) return;
    expect(normaliseAnswer(component, { option_ids: ["a"] }).ok).toBe(isChoice(component));
    expect(normaliseAnswer(component, { value: "a@example.com" }).ok).toBe(
      isContact(component) || valueOfKind[kind] === "text",
    );
    expect(normaliseAnswer(component, { value: 3 }).ok).toBe(valueOfKind[kind] === "number");
    expect(normaliseAnswer(component, { value: { date: "2026-11-29" } }).ok).toBe(valueOfKind[kind] === "date");
  });
});

describe("the style of a question", () => {
  const asked = (kind: Kind, settings: object) => checkDocument(documentOf({ ...freshOf(kind), ...settings }));
  const problemsOf = (kind: Kind, settings: object) => {
    const checked = asked(kind, settings);
    return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path} ${message}`);
  };
  const at = "pages.0.components.0";

  it("stays left out of documents that do not name one [quiz-documents.styles]", () => {
    for (const kind of ["choice", "image", "number"] as const) {
      const document = documentOf(freshOf(kind));
      expect(JSON.stringify(checkDocument(document))).toBe(JSON.stringify({ ok: true, document }));
    }
  });

  it("of a choice is a list, chips, or a dropdown for a single option [quiz-documents.styles]", () => {
    for (const kind of ["choice", "image"] as const) {
      for (const style of ["list", "dropdown", "chips"]) expect(problemsOf(kind, { style })).toEqual([]);
      for (const style of ["list", "chips"]) expect(problemsOf(kind, { style, multiple: true })).toEqual([]);
      expect(problemsOf(kind, { style: "dropdown", multiple: true })).toEqual([`${at}.style is for a single choice`]);
      expect(problemsOf(kind, { style: "rating" })).toEqual([`${at}.style must be one of list, dropdown, chips`]);
    }
  });

  it("of a number as a rating has five values from 1 unless it says otherwise, and 2 to 11 [quiz-documents.ratings]", () => {
    const bounds = { style: "rating", min: null, max: null };
    const checked = asked("number", bounds);
    expect(checked.ok && checked.document.pages[0]?.components[0]).toMatchObject({ min: 1, max: 5, step: 1 });
    expect(checked.ok && checkDocument(checked.document)).toEqual(checked);
    expect(problemsOf("number", { ...bounds, min: 0, max: 10, icon: "number", min_label: "Bad" })).toEqual([]);
    expect(problemsOf("number", { ...bounds, min: 0, max: 1, step: 0.1 })).toEqual([]);
    for (const wrong of [
      { min: 0, max: 11 },
      { min: 3, max: 3 },
      { min: 0, max: 1, step: 2 },
    ])
      expect(problemsOf("number", { ...bounds, ...wrong })).toEqual([`${at}.max must give a rating 2 to 11 values`]);
    expect(problemsOf("number", { ...bounds, icon: "smile" })).toEqual([
      `${at}.icon must be one of star, heart, number`,
    ]);
    expect(problemsOf("number", { ...bounds, max_label: "x".repeat(1001) })).toHaveLength(1);
  });
});

describe("the name of a kind", () => {
  it("is that of choices wherever answers are options, and of no value where it is unknown [engine.kinds]", () => {
    expect(kinds.map(kindOfAnswers).filter((name) => name === "choice")).toHaveLength(2);
    expect(kindOfAnswers("video")).toBe("video");
    for (const name of ["video", "toString", null, 3]) expect(valueOfText(name)).toBeNull();
  });
});
