import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choice, formula, number, option, page, quizDocument, ruled } from "../testkit/document-parts.ts";
import { productsByHand, whyNotByHand } from "../testkit/picked-by-hand.ts";
import { propertyRuns } from "../testkit/property-runs.ts";
import { CatalogIndex, type IndexedProduct, type IndexedVariant } from "./catalog-index.ts";
import { checkDocument } from "./check.ts";
import { compileQuiz } from "./compile-quiz.ts";
import type { Answers, AnswerValue, PriceBound, ProductRule, ProductSelector, RuledProducts } from "./document.ts";
import { explainSteps } from "./explain-products.ts";
import { pickSteps } from "./pick-by-rules.ts";
import { atOnce } from "./steps.ts";

const quizWith = (block: RuledProducts) => {
  const questions = [choice("skin", [option("dry", { points: { calm: 1 } }), option("oily")]), number("budget")];
  const pages = [
    page("ask", [...questions, formula("half", "Half", "budget / 2")]),
    page("end", [block], { kind: "result" }),
  ];
  const checked = checkDocument(quizDocument(pages, { dimensions: [{ dimension_id: "calm", name: "Calm" }] }));
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return compileQuiz(checked.document);
};

function indexOf(products: readonly IndexedProduct[]): CatalogIndex {
  const index = new CatalogIndex();
  for (const product of products) index.put(product);
  return index;
}

const product = (number: number, more: Partial<IndexedProduct> = {}): IndexedProduct => ({
  product_id: `gid://shopify/Product/${number}`,
  title: `Product ${number}`,
  vendor: null,
  product_type: null,
  tags: [],
  collections: [],
  published_at: null,
  variants: [variant(number * 10)],
  ...more,
});

const variant = (number: number, more: Partial<IndexedVariant> = {}): IndexedVariant => ({
  variant_id: `gid://shopify/ProductVariant/${number}`,
  price: 10,
  available: true,
  stock: 5,
  options: [],
  ...more,
});

const none: Answers = new Map();

function picked(products: readonly IndexedProduct[], more: Partial<RuledProducts>, answers = none) {
  const block = ruled("b", more);
  const { products: shown, rule_keys } = atOnce(pickSteps(quizWith(block), block, answers, indexOf(products)));
  return { numbers: shown.map(({ product_id }) => Number(product_id.split("/").at(-1))), shown, rule_keys };
}

const rule = (rule_key: string, match: ProductSelector, more: Partial<ProductRule> = {}): ProductRule => ({
  ...{ rule_key, when: null, match, effect: "include" },
  ...more,
});

