import { type Static, Type } from "typebox";
import { money, nullable, oneOf, page, pageQuery, strict } from "./common.ts";
import { operation } from "./operation.ts";

/** The shop's products, for those who choose which of them a quiz shows; docs/rules/editor.md. */

export const catalogProduct = Type.Object(
  {
    product_id: Type.String(),
    title: Type.String(),
    handle: nullable(Type.String()),
    url: nullable(Type.String({ description: "Of the product's page in the shop" })),
    image_url: nullable(Type.String()),
    variants: Type.Array(
      Type.Object({
        variant_id: Type.String(),
        title: nullable(Type.String()),
        price: nullable(money),
        available: nullable(Type.Boolean({ description: "null: unknown" })),
      }),
    ),
  },
  { title: "CatalogProduct" },
);
export type CatalogProduct = Static<typeof catalogProduct>;

const movedAddress = Type.Object({ from: Type.String(), to: Type.String() }, { title: "MovedAddress" });
const store = Type.Object({ name: Type.String(), currency: Type.String() });
const productKey = Type.String({ minLength: 1, maxLength: 200 });

const example: CatalogProduct = {
  product_id: "gid://shopify/Product/8001",
  title: "Calm cream",
  handle: "calm-cream",
  url: "https://shop.example.com/products/calm-cream",
  image_url: null,
  variants: [
    {
      variant_id: "gid://shopify/ProductVariant/9001",
      title: "50 ml",
      price: { amount: "24.00", currency: "EUR" },
      available: true,
    },
  ],
};

export const searchCatalog = operation({
  id: "searchCatalog",
  method: "GET",
  path: "/dashboard/api/catalog",
  tag: "Editor",
  summary: "The shop's products by title",
  description: "Every word of q occurs in the title or is the product's number.",
  access: { to: "member", role: "editor" },
  scope: "quizzes:write",
  cost: "read",
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(Type.String({ maxLength: 200 })),
    state: Type.Optional(
      oneOf(["shown", "any"], "any: also drafts, archived, unpublished and deleted ones; shown by default"),
    ),
  }),
  answer: {
    status: 200,
    shape: page(catalogProduct),
    example: { data: [example], has_more: false, next_cursor: null },
  },
});

/** A quiz names at most this many of each in one question. */
export const namedAtMost = 1_000;

export const nameProducts = operation({
  id: "nameProducts",
  method: "POST",
  path: "/dashboard/api/catalog/named",
  tag: "Editor",
  summary: "Products by their ids, as shoppers are told of them",
  description: "In the order given; those that the shop does not have are left out.",
  access: { to: "member", role: "editor" },
  scope: "quizzes:write",
  cost: "read",
  body: Type.Object(
    {
      product_ids: Type.Array(productKey, { maxItems: namedAtMost }),
      variant_ids: Type.Optional(Type.Array(productKey, { maxItems: namedAtMost })),
    },
    strict,
  ),
  bodyExample: { product_ids: ["gid://shopify/Product/8001"] },
  answer: {
    status: 200,
    shape: Type.Object({
      store,
      data: Type.Array(catalogProduct),
      moved_addresses: Type.Array(movedAddress, {
        description:
          "What addresses of pictures begin with, and with what instead where a quiz is shown, as this server answers for them; of the demo shop",
      }),
    }),
    example: { store: { name: "Lumen & Fern", currency: "EUR" }, data: [example], moved_addresses: [] },
  },
});

export const catalogOperations = [searchCatalog, nameProducts] as const;
