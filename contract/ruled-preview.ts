import { type Static, Type } from "typebox";
import { catalogProduct } from "./catalog.ts";
import { count, nullable, oneOf, strict } from "./common.ts";
import { anyDocument, quizParams } from "./editor.ts";
import { operation } from "./operation.ts";
import { maxRuledBlocks, ruledAnswers } from "./storefront-products.ts";

/** What authors of rules need of the catalog: what there is to choose from, and what a draft's rules choose; docs/rules/editor.md. */

export const catalogKinds = ["tag", "vendor", "product_type", "collection", "option"] as const;
/** Values that one answer lists. */
export const valuesAtMost = 50;

const value = Type.Object(
  {
    value: Type.String({ description: "As a selector names it: a text, or a collection's id" }),
    label: Type.String(),
    option: nullable(Type.String({ description: "Of kind option: its name, such as Size" })),
    products: count("Products that have it now"),
  },
  { title: "CatalogValue" },
);
export type CatalogValue = Static<typeof value>;

const reading = {
  tag: "Editor",
  access: { to: "member", role: "editor" },
  scope: "quizzes:write",
  cost: "read",
} as const;

export const listCatalogValues = operation({
  ...reading,
  id: "listCatalogValues",
  method: "GET",
  path: "/dashboard/api/catalog/values",
  summary: "Tags, vendors, types, collections or options of the shop's products",
  description: `Those of most products first, collections by title; at most ${valuesAtMost}. q is part of the text.`,
  query: Type.Object({ kind: oneOf(catalogKinds), q: Type.Optional(Type.String({ maxLength: 200 })) }),
  answer: {
    status: 200,
    shape: Type.Object({
      data: Type.Array(value),
      has_more: Type.Boolean(),
      catalog: Type.Object({
        products: count("Products that the shop has"),
        without_tags: count("Products whose tags are not known: no message or import has told them yet"),
      }),
    }),
    example: {
      data: [{ value: "oily skin", label: "Oily skin", option: null, products: 12 }],
      has_more: false,
      catalog: { products: 40, without_tags: 0 },
    },
  },
});

const productKey = Type.String({ minLength: 1, maxLength: 200 });
/** Products that one request may ask about. */
const askedAtMost = 20;

const reasons = [
  "not_from",
  "excluded",
  "not_included",
  "min_score",
  "sold_out",
  "min_stock",
  "one_per",
  "limit",
] as const;
const states = ["not_in_shop", "draft", "archived", "unpublished", "deleted", "not_searched"] as const;

const explained = Type.Object(
  {
    product_id: Type.String(),
    not_shown: nullable(oneOf([...reasons, ...states], "null: it is shown. Names the first step that leaves it out")),
    variant_id: nullable(Type.String()),
    score: Type.Number(),
    rule_keys: Type.Array(Type.String(), {
      description: "The rules that matched it; of an excluded product, those that exclude it",
    }),
    instead: nullable(Type.String({ description: "Of one_per: the product shown for its vendor or type" })),
    place: nullable(Type.Integer({ description: "Of limit: its place in the order, from 1" })),
  },
  { title: "ExplainedProduct" },
);
export type ExplainedProductAnswer = Static<typeof explained>;

const matches = Type.Object({
  from: count(),
  rules: Type.Array(Type.Object({ rule_key: Type.String(), products: count() })),
  fallback: nullable(count()),
});

const block = Type.Object(
  {
    block_key: Type.String(),
    products: Type.Array(
      Type.Object({
        product_id: Type.String(),
        variant_id: nullable(Type.String()),
        position: Type.Integer(),
        source: oneOf(["rules", "fallback"]),
        reasons: Type.Array(Type.String()),
      }),
    ),
    rule_keys: Type.Array(Type.String(), { description: "Rules whose condition holds" }),
    explained: Type.Array(explained, { description: "Each shown product, then those asked about" }),
    matches: Type.Object(matches.properties, {
      description: "How many products each selector matches now, with prices as these answers make them",
    }),
  },
  { title: "PreviewedBlock" },
);
export type PreviewedBlock = Static<typeof block>;

export const previewRuledProducts = operation({
  ...reading,
  id: "previewRuledProducts",
  method: "POST",
  path: "/dashboard/api/quizzes/{quiz_id}/draft/products",
  summary: "What a draft's rules choose, and why",
  description:
    "By the shop's catalog as it is now, for these answers. Blocks without rules are left out. A document that could not be a version is refused.",
  params: quizParams,
  body: Type.Object(
    {
      document: anyDocument,
      answers: Type.Optional(ruledAnswers),
      block_keys: Type.Array(Type.String({ maxLength: 200 }), { maxItems: maxRuledBlocks }),
      product_ids: Type.Optional(Type.Array(productKey, { maxItems: askedAtMost })),
    },
    strict,
  ),
  bodyExample: { document: { pages: [] }, answers: { skin: { option_ids: ["oily"] } }, block_keys: ["best"] },
  answer: {
    status: 200,
    shape: Type.Object({ blocks: Type.Array(block), catalog: Type.Array(catalogProduct) }),
    example: {
      blocks: [
        {
          block_key: "best",
          products: [
            {
              product_id: "gid://shopify/Product/8001",
              variant_id: "gid://shopify/ProductVariant/9001",
              position: 1,
              source: "rules",
              reasons: ["oily"],
            },
          ],
          rule_keys: ["oily"],
          explained: [
            {
              product_id: "gid://shopify/Product/8001",
              not_shown: null,
              variant_id: "gid://shopify/ProductVariant/9001",
              score: 5,
              rule_keys: ["oily"],
              instead: null,
              place: null,
            },
          ],
          matches: { from: 40, rules: [{ rule_key: "oily", products: 12 }], fallback: null },
        },
      ],
      catalog: [],
    },
  },
});

export const ruledPreviewOperations = [listCatalogValues, previewRuledProducts] as const;