describe("products by rule", () => {
  it("are all of `from` without an include rule that holds, else what include and score rules match [engine.product-rules]", () => {
    const products = [product(1, { tags: ["Dry "] }), product(2, { tags: ["oily"] }), product(3, { tags: ["gift"] })];
    const dry = { component_key: "skin", op: "in" as const, option_ids: ["dry"] };
    const rules = [
      rule("dry", { tags_any: ["dry"] }, { when: dry }),
      rule("oily", { tags_any: ["OILY"] }, { effect: "score", score: 5 }),
    ];
    expect(picked(products, { rules })).toMatchObject({ numbers: [2, 3, 1], rule_keys: ["oily"] });
    const answers: Answers = new Map([["skin", { option_ids: ["dry"] }]]);
    expect(picked(products, { rules }, answers)).toMatchObject({
      numbers: [2, 1],
      shown: [{ reasons: ["oily"] }, { reasons: ["dry"] }],
      rule_keys: ["dry", "oily"],
    });
    expect(picked(products, { rules, from: { tags_none: ["oily"] } }, answers).numbers).toEqual([1]);
    expect(picked(products, { rules: [rule("no", { tags_all: ["oily"] }, { effect: "exclude" })] }).numbers).toEqual([
      3, 1,
    ]);
  });

  it("leave out a price's bound without a value, and what has no price within bounds [engine.product-rules]", () => {
    const products = [1, 2, 3].map((at) =>
      product(at, { variants: [variant(at, { price: at === 3 ? null : at * 10 })] }),
    );
    const below = (max: PriceBound) => ({ from: { price: { max } } });
    const answers: Answers = new Map([["budget", { value: 30 }]]);
    expect(picked(products, below("10.00")).numbers).toEqual([1]);
    expect(picked(products, below({ component_key: "budget" })).numbers).toEqual([3, 2, 1]);
    expect(picked(products, below({ component_key: "budget" }), answers).numbers).toEqual([2, 1]);
    expect(picked(products, below({ formula: "half" }), answers).numbers).toEqual([1]);
  });

  it("show a product by its available variant, and an unknown stock as enough [engine.product-rules]", () => {
    const variants = [
      variant(1, { available: false, stock: 0 }),
      variant(2, { stock: 1 }),
      variant(3, { available: null, stock: null }),
    ];
    const ids = (more: Partial<RuledProducts>) =>
      picked([product(1, { variants })], more).shown.map(({ variant_id }) => Number(variant_id?.split("/").at(-1)));
    expect(ids({})).toEqual([2]);
    expect(ids({ min_stock: 2 })).toEqual([3]);
    expect(ids({ unit: "variant" })).toEqual([2, 3]);
    expect(ids({ unit: "variant", sold_out: "last" })).toEqual([2, 3, 1]);
    expect(ids({ unit: "variant", sold_out: "show" })).toEqual([1, 2, 3]);
    expect(picked([product(1, { variants: variants.slice(0, 1) })], {}).shown).toEqual([]);
  });

  it("follow the result that wins, as all conditions do [engine.product-rules]", () => {
    const products = [product(1, { tags: ["calm"] }), product(2)];
    const winner = { kind: "winner" as const, op: "in" as const, dimension_ids: ["calm"] };
    const rules = [rule("calm", { tags_any: ["calm"] }, { when: winner })];
    const chosen = (id: string): Answers => new Map([["skin", { option_ids: [id] }]]);
    expect(picked(products, { rules }, chosen("dry"))).toMatchObject({ numbers: [1], rule_keys: ["calm"] });
    expect(picked(products, { rules }, chosen("oily"))).toMatchObject({ numbers: [2, 1], rule_keys: [] });
  });

  it("show the fallback if nothing is left, but nothing that a rule excludes [engine.product-rules]", () => {
    const products = [product(1, { tags: ["gift"] }), product(2, { tags: ["gift", "nuts"] }), product(3)];
    const fallback = { from: { tags_any: ["gift"] }, limit: 1 };
    const rules = [
      rule("none", { tags_any: ["unheard"] }),
      rule("nuts", { tags_any: ["nuts"] }, { effect: "exclude" }),
    ];
    expect(picked(products, { rules, fallback }).shown).toEqual([
      {
        product_id: "gid://shopify/Product/1",
        variant_id: "gid://shopify/ProductVariant/10",
        position: 1,
        source: "fallback",
        reasons: [],
      },
    ]);
  });

  it("are explained, and why any other is not shown [engine.why-products]", () => {
    const products = [
      product(1, { tags: ["dry"], vendor: "Fern" }),
      product(2, { tags: ["dry"], vendor: "fern " }),
      product(3, { tags: ["dry", "nuts"] }),
      product(4, { tags: ["oily"] }),
      product(5, { tags: ["dry", "late"], variants: [variant(5, { available: false })] }),
      product(6, { tags: ["dry"] }),
      product(7, { tags: ["gift"] }),
    ];
    const block = ruled("b", {
      from: { tags_none: ["gift"] },
      rules: [
        rule("dry", { tags_any: ["dry"] }),
        rule("two", { product_ids: ["2"] }, { effect: "score", score: 5 }),
        rule("nuts", { tags_any: ["nuts"] }, { effect: "exclude" }),
      ],
      one_per: "vendor",
      limit: 1,
    });
    const asked = { quiz: quizWith(block), block, answers: none, index: indexOf(products) };
    const ids = products.map(({ product_id }) => product_id);
    const { explained, matches } = atOnce(explainSteps(asked, [...ids, "gid://shopify/Product/99"]));
    const byNumber = explained.map(({ product_id, not_shown, score, rule_keys, instead, place }) => [
      Number(product_id.split("/").at(-1)),
      ...[not_shown, score, rule_keys.join(), instead?.split("/").at(-1) ?? null, place],
    ]);
    expect(byNumber).toEqual([
      [2, null, 5, "dry,two", null, null],
      [1, "one_per", 0, "dry", "2", null],
      [3, "excluded", 0, "nuts", null, null],
      [4, "not_included", 0, "", null, null],
      [5, "sold_out", 0, "dry", null, null],
      [6, "limit", 0, "dry", null, 2],
      [7, "not_from", 0, "", null, null],
    ]);
    expect(matches).toEqual({
      from: 6,
      rules: [
        { rule_key: "dry", products: 5 },
        { rule_key: "two", products: 1 },
        { rule_key: "nuts", products: 1 },
      ],
      fallback: null,
    });
  });

  it("are explained as the model leaves them out, step by step [engine.why-products]", () => {
    fc.assert(
      fc.property(catalogs, blocks, answersOf, (catalog, block, answers) => {
        const quiz = quizWith(block);
        const ids = catalog.map(({ product_id }) => product_id);
        const asked = { quiz, block, answers, index: indexOf(catalog) };
        const { explained, ...picked } = atOnce(explainSteps(asked, ids));
        expect(picked).toMatchObject(productsByHand(quiz, block, answers, catalog));
        const told = new Map(
          explained.map(({ product_id, not_shown, instead, place }) => [product_id, { not_shown, instead, place }]),
        );
        expect(told).toEqual(whyNotByHand(quiz, block, answers, catalog));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("are those of a model that looks at every product for every rule [engine.product-rules]", () => {
    fc.assert(
      fc.property(catalogs, changes, blocks, answersOf, (catalog, changed, block, answers) => {
        const index = indexOf(catalog);
        const quiz = quizWith(block);
        // what is found is kept, so that later only what changed is searched
        expect(atOnce(pickSteps(quiz, block, answers, index))).toEqual(productsByHand(quiz, block, answers, catalog));
        const now = new Map(catalog.map((each) => [each.product_id, each]));
        for (const { product: each, isGone } of changed) {
          if (isGone) {
            index.remove(each.product_id);
            now.delete(each.product_id);
          } else {
            index.put(each);
            now.delete(each.product_id);
            now.set(each.product_id, each);
          }
        }
        const expected = productsByHand(quiz, block, answers, [...now.values()]);
        expect(atOnce(pickSteps(quiz, block, answers, index))).toEqual(expected);
        expect(index.products).toBe(now.size);
        // a second time, from what the index kept of the first
        expect(atOnce(pickSteps(quiz, block, answers, index))).toEqual(expected);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

const words = (...all: string[]) => fc.constantFrom(...all);
const tag = words("dry", "Dry ", "oily", "night", "vegan");
const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });

const variants = fc.array(
  fc.record({
    variant_id: fc.integer({ min: 1, max: 1_000_000 }).map((number) => `gid://shopify/ProductVariant/${number}`),
    price: orNull(fc.integer({ min: 0, max: 6 }).map((tens) => tens * 10)),
    available: orNull(fc.boolean()),
    stock: orNull(fc.integer({ min: 0, max: 4 })),
    options: fc.array(fc.record({ name: words("Size", "size "), value: words("S", "M", "l") }), { maxLength: 2 }),
  }),
  { maxLength: 3 },
);
const products: fc.Arbitrary<IndexedProduct> = fc.record({
  product_id: fc.integer({ min: 1, max: 40 }).map((number) => `gid://shopify/Product/${number}`),
  title: words("Balm", "balm", "Cream", "Oil", "Ärnica"),
  vendor: orNull(words("Fern", "fern", "Lumen")),
  product_type: orNull(words("Cream", "Oil")),
  tags: fc.array(tag, { maxLength: 3 }),
  collections: fc.array(words("gid://shopify/Collection/1", "gid://shopify/Collection/2"), { maxLength: 2 }),
  published_at: orNull(fc.integer({ min: 1, max: 4 })),
  variants,
});
const catalogs = fc.uniqueArray(products, { maxLength: 25, selector: ({ product_id }) => product_id });
const changes = fc.array(fc.record({ product: products, isGone: fc.boolean() }), { maxLength: 6 });

const bound: fc.Arbitrary<PriceBound> = fc.oneof(
  words("0", "20.00", "45.5"),
  fc.constant({ component_key: "budget" }),
  fc.constant({ formula: "half" }),
);
const list = (entry: fc.Arbitrary<string>) => fc.array(entry, { minLength: 1, maxLength: 2 });
const prices = fc.oneof(
  fc.record({ max: bound }),
  fc.record({ min: bound }),
  fc.record({ min: fc.constant("10"), max: bound.filter((max) => typeof max !== "string" || Number(max) >= 10) }),
);
const selectors: fc.Arbitrary<ProductSelector> = fc.record(
  {
    product_ids: list(words("1", "gid://shopify/Product/2", "3", "4")),
    tags_any: list(tag),
    tags_all: list(tag),
    tags_none: list(tag),
    vendors: list(words("FERN", "lumen")),
    product_types: list(words("cream", "none")),
    collections: list(words("1", "gid://shopify/Collection/2")),
    price: prices,
    options: fc.dictionary(words("size", "SIZE"), list(words("s", "L")), { minKeys: 1 }),
  },
  { requiredKeys: [] },
);
const conditions = orNull(
  words("dry", "oily").map((id) => ({ component_key: "skin", op: "in" as const, option_ids: [id] })),
);
const rules = fc
  .array(
    fc.record({
      when: conditions,
      match: selectors,
      effect: fc.constantFrom("include" as const, "exclude" as const, "score" as const),
      score: fc.constantFrom(-3, 0.1, 0.7, 2, 5),
    }),
    { maxLength: 6 },
  )
  .map((all) => all.map((each, index) => ({ rule_key: `r${index}`, ...each })));
const blocks: fc.Arbitrary<RuledProducts> = fc.record({
  kind: fc.constant("products"),
  block_key: fc.constant("b"),
  source: fc.constant("rules"),
  from: orNull(selectors),
  rules,
  min_score: orNull(fc.constantFrom(0, 0.8, 2)),
  order: fc.constantFrom("score", "price_asc", "price_desc", "newest", "title"),
  one_per: orNull(fc.constantFrom("product_type", "vendor")),
  limit: fc.integer({ min: 1, max: 6 }),
  sold_out: fc.constantFrom("hide", "last", "show"),
  min_stock: orNull(fc.integer({ min: 0, max: 3 })),
  fallback: orNull(fc.record({ from: selectors, limit: fc.integer({ min: 1, max: 3 }) })),
  unit: fc.constantFrom("product", "variant"),
});
const answersOf: fc.Arbitrary<Answers> = fc
  .record(
    {
      skin: words("dry", "oily").map((id): AnswerValue => ({ option_ids: [id] })),
      budget: fc.constantFrom(10, 30, 60).map((value): AnswerValue => ({ value })),
    },
    { requiredKeys: [] },
  )
  .map((answers) => new Map(Object.entries(answers)));
