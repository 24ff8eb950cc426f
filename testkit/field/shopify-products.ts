/**
 * Product, inventory and shop messages in the shapes that Shopify's webhooks have, versions 2024-07 to 2026-10: written
 * from the public schemas (shopify.dev: webhooks products/update, inventory_items/update, shop/update) and from public
 * samples of apps that receive them. Since 2024-07 a variant has no `inventory_management`, only the first 100 variants
 * are there in full, and `variant_gids` has the ids of all. Names and ids are made up.
 */

type Json = Record<string, unknown>;

const made = "2026-02-01T10:00:00-05:00";

export const fieldVariant = (id: number, more: Json = {}): Json => ({
  id,
  admin_graphql_api_id: `gid://shopify/ProductVariant/${id}`,
  barcode: null,
  compare_at_price: null,
  created_at: made,
  image_id: null,
  inventory_item_id: id + 7_000_000,
  inventory_policy: "deny",
  inventory_quantity: 12,
  old_inventory_quantity: 12,
  option1: `Size ${id}`,
  option2: null,
  option3: null,
  position: 1,
  price: "19.50",
  sku: null,
  taxable: true,
  title: `Size ${id}`,
  updated_at: made,
  ...more,
});

const idsOf = (variants: readonly Json[]) =>
  variants.map((variant) => ({
    admin_graphql_api_id: variant["admin_graphql_api_id"],
    // another form of the variant's own time
    updated_at: new Date(String(variant["updated_at"])).toISOString(),
  }));

/** @param variants all of them, of which the message has the first 100 in full */
export const fieldProduct = (id: number, variants: readonly Json[], more: Json = {}): Json => ({
  id,
  admin_graphql_api_id: `gid://shopify/Product/${id}`,
  body_html: "<p>A cream.</p>",
  category: null,
  created_at: made,
  handle: `cream-${id}`,
  has_variants_that_requires_components: false,
  image: null,
  images: [],
  media: [],
  options: [{ id: id + 1, product_id: id, name: "Size", position: 1, values: [] }],
  product_type: "Cream",
  published_at: "2026-02-01T10:05:00-05:00",
  published_scope: "global",
  status: "active",
  tags: "dry, night",
  template_suffix: null,
  title: `Cream ${id}`,
  updated_at: "2026-02-02T10:00:00-05:00",
  variant_gids: idsOf(variants),
  variants: variants.slice(0, 100),
  vendor: "Lumen",
  ...more,
});

/** A product with as many variants as the platform allows since 2024-04, in one message. */
export const manyVariants = (count: number, more: (place: number) => Json = () => ({})): Json[] =>
  Array.from({ length: count }, (_, index) => fieldVariant(index + 1, { position: index + 1, ...more(index + 1) }));

/** Sold without stock being counted: gift cards, bundles, services. */
export const uncounted = { inventory_quantity: 0, old_inventory_quantity: 0 };

export const fieldInventoryItem = (id: number, tracked: boolean, updated_at: string): Json => ({
  id,
  admin_graphql_api_id: `gid://shopify/InventoryItem/${id}`,
  cost: null,
  country_code_of_origin: null,
  country_harmonized_system_codes: [],
  created_at: made,
  harmonized_system_code: null,
  measurement: { weight: { value: 0.1, unit: "kg" } },
  province_code_of_origin: null,
  requires_shipping: true,
  sku: null,
  tracked,
  updated_at,
});

export const fieldShop = (more: Json): Json => ({
  id: 548_380_009,
  address1: null,
  country_code: "JE",
  created_at: made,
  currency: "JEP",
  domain: null,
  email: "shop@example.com",
  enabled_presentment_currencies: ["JEP"],
  iana_timezone: "Europe/Jersey",
  money_format: "£{{amount}}",
  myshopify_domain: "shop.example.com",
  name: "Island Teas",
  plan_name: "basic",
  timezone: "(GMT+00:00) Europe/Jersey",
  updated_at: "2026-02-03T10:00:00-05:00",
  weight_unit: "kg",
  ...more,
});
