import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemsOf, sampleWith } from "../testkit/checked.ts";
import { arbitraryDocument } from "../testkit/documents.ts";
import { sampleQuiz } from "../testkit/sample-quiz.ts";
import { checkDocument } from "./check.ts";
import { compileQuiz } from "./compile-quiz.ts";
import { score } from "./score.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const feel = "pages.0.components.0";
const age = "pages.2.components.0";
const nested = (depth: number): unknown => {
  let condition: unknown = { component_key: "feel", op: "answered" };
  for (let level = 1; level < depth; level += 1) condition = { not: condition };
  return condition;
};

describe("a quiz document", () => {
  it("takes the sample as it is, and a draft without pages [quiz-documents.checked, quiz-documents.empty]", () => {
    expect(checkDocument(sampleQuiz())).toEqual({ ok: true, document: sampleQuiz() });
    const empty = { pages: [], jump_rules: [], dimensions: [], property_mappings: [] };
    expect(checkDocument({ pages: [] })).toEqual({ ok: true, document: empty });
  });

  it("takes pictures by https alone, and names the field of any other address [quiz-documents.pictures]", () => {
    const image = `${feel}.options.0.image_url`;
    const taken = [
      "https://cdn.example.com/a.png",
      "https://cdn.example.com:8443/L'été/a%20b.png?v=1&w=2#x",
      "https://m\u00fcnchen.example/",
      "https://x.example",
      null,
      "",
    ];
    for (const address of taken) expect([address, problemsOf(sampleWith(image, address))]).toEqual([address, []]);
    const refused = [
      ...[
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "data:image/svg+xml,<svg/>",
        "vbscript:x",
      ],
      ...[
        "http://cdn.example.com/a.png",
        "//cdn.example.com/a.png",
        "/a.png",
        "a.png",
        "https:",
        "https://",
        "https:///a",
      ],
      ...[
        "https:cdn.example.com",
        "https://user@cdn.example.com/a",
        "https://a b/",
        "https://a/\nb",
        'https://a/"onload=',
      ],
      ...["https://a/<b>", "https://a\\b/", "blob:https://a/1", "file:///etc/passwd", "HTTPS ://a", "https://a\u0007/"],
    ];
    for (const address of refused) {
      expect([address, problemsOf(sampleWith(image, address))]).toEqual([
        address,
        [`${image}: must be an https address`],
      ]);
    }
    const long = `https://${"a.".repeat(990)}`;
    expect(problemsOf(sampleWith(image, `${long} `))).toEqual([`${image}: must be an https address`]);
  });

  it("fills in what a document written by hand leaves out [quiz-documents.defaults]", () => {
    const page = { page_key: "p", title: "", kind: "question" };
    const product = { product_id: "1" };
    const components = [
      { kind: "choice", component_key: "a", question: "?", options: [{ option_id: "x", label: "X" }] },
      { kind: "text", component_key: "b", question: "?" },
      { kind: "email", component_key: "c", question: "?", consent: { label: "ok" } },
      { kind: "phone", component_key: "d", question: "?" },
      { kind: "number", component_key: "e", question: "?" },
      { kind: "date", component_key: "f", question: "?" },
      { kind: "products", block_key: "g", source: "fixed", products: [product] },
    ];
    const checked = checkDocument({ pages: [{ ...page, components }], dimensions: null });
    expect(checked.ok && checked.document.pages[0]).toEqual({
      ...page,
      skippable: false,
      visible_when: null,
      components: [
        {
          ...components[0],
          required: false,
          multiple: false,
          options: [{ option_id: "x", label: "X", image_url: null, points: {} }],
        },
        { ...components[1], required: false, max_length: 1000 },
        { ...components[2], required: false, consent: { label: "ok", required: false } },
        { ...components[3], required: false, consent: null },
        { ...components[4], required: false, min: null, max: null, step: 1, unit: null, style: "field" },
        { ...components[5], required: false, with_time: false },
        { ...components[6], products: [{ ...product, variant_id: null, when: null, dimension_id: null }], limit: 1000 },
      ],
    });
  });

  it.each<[string, unknown, string]>([
    ["pages", undefined, "pages: is missing"],
    ["pages", {}, "pages: must be an array"],
    ["pages", Array(201).fill(null), "pages: must have 0 to 200 entries"],
    ["extra", 1, "extra: is not a known field"],
    ["pages.1", 7, "pages.1: must be an object"],
    ["pages.0.page_key", "", "pages.0.page_key: must be 1 to 200 characters long"],
    ["pages.0.page_key", "__proto__", "pages.0.page_key: must not be __proto__"],
    ["pages.0.title", undefined, "pages.0.title: is missing"],
    ["pages.0.title", "x".repeat(1001), "pages.0.title: must be 0 to 1000 characters long"],
    ["pages.0.title", "a\u0000", "pages.0.title: has a character that is none"],
    ["pages.0.title", "\udc00", "pages.0.title: has a character that is none"],
    ["pages.0.kind", "intro", "pages.0.kind: must be one of question, content, result"],
    ["pages.0.skippable", "no", "pages.0.skippable: must be true or false"],
    ["pages.0.page_key", "oil", "pages.1.page_key: occurs twice"],
    [
      `${feel}.kind`,
      "radio",
      "pages.0.components.0.kind: must be one of choice, image, text, email, phone, number, date, formula, content, products",
    ],
    [`${feel}.kind`, undefined, `${feel}.kind: is missing`],
    [`${feel}.max_length`, 5, `${feel}.max_length: is not a known field`],
    [`${feel}.component_key`, "age", `${age}.component_key: occurs twice`],
    [`${feel}.options.2.label`, undefined, `${feel}.options.2.label: is missing`],
    [`${feel}.options.2.option_id`, "dry", `${feel}.options.2.option_id: occurs twice`],
    [`${feel}.options.0.points`, { hydrate: "2" }, `${feel}.options.0.points.hydrate: must be a number`],
    [
      `${feel}.options.0.points`,
      { hydrate: Number.POSITIVE_INFINITY },
      `${feel}.options.0.points.hydrate: must be a number`,
    ],
    [`${feel}.options.0.points`, { glow: 2 }, `${feel}.options.0.points.glow: names no dimension of the document`],
    [`${age}.min`, 121, `${age}.min: is above max`],
    [`${age}.step`, 0, `${age}.step: must be from 1e-9 to 1000000000000`],
    [`${age}.style`, "dial", `${age}.style: must be one of field, slider, rating`],
    ["pages.2.components.2.consent", "yes", "pages.2.components.2.consent: must be an object"],
    [
      "pages.2.components.3.expression",
      "100 -",
      'pages.2.components.3.expression: expects a number or a name before "the end" (character 6)',
    ],
    [
      "pages.2.components.3.expression",
      "feel",
      'pages.2.components.3.expression: names "feel" (character 1), which is no number question, formula or dimension',
    ],
    ["pages.2.components.3.expression", "left + 1", "pages.2.components.3.expression: needs its own value"],
    ["pages.3.components.0.limit", 1.5, "pages.3.components.0.limit: must be a whole number"],
    ["pages.3.components.0.source", "all", "pages.3.components.0.source: must be one of fixed, winner, answers, rules"],
    [
      "pages.3.components.0.products.0.dimension_id",
      "x",
      "pages.3.components.0.products.0.dimension_id: names no dimension of the document",
    ],
    [
      "pages.3.components.0.products.0.when",
      { all: [{}] },
      "pages.3.components.0.products.0.when.all.0: must have all, any, not, or component_key and op",
    ],
    ["jump_rules.0.target_page_key", "x", "jump_rules.0.target_page_key: names no page of the document"],
    ["jump_rules.0.when", undefined, "jump_rules.0.when: is missing"],
    ["jump_rules.1", { ...sampleQuiz().jump_rules[0] }, "jump_rules.1.jump_rule_key: occurs twice"],
    ["dimensions.0.dimension_id", "clear", "dimensions.1.dimension_id: occurs twice"],
    [
      "property_mappings.0.component_key",
      "left",
      "property_mappings.0.component_key: names no question of the document",
    ],
    [
      "property_mappings.0.option_values",
      { wet: "W" },
      "property_mappings.0.option_values.wet: names no option of the question",
    ],
  ])("refuses %s = %j [quiz-documents.bounds, quiz-documents.references]", (path, value, problem) => {
    expect(problemsOf(sampleWith(path, value))).toContain(problem);
  });

  const when = "pages.1.visible_when";
  it.each<[unknown, string]>([
    [{ all: {} }, `${when}.all: must be an array`],
    [{ all: [], any: [] }, `${when}.any: is not a known field`],
    [{ not: [] }, `${when}.not: must be an object`],
    [
      { component_key: "feel", op: "is" },
      `${when}.op: must be one of in, not_in, eq, lt, gt, between, answered, not_answered`,
    ],
    [{ component_key: "gone", op: "answered" }, `${when}.component_key: names no question of the document`],
    [{ component_key: "left", op: "gt", value: 3 }, `${when}.component_key: names no question of the document`],
    [
      { component_key: "feel", op: "gt", value: 3 },
      `${when}.op: does not fit a choice question, use one of in, not_in, eq, answered, not_answered`,
    ],
    [
      { component_key: "feel", op: "in", option_ids: ["dry", "wet"] },
      `${when}.option_ids.1: names no option of the question`,
    ],
    [{ component_key: "feel", op: "in", option_ids: [] }, `${when}.option_ids: must have 1 to 200 entries`],
    [{ component_key: "age", op: "gt", value: "3" }, `${when}.value: must be a number`],
    [{ component_key: "age", op: "gt", value: true }, `${when}.value: must be a string or a number`],
    [{ component_key: "age", op: "between", min: 4, max: 3 }, `${when}.min: is above max`],
    [{ component_key: "age", op: "between", min: 4 }, `${when}.max: is missing`],
    [{ component_key: "since", op: "lt", value: "2026-02-30" }, `${when}.value: must be a day, YYYY-MM-DD`],
    [nested(21), `${when}${".not".repeat(20)}: is nested more than 20 deep`],
  ])("refuses the condition %j [quiz-documents.conditions]", (condition, problem) => {
    expect(problemsOf(sampleWith(when, condition))).toContain(problem);
  });

  it("takes a condition as deep as it may be", () => {
    expect(problemsOf(sampleWith(when, nested(20)))).toEqual([]);
  });

  it("refuses formulas that need each other [quiz-documents.references]", () => {
    const document = sampleQuiz();
    const formula = (component_key: string, expression: string) => ({
      kind: "formula" as const,
      component_key,
      label: "",
      expression,
    });
    document.pages[0]!.components.push(
      formula("f", "g + 1"),
      formula("g", "h"),
      formula("h", "f"),
      formula("over", "f"),
    );
    const circle = [1, 2, 3].map((place) => `pages.0.components.${place}.expression: needs its own value`);
    expect(problemsOf(document)).toEqual(circle);
  });

  it("names at most a hundred problems [quiz-documents.problems]", () => {
    expect(problemsOf({ pages: Array(150).fill(1) })).toHaveLength(100);
  });

  it.each(["constructor", "toString", "hasOwnProperty"])("treats the key %s like any other", (key) => {
    const text = JSON.stringify(sampleQuiz()).replaceAll('"hydrate"', `"${key}"`).replaceAll('"dry"', `"${key}"`);
    const checked = checkDocument(JSON.parse(text));
    if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
    const result = score(compileQuiz(checked.document), new Map([["feel", { option_ids: [key] }]]));
    expect(result.winner).toEqual({ dimension_id: key, name: "Hydration", total: 2 });
  });

  it("refuses a document that tries to change its prototype", () => {
    const text = JSON.stringify(sampleQuiz()).replaceAll('"hydrate"', '"__proto__"');
    expect(checkDocument(JSON.parse(text)).ok).toBe(false);
  });
});

