/** The demo shop and its goods, in the form of the commerce platform's product webhooks. */
export const demoShop = {
  name: "Lumen & Fern",
  shop_domain: "lumen-fern.myshopify.com",
  /** address of its pages; a reserved name, so that no link of the demo leads to a stranger */
  site: "https://lumen-fern.example",
  timezone: "America/New_York",
  currency: "USD",
} as const;

/** The host of pictures in its documents and products; reserved too. Whoever serves the demo replaces it. */
export const pictureHost = "https://cdn.lumen-fern.example";

export interface ShopifyVariant {
  id: number;
  product_id: number;
  title: string;
  price: string;
  sku: string;
  position: number;
  inventory_quantity: number;
  inventory_policy: "deny";
  inventory_management: "shopify";
}

export interface ShopifyProduct {
  id: number;
  title: string;
  handle: string;
  vendor: string;
  product_type: string;
  status: "active";
  tags: string;
  created_at: string;
  updated_at: string;
  published_at: string;
  variants: ShopifyVariant[];
  options: { name: string; values: string[] }[];
  image: { src: string; alt: string } | null;
  images: { src: string; alt: string }[];
}

/** prices by size */
type Sizes = Readonly<Record<string, string>>;
const one = (price: string): Sizes => ({ "Default Title": price });

/** key, title, type, tags, sizes, has a picture */
type Entry = readonly [key: string, title: string, type: string, tags: string, sizes: Sizes, pictured: boolean];

const entries: readonly Entry[] = [
  ["milk_cleanser", "Oat Milk Cleanser", "Cleanser", "dry, sensitive", { "100 ml": "18.00", "200 ml": "28.00" }, true],
  [
    "gel_cleanser",
    "Green Tea Gel Cleanser",
    "Cleanser",
    "oily, combination",
    { "100 ml": "18.00", "200 ml": "28.00" },
    true,
  ],
  ["cleansing_balm", "Camellia Cleansing Balm", "Cleanser", "all skin types", one("32.00"), true],
  ["micellar_water", "Cucumber Micellar Water", "Cleanser", "sensitive", one("16.00"), true],
  ["rose_mist", "Damask Rose Toning Mist", "Toner", "dry, dull", one("22.00"), true],
  ["bha_toner", "Willow Bark Clarifying Toner", "Toner", "oily, breakouts", one("24.00"), true],
  [
    "hyaluronic_serum",
    "Deep Dew Hyaluronic Serum",
    "Serum",
    "dehydrated",
    { "15 ml": "26.00", "30 ml": "42.00" },
    true,
  ],
  [
    "niacinamide_serum",
    "Clear Balance Niacinamide Serum",
    "Serum",
    "oily, pores",
    { "15 ml": "24.00", "30 ml": "38.00" },
    true,
  ],
  [
    "vitamin_c_serum",
    "Morning Light Vitamin C Serum",
    "Serum",
    "dull, dark spots",
    { "15 ml": "32.00", "30 ml": "54.00" },
    true,
  ],
  [
    "bakuchiol_serum",
    "Night Fern Bakuchiol Serum",
    "Serum",
    "fine lines",
    { "15 ml": "34.00", "30 ml": "58.00" },
    true,
  ],
  ["centella_ampoule", "Quiet Skin Centella Ampoule", "Serum", "redness, sensitive", one("44.00"), true],
  ["squalane_oil", "Olive Squalane Face Oil", "Oil", "dry", one("36.00"), true],
  [
    "gel_cream",
    "Featherlight Gel Cream",
    "Moisturizer",
    "oily, combination",
    { "30 ml": "22.00", "50 ml": "34.00" },
    true,
  ],
  [
    "barrier_cream",
    "Ceramide Barrier Cream",
    "Moisturizer",
    "dry, sensitive",
    { "30 ml": "26.00", "50 ml": "40.00" },
    true,
  ],
  ["peptide_cream", "Firm Ground Peptide Cream", "Moisturizer", "fine lines", one("62.00"), true],
  ["eye_cream", "Bright Start Eye Cream", "Eye care", "dark circles", one("38.00"), true],
  ["clay_mask", "Rhassoul Clay Mask", "Mask", "oily, pores", one("29.00"), true],
  ["sleep_mask", "Overnight Fern Sleep Mask", "Mask", "dry, dull", one("34.00"), true],
  [
    "sun_fluid",
    "Daily Shade Mineral Fluid SPF 50",
    "Sun care",
    "all skin types",
    { Sheer: "30.00", "Light tint": "30.00", "Deep tint": "30.00" },
    true,
  ],
  ["sun_stick", "Go-Anywhere Sun Stick SPF 50", "Sun care", "outdoors", one("19.00"), true],
  ["lip_balm", "Beeswax & Mint Lip Balm", "Lips", "gift, small", one("9.00"), true],
  ["body_oil", "Fig & Cedar Body Oil", "Body", "gift, woody", one("33.00"), true],
  ["hand_cream", "Neroli Hand Cream", "Body", "gift, floral, small", one("15.00"), true],
  ["bath_salts", "Eucalyptus Bath Salts", "Body", "gift, herbal", { "250 g": "17.00", "600 g": "29.00" }, true],
  ["candle", "Fern Hollow Candle", "Home", "gift, woody, herbal", one("42.00"), true],
  ["travel_kit", "Carry-On Routine Kit", "Set", "gift, travel", one("48.00"), true],
  ["gift_card", "Gift Card", "Gift card", "gift", { $25: "25.00", $50: "50.00", $100: "100.00" }, false],
  ["headband", "Waffle Spa Headband", "Accessory", "gift, small", one("12.00"), false],
];

/** sold-out variants, by key and size */
const soldOut: ReadonlySet<string> = new Set(["sun_fluid Deep tint", "bath_salts 600 g", "travel_kit Default Title"]);

const firstProductId = 7_841_203_550_208;
const firstVariantId = 42_998_316_040_192;
const listedAt = "2024-02-12T09:30:00-05:00";

const productOf = ([key, title, type, tags, sizes, pictured]: Entry, index: number): ShopifyProduct => {
  const id = firstProductId + index * 32_768;
  const handle = title
    .toLowerCase()
    .replaceAll("&", "and")
    .replaceAll(/[^a-z0-9]+/g, "-");
  const image = pictured ? { src: `${pictureHost}/products/${handle}.svg`, alt: title } : null;
  return {
    id,
    title,
    handle,
    vendor: demoShop.name,
    product_type: type,
    status: "active",
    tags,
    created_at: listedAt,
    updated_at: listedAt,
    published_at: listedAt,
    variants: Object.entries(sizes).map(([size, price], position) => ({
      id: firstVariantId + (index * 8 + position) * 4_096,
      product_id: id,
      title: size,
      price,
      sku: `LF-${key.replaceAll("_", "-").toUpperCase()}-${position + 1}`,
      position: position + 1,
      inventory_quantity: soldOut.has(`${key} ${size}`) ? 0 : 40 + ((index * 37 + position * 11) % 160),
      inventory_policy: "deny",
      inventory_management: "shopify",
    })),
    options: [{ name: "Default Title" in sizes ? "Title" : "Size", values: Object.keys(sizes) }],
    image,
    images: image ? [image] : [],
  };
};

export const demoCatalog: readonly ShopifyProduct[] = entries.map(productOf);
