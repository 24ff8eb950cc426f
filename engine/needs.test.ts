import { describe, expect, it } from "vitest";
import {
  choice,
  content,
  date,
  formula,
  number,
  option,
  page,
  products,
  quizDocument,
  ruled,
  text,
} from "../testkit/document-parts.ts";
import type { Component, Condition, Page } from "./document.ts";
import { needsOf } from "./needs.ts";

const skin = choice("skin", [option("a", { label: "Dry" })]);
const points: Condition = { kind: "points", dimension_id: null, op: "gt", value: 1 };
const asked: Condition = { component_key: "skin", op: "in", option_ids: ["a"] };

const documentOf = (components: Component[], more: Partial<Page> = {}) =>
  quizDocument([page("first", [skin, ...components]), page("second", [], more)]);

describe("what a document needs of a player", () => {
  it("is nothing for what every player knows [player.needs]", () => {
    const document = quizDocument([
      page("first", [skin, number("age"), formula("f", "F", "age * 2")]),
      page("second", [text("t", { visible_when: null })], { visible_when: { not: { any: [asked] } }, outcome: null }),
    ]);
    expect(needsOf(document)).toEqual([]);
  });

  it("names each once, wherever it is in the document [player.needs]", () => {
    const nested: Condition = { all: [asked, { not: { any: [asked, points] } }] };
    expect(needsOf(documentOf([], { visible_when: nested }))).toEqual(["outcomes"]);
    expect(needsOf(documentOf([], { kind: "result", outcome: { dimension_id: "d" } }))).toEqual(["outcomes"]);
    expect(needsOf(documentOf([text("t", { visible_when: asked })]))).toEqual(["outcomes"]);
    const jump = { jump_rule_key: "j", source_page_key: "first", when: nested, target_page_key: "second" };
    expect(needsOf({ ...documentOf([]), jump_rules: [jump, { ...jump, jump_rule_key: "k" }] })).toEqual(["outcomes"]);
    const picked = { product_id: "p", variant_id: null, when: nested, dimension_id: null };
    expect(needsOf(documentOf([products("b", [picked])]))).toEqual(["outcomes"]);
    expect(needsOf(documentOf([text("t", { help: "Roughly" })]))).toEqual(["questions"]);
    expect(needsOf(documentOf([date("d", { weekdays: [1] })], { next_label: "On" }))).toEqual(["questions"]);
    expect(needsOf(documentOf([content("c", "<p>Hi</p>")]))).toEqual(["html"]);
    expect(needsOf(documentOf([number("age", { style: "slider" })]))).toEqual(["sliders"]);
    expect(needsOf(documentOf([ruled("r")]))).toEqual(["rules"]);
    const said = content("c", "<p>{{winner|nothing}}</p>");
    expect(needsOf(documentOf([said], { title: "{{answer:skin|}}", subtitle: "{{points|}}" }))).toEqual([
      "html",
      "recall",
      "outcomes",
    ]);
    expect(needsOf(documentOf([said]))).toEqual(["html", "recall"]);
    expect(needsOf(documentOf([], { next_label: "See {{winner|it}}" }))).toEqual(["questions", "recall"]);
    expect(needsOf(documentOf([text("t", { question: "{{answer:}} {{winner|" })]))).toEqual([]);
    const rule = { rule_key: "k", when: nested, match: {}, effect: "include" as const };
    expect(needsOf(documentOf([ruled("r", { rules: [rule] })]))).toEqual(["rules", "outcomes"]);
  });

  it("are the forms of questions that only some quizzes use [player.needs]", () => {
    const forms: Component[] = [
      choice("c", [], { style: "chips" }),
      choice("c", [], { multiple: true, min_choices: 2 }),
      choice("c", [], { shuffle: true }),
      choice("c", [option("a", { exclusive: true })]),
      choice("c", [option("a", { other: true })]),
      number("n", { style: "rating" }),
      formula("f", "F", "1", { decimals: 0 }),
      formula("f", "F", "1", { unit: "ml" }),
    ];
    for (const form of forms) expect(needsOf(documentOf([form]))).toEqual(["questions"]);
    const off = [option("a", { exclusive: false, other: false })];
    expect(needsOf(documentOf([choice("c", off, { min_choices: null, shuffle: false })]))).toEqual([]);
  });
});
