import type { EventAnswer } from "./session.ts";

/** Parts of the examples of events about sessions: one shopper's way through one quiz. */

export const session = {
  id: "sess_4f6b0d8a2c1e4b7f9a3d5c7e9b1f2d4a",
  quiz_id: "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f",
  quiz_name: "Find your routine",
  version_id: "ver_0198f2c4b2c17d4f8e6a7b8c9d0e1f2a",
  version_number: 3,
  visitor_id: "vis_9c2e7a4b1d8f4c6aa0e35b7d9f1c3e5a",
  channel: "online_store",
  country: "US",
  page_url: "https://shop.example.com/pages/quiz",
  utm_source: "newsletter",
  utm_medium: "email",
  utm_campaign: "autumn",
  utm_content: null,
  utm_term: null,
  started_at: "2026-09-14T18:18:00.000Z",
  device: {
    class: "mobile",
    family: "iPhone",
    vendor: "Apple",
    model: "iPhone",
    browser: "Safari",
    browser_version: "17.5",
    os: "iOS",
    os_version: "17.5",
  },
} as const;

export const identity = {
  kind: "email",
  value: "ada@example.com",
  consent: true,
  page_key: "you",
  component_key: "email",
} as const;

const answers: Record<string, EventAnswer> = {
  skin_type: {
    page_key: "skin",
    kind: "choice",
    option_ids: ["dry"],
    value: ["dry"],
    values: ["Tight and dry"],
    label: "How does your skin feel by noon?",
  },
  minutes: { page_key: "time", kind: "number", value: 10, values: ["10"], label: "Minutes a day?" },
  since: {
    page_key: "time",
    kind: "date",
    value: { date: "2026-05-01", time: null },
    values: ["2026-05-01"],
    label: "Since when?",
  },
  email: {
    page_key: "you",
    kind: "email",
    value: "Ada@Example.com ",
    values: ["Ada@Example.com "],
    label: "Where may we send your routine?",
  },
};

export const product = {
  block_key: "routine",
  product_id: "gid://shopify/Product/632910392",
  currency: "USD",
  handle: "calming-cream",
  image: "https://cdn.example.com/calming-cream.jpg",
  title: "Calming cream",
  variant_id: null,
  variant_title: null,
  price: 24.5,
};

export const soFar = {
  ...session,
  answers,
  last_page: { page_key: "you", title: "About you", position: 7 },
  answered_count: 4,
  identities: [identity],
};

export const results = {
  formulas: [{ page_key: "result", component_key: "steps", label: "Steps a day", value: 3 }],
  points: [
    { dimension_id: "hydrate", name: "Hydration", total: 5 },
    { dimension_id: "clear", name: "Clarity", total: 1 },
  ],
  points_total: 6,
  property_mappings: [
    {
      question_key: "skin_type",
      question_label: "How does your skin feel by noon?",
      property_name: "skin_type",
      option_values: ["DRY"],
    },
  ],
};

export const completedAt = "2026-09-14T18:21:07.000Z";

/** A page that the session ended on. */
export const reached = { page_key: "result", dimension_id: "dry", name: "Dry skin" };