/** Every dotted path into a JSON value, the whole excepted. */
function pathsInto(value: Json, prefix: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [[...prefix, key], ...pathsInto(part, [...prefix, key])]);
}

function changeAt(value: Json, [name = "", ...rest]: string[], change: (old: Json) => Json | undefined): Json {
  const copy: Record<string, Json> = { ...(value as Record<string, Json>) };
  const next = rest.length === 0 ? change(copy[name] ?? null) : changeAt(copy[name] ?? null, rest, change);
  if (next === undefined) delete copy[name];
  else copy[name] = next;
  return Array.isArray(value) ? Object.values(copy) : copy;
}

describe("any document [quiz-documents.checked]", () => {
  it("accepts a valid one unchanged, also after a journey through JSON", () => {
    fc.assert(
      fc.property(arbitraryDocument(), (document) => {
        expect(checkDocument(document)).toEqual({ ok: true, document });
        expect(checkDocument(JSON.parse(JSON.stringify(document)))).toEqual({ ok: true, document });
      }),
    );
  });

  it("survives any single change, refusing it with paths or returning a document that it accepts again", () => {
    const change = fc.oneof(
      fc.constant(undefined),
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<Json>(null, "", 0, -1, 1.5, true, [], {}, "page_1", { all: [] }),
    );
    fc.assert(
      fc.property(arbitraryDocument(), fc.nat(), change, (document, pick, value) => {
        const json = JSON.parse(JSON.stringify(document)) as Json;
        const paths = pathsInto(json);
        const path = paths[pick % paths.length] ?? ["pages"];
        const checked = checkDocument(changeAt(json, path, () => value as Json | undefined));
        if (checked.ok) {
          expect(checkDocument(checked.document)).toEqual(checked);
          expect(() => score(compileQuiz(checked.document), new Map())).not.toThrow();
        } else {
          expect(checked.problems.length).toBeGreaterThan(0);
          for (const problem of checked.problems)
            expect(problem.path).toMatch(/^(pages|jump_rules|dimensions|property_mappings|presentation)/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("refuses every field taken out that has no stand-in, naming it, and every field put in", () => {
    const needed = new Set([
      "page_key",
      "title",
      "kind",
      "component_key",
      "question",
      "options",
      "option_id",
      "label",
      "expression",
      "html_text",
      "block_key",
      "source",
      "products",
      "product_id",
      "jump_rule_key",
      "source_page_key",
      "when",
      "target_page_key",
      "dimension_id",
      "name",
      "property_name",
      "op",
    ]);
    fc.assert(
      fc.property(arbitraryDocument(), fc.nat(), (document, pick) => {
        const json = JSON.parse(JSON.stringify(document)) as Json;
        const isNeeded = (path: string[]): boolean => {
          const inProduct = path.includes("products");
          return (
            needed.has(path.at(-1) ?? "") &&
            !path.includes("points") &&
            !(inProduct && /^(when|dimension_id)$/.test(path.at(-1)!))
          );
        };
        const paths = pathsInto(json).filter(isNeeded);
        fc.pre(paths.length > 0);
        const path = paths[pick % paths.length]!;
        expect(problemsOf(changeAt(json, path, () => undefined))).toContain(`${path.join(".")}: is missing`);
        const beside = [...path.slice(0, -1), "surprise"];
        expect(problemsOf(changeAt(json, beside, () => 1))).toContain(`${beside.join(".")}: is not a known field`);
      }),
      { numRuns: 300 },
    );
  });

  it("never throws, whatever it is given [quiz-documents.problems]", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), fc.record({ pages: fc.array(fc.anything()) })), (value) => {
        expect(typeof checkDocument(value).ok).toBe("boolean");
      }),
      { numRuns: 500 },
    );
  });
});
