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

describe("the name of a kind", () => {
  it("is that of choices wherever answers are options, and of no value where it is unknown [engine.kinds]", () => {
    expect(kinds.map(kindOfAnswers).filter((name) => name === "choice")).toHaveLength(2);
    expect(kindOfAnswers("video")).toBe("video");
    for (const name of ["video", "toString", null, 3]) expect(valueOfText(name)).toBeNull();
  });
});
