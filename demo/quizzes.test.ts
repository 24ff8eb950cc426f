import { describe, expect, it } from "vitest";
import { checkDocument } from "../engine/check.ts";
import type { Condition, QuizDocument } from "../engine/document.ts";
import { lint } from "../engine/lint.ts";
import { picksOf } from "../engine/quiz.ts";
import { demoCatalog } from "./catalog.ts";
import { demoQuizzes } from "./quizzes.ts";

const documents = demoQuizzes.flatMap(({ name, versions }) =>
  versions.map(({ document }, index) => ({ title: `${name}, version ${index + 1}`, document })),
);
const pages = documents.flatMap(({ document }) => document.pages);
const components = pages.flatMap((page) => page.components);

const wordsOf = (condition: Condition): string[] => {
  if ("all" in condition) return ["all", ...condition.all.flatMap(wordsOf)];
  if ("any" in condition) return ["any", ...condition.any.flatMap(wordsOf)];
  return "not" in condition ? ["not", ...wordsOf(condition.not)] : [condition.op];
};

const keysOf = (document: QuizDocument) => ({
  pages: document.pages.map(({ page_key }) => page_key),
  options: document.pages.flatMap((page) =>
    page.components.flatMap((part) => ("options" in part ? part.options.map(({ option_id }) => option_id) : [])),
  ),
});

describe("the demo's quizzes", () => {
  it.each(documents)("are valid and free of lint: $title", ({ document }) => {
    expect(checkDocument(document)).toEqual({ ok: true, document });
    expect(lint(document)).toEqual([]);
  });

  it("use every kind of component, page and product source", () => {
    expect(new Set(components.map(({ kind }) => kind))).toEqual(
      new Set(["choice", "image", "text", "email", "phone", "number", "date", "formula", "content", "products"]),
    );
    expect(new Set(pages.map(({ kind }) => kind))).toEqual(new Set(["question", "content", "result"]));
    const of = <Part>(read: (part: (typeof components)[number]) => Part | undefined) =>
      new Set(components.map(read).filter((part) => part !== undefined));
    expect(of((part) => (part.kind === "products" ? part.source : undefined))).toEqual(
      new Set(["fixed", "winner", "answers"]),
    );
    expect(of((part) => (part.kind === "number" ? part.style : undefined))).toEqual(
      new Set(["field", "slider", "rating"]),
    );
    expect(of((part) => (part.kind === "date" ? part.with_time : undefined))).toEqual(new Set([true, false]));
    expect(of((part) => (part.kind === "choice" ? part.multiple : undefined))).toEqual(new Set([true, false]));
    // nobody has tried retinoids and nothing, or likes roses and none of the scents
    const exclusive = components
      .flatMap((part) => ("options" in part ? part.options : []))
      .filter((one) => one.exclusive);
    expect(exclusive.map(({ label }) => label)).toEqual(["None of these", "Nothing yet"]);
    expect(of((part) => (part.kind === "email" ? (part.consent?.required ?? null) : undefined))).toEqual(
      new Set([true, false, null]),
    );
    expect(of((part) => (part.kind === "phone" ? (part.consent?.required ?? null) : undefined))).toEqual(
      new Set([true, false, null]),
    );
    expect(of((part) => ("required" in part ? part.required : undefined))).toEqual(new Set([true, false]));
    expect(new Set(pages.map(({ skippable }) => skippable))).toEqual(new Set([true, false]));
  });

  it("use every operator of a condition, in jumps, visibility and products", () => {
    const used = [
      ...pages.flatMap(({ visible_when }) => (visible_when ? wordsOf(visible_when) : [])),
      ...documents.flatMap(({ document }) => document.jump_rules.flatMap(({ when }) => wordsOf(when))),
      ...components.flatMap((part) =>
        part.kind === "products" ? picksOf(part).flatMap(({ when }) => (when ? wordsOf(when) : [])) : [],
      ),
    ];
    expect(new Set(used)).toEqual(
      new Set(["all", "any", "not", "in", "not_in", "eq", "lt", "gt", "between", "answered", "not_answered"]),
    );
  });

  it("have several result pages, and none in one of them", () => {
    const results = documents.map(({ document }) => document.pages.filter(({ kind }) => kind === "result").length);
    expect(Math.max(...results)).toBeGreaterThan(1);
    expect(Math.min(...results)).toBe(0);
  });

  it("drop a page and options, and add one, in a later version", () => {
    const [first, second] = (demoQuizzes[0]?.versions ?? []).map(({ document }) => keysOf(document));
    const gone = (before: string[], after: string[]) => before.filter((key) => !after.includes(key));
    expect(gone(first!.pages, second!.pages)).toEqual(["outdoors"]);
    expect(gone(second!.pages, first!.pages)).toEqual([]);
    expect(gone(first!.options, second!.options)).toContain("concern_tired");
    expect(gone(second!.options, first!.options)).toEqual(["concern_barrier"]);
  });

  it("give every dimension, mapping and product something to refer to", () => {
    expect(new Set(documents.flatMap(({ document }) => document.property_mappings)).size).toBeGreaterThan(3);
    expect(documents.some(({ document }) => document.dimensions.length > 0)).toBe(true);
  });

  it("show only what the demo shop sells", () => {
    const sold = new Map(
      demoCatalog.map(({ id, variants }) => [
        `gid://shopify/Product/${id}`,
        [null, ...variants.map((variant) => `gid://shopify/ProductVariant/${variant.id}`)],
      ]),
    );
    const shown = components.flatMap((part) => (part.kind === "products" ? picksOf(part) : []));
    expect(shown.length).toBeGreaterThan(10);
    for (const { product_id, variant_id } of shown) expect(sold.get(product_id)).toContain(variant_id);
  });
});
