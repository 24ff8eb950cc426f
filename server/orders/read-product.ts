import { isImageAddress } from "../../engine/addresses.ts";
import {
  decimalOf,
  type Fields,
  fieldsOf,
  globalId,
  listOf,
  PayloadError,
  platformId,
  textOf,
  timeOf,
} from "./payload.ts";

/** The part of a commerce platform's product that the catalog keeps [orders.catalog]. */
export interface ProductRow {
  product_id: string;
  handle: string | null;
  title: string;
  image: string | null;
  had_variants: boolean;
  updated_at: string;
  triggered_at: string | null;
  /** active, draft, archived, unlisted; null if the message does not say */
  status: string | null;
  published_at: string | null;
  /** whether the message says that the online store does not have it */
  unpublished: boolean;
  /** these four are null if the message does not say */
  tags: string[] | null;
  vendor: string | null;
  product_type: string | null;
  options: { name: string; values: string[] }[] | null;
  variants: VariantRow[];
}

export interface VariantRow {
  variant_id: string;
  position: number;
  title: string | null;
  price: string | null;
  compare_at_price: string | null;
  /** by the product's options, in their order; null if the message does not tell */
  options: { name: string; value: string }[] | null;
  /** null if the message does not tell */
  available: boolean | null;
  inventory_item_id: string | null;
  stock: string | null;
  updated_at: string | null;
  /** whether the message has only its id */
  id_only: boolean;
}

/**
 * Payloads come from outside: missing or invalid fields are left out, and only identifying fields are required. Throws a
 * PayloadError for a payload that is not a product.
 *
 * @param now ms; replaces a missing time
 * @param triggeredAt when the platform sent the message, in ms; null if it does not say
 */
export function readProduct(payload: unknown, now: number, triggeredAt: number | null = null): ProductRow {
  const product = fieldsOf(payload);
  const productId = platformId(product?.["id"]);
  const title = textOf(product?.["title"]);
  if (!product || productId === null) throw new PayloadError("must be the id of a product", { field: "id" });
  if (title === null) throw new PayloadError("must be the title of a product", { field: "title" });
  const options = optionsOf(product["options"]);
  const variants = variantsOf(product, options);
  const image = fieldsOf(product["image"]) ?? fieldsOf(listOf(product["images"])[0]);
  return {
    product_id: globalId("Product", productId),
    handle: textOf(product["handle"]),
    title,
    image: imageOf(image?.["src"]),
    had_variants: variants.length > 1,
    updated_at: new Date(timeOf(product["updated_at"]) ?? now).toISOString(),
    triggered_at: isoOf(triggeredAt),
    status: statusOf(product["status"]),
    published_at: isoOf(timeOf(product["published_at"])),
    unpublished: product["published_at"] === null,
    tags: tagsOf(product["tags"]),
    vendor: wordOf(product["vendor"]),
    product_type: wordOf(product["product_type"]),
    options,
    variants,
  };
}

/** Characters of a tag, vendor, type, option or value, as many as the platform allows; tags and values that are kept. */
const mostCharacters = 255;
const mostTags = 250;
const mostValues = 2_048;

const wordOf = (value: unknown): string | null => textOf(value)?.trim().slice(0, mostCharacters).toWellFormed() ?? null;

/** One text with commas, as messages have it, or a list; each tag once [orders.catalog-facts]. */
function tagsOf(value: unknown): string[] | null {
  const parts = typeof value === "string" ? value.split(",", 10 * mostTags) : Array.isArray(value) ? value : null;
  return parts === null ? null : [...new Set(parts.flatMap((part) => wordOf(part) ?? []))].slice(0, mostTags);
}

const mostOptions = 3;

function optionsOf(value: unknown): ProductRow["options"] {
  if (!Array.isArray(value)) return null;
  return value.slice(0, mostOptions).map((entry, index) => {
    const option = fieldsOf(entry);
    const values = listOf(option?.["values"]).slice(0, mostValues);
    return {
      name: wordOf(option?.["name"]) ?? `Option ${index + 1}`,
      values: values.flatMap((each) => wordOf(each) ?? []),
    };
  });
}

function statusOf(value: unknown): string | null {
  const word = textOf(value)?.trim().toLowerCase();
  return word !== undefined && /^[a-z]{1,32}$/.test(word) ? word : null;
}

const isoOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

/**
 * Shop pages use https, so an address without a scheme, or with http, becomes https; any other kind of address is
 * dropped [orders.pictures].
 */
function imageOf(value: unknown): string | null {
  const address = textOf(value)
    ?.trim()
    .replace(/^(http:)?\/\//i, "https://");
  return address !== undefined && isImageAddress(address) ? address : null;
}

/** A message has the first 100 variants in full, and the ids of all in `variant_gids` [orders.many-variants]. */
function variantsOf(product: Fields, options: ProductRow["options"]): VariantRow[] {
  const full = listOf(product["variants"]).flatMap((variant, index) => readVariant(variant, index, options));
  const ids = listOf(product["variant_gids"]).flatMap((entry, index) => readVariantId(entry, index));
  // of several with an id the last, and the full ones before those of which only the id is known
  return [...new Map([...ids, ...full].map((variant) => [variant.variant_id, variant])).values()].sort(
    (a, b) => Number(a.id_only) - Number(b.id_only),
  );
}

const isPlace = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 31;

const priceOf = (value: unknown): string | null => {
  const price = decimalOf(value);
  return price === null || price.startsWith("-") ? null : price;
};

function readVariant(payload: unknown, index: number, options: ProductRow["options"]): VariantRow[] {
  const variant = fieldsOf(payload);
  const id = platformId(variant?.["id"]);
  if (!variant || id === null) return [];
  const position = variant["position"];
  const stock = decimalOf(variant["inventory_quantity"]);
  return [
    {
      variant_id: globalId("ProductVariant", id),
      position: isPlace(position) ? position : index + 1,
      title: textOf(variant["title"]),
      price: priceOf(variant["price"]),
      compare_at_price: priceOf(variant["compare_at_price"]),
      options: (options ?? []).flatMap(({ name }, place) => {
        const value = wordOf(variant[`option${place + 1}`]);
        return value === null ? [] : { name, value };
      }),
      available: availabilityOf(variant, stock),
      inventory_item_id: platformId(variant["inventory_item_id"]),
      stock,
      updated_at: isoOf(timeOf(variant["updated_at"])),
      id_only: false,
    },
  ];
}

function readVariantId(payload: unknown, index: number): VariantRow[] {
  const entry = fieldsOf(payload);
  const id = platformId(textOf(entry?.["admin_graphql_api_id"])?.replace(/^gid:\/\/shopify\/ProductVariant\//, ""));
  if (!entry || id === null) return [];
  return [
    {
      variant_id: globalId("ProductVariant", id),
      position: index + 1,
      ...{ title: null, price: null, compare_at_price: null, options: null },
      ...{ available: null, inventory_item_id: null, stock: null },
      updated_at: isoOf(timeOf(entry["updated_at"])),
      id_only: true,
    },
  ];
}

/**
 * Whether a variant can be bought, as far as its message tells: its stock is not counted, it may be oversold, or it is in
 * stock. Versions since 2024-07 do not say whether stock is counted, so that none in stock may mean either
 * [orders.availability].
 */
function availabilityOf(variant: Fields, stock: string | null): boolean | null {
  const management = variant["inventory_management"];
  if (management === null || variant["inventory_policy"] === "continue") return true;
  if (stock === null) return null;
  return Number(stock) > 0 || (textOf(management) === null ? null : false);
}
