import type { Page, QuizDocument } from "../../engine/document.ts";
import { always, choice, content, forWinner, image, oneOf, option, page, pictured, whenever } from "./parts.ts";

/** "The gift finder": scents compete, a small budget or a late hour jump to results of their own. */

const recipient: Page = page("recipient", "Who is it for?", [
  image("recipient", "Picture the person unwrapping it", [
    pictured("recipient_partner", "My partner", { floral: 1, woody: 1 }),
    pictured("recipient_parent", "A parent or grandparent", { floral: 2 }),
    pictured("recipient_friend", "A friend", { citrus: 1 }),
    pictured("recipient_colleague", "Somebody at work", { herbal: 1 }),
    pictured("recipient_me", "Me. I have earned it", { herbal: 1, woody: 1 }),
  ]),
]);

const occasion: Page = page("occasion", "What is the occasion?", [
  choice("occasion", "We will pick the wrapping to match", [
    option("occasion_birthday", "A birthday"),
    option("occasion_thanks", "To say thank you"),
    option("occasion_moving", "A new home", { woody: 1 }),
    option("occasion_holidays", "The holidays", { woody: 1 }),
    option("occasion_today", "It is today and I forgot"),
  ]),
]);

const scents: Page = page("scents", "Scents they lean towards", [
  image(
    "scents",
    "Choose one or several",
    [
      pictured("scent_rose", "Rose and neroli", { floral: 3 }),
      pictured("scent_cedar", "Cedar and fig", { woody: 3 }),
      pictured("scent_mint", "Mint and eucalyptus", { herbal: 3 }),
      pictured("scent_grapefruit", "Grapefruit peel", { citrus: 3 }),
    ],
    { multiple: true, required: false },
  ),
]);

const unscented: Page = page(
  "unscented",
  "No scent, then?",
  [
    choice(
      "unscented",
      "Some people just do not wear any. Is that so here?",
      [option("unscented_yes", "Yes, keep it unscented"), option("unscented_unsure", "I am not sure", { citrus: 1 })],
      { required: false },
    ),
  ],
  { visible_when: { component_key: "scents", op: "not_answered" }, skippable: true },
);

const spend: Page = page("spend", "Your budget", [
  {
    kind: "number",
    component_key: "spend",
    question: "How much would you like to spend, wrapping included?",
    required: true,
    min: 10,
    max: 300,
    step: 1,
    unit: "USD",
    style: "field",
  },
  {
    kind: "number",
    component_key: "parcels",
    question: "To how many addresses should it go?",
    required: false,
    min: 1,
    max: 6,
    step: 1,
    unit: null,
    style: "slider",
  },
  {
    kind: "formula",
    component_key: "spend_per_parcel",
    label: "For each parcel, after wrapping",
    expression: "max(0, floor(spend / max(parcels, 1)) - 4)",
  },
]);

const card: Page = page(
  "card",
  "A few words",
  [
    {
      kind: "text",
      component_key: "card_text",
      question: "What should the card say?",
      required: false,
      max_length: 180,
    },
  ],
  { skippable: true, visible_when: { not: oneOf("recipient", "recipient_me") } },
);

const reminder: Page = page(
  "reminder",
  "Never be late again",
  [
    {
      kind: "email",
      component_key: "reminder_email",
      question: "We can remind you two weeks before the date next year",
      required: true,
      consent: { label: "I agree to be reminded and to hear about new gifts", required: true },
    },
    {
      kind: "phone",
      component_key: "courier_phone",
      question: "A number for the courier",
      required: false,
      consent: null,
    },
  ],
  { skippable: true },
);

const resultGift: Page = page(
  "result_gift",
  "We think they will love this",
  [
    {
      kind: "products",
      block_key: "gift_main",
      source: "winner",
      limit: 3,
      products: [
        forWinner("floral", "hand_cream"),
        forWinner("floral", "rose_mist"),
        forWinner("woody", "body_oil"),
        forWinner("woody", "candle"),
        forWinner("herbal", "bath_salts", 1),
        forWinner("herbal", "clay_mask"),
        forWinner("citrus", "travel_kit"),
        forWinner("citrus", "vitamin_c_serum", 0),
      ],
    },
    {
      kind: "products",
      block_key: "gift_extras",
      source: "answers",
      limit: 2,
      products: [
        whenever({ component_key: "spend", op: "gt", value: 80 }, "candle"),
        whenever(oneOf("occasion", "occasion_holidays", "occasion_moving"), "bath_salts", 0),
        whenever(oneOf("unscented", "unscented_yes"), "barrier_cream", 0),
        always("lip_balm"),
      ],
    },
    content(
      "gift_note",
      "<p>Every parcel leaves us wrapped in seeded paper. Plant it, and something will come up.</p>",
    ),
  ],
  { kind: "result" },
);

const resultSmall: Page = page(
  "result_small",
  "Small things, nicely wrapped",
  [
    {
      kind: "products",
      block_key: "gift_small",
      source: "fixed",
      limit: 3,
      products: [always("lip_balm"), always("headband"), always("hand_cream")],
    },
  ],
  { kind: "result" },
);

const resultCard: Page = page(
  "result_card",
  "In their inbox in a minute",
  [
    {
      kind: "products",
      block_key: "gift_cards",
      source: "answers",
      limit: 1,
      products: [
        whenever({ component_key: "spend", op: "lt", value: 40 }, "gift_card", 0),
        whenever({ component_key: "spend", op: "between", min: 40, max: 80 }, "gift_card", 1),
        always("gift_card", 2),
      ],
    },
  ],
  { kind: "result" },
);

export const gift: QuizDocument = {
  pages: [recipient, occasion, scents, unscented, spend, card, reminder, resultGift, resultSmall, resultCard],
  jump_rules: [
    {
      jump_rule_key: "today_to_spend",
      source_page_key: "occasion",
      when: oneOf("occasion", "occasion_today"),
      target_page_key: "spend",
    },
    {
      jump_rule_key: "today_to_card",
      source_page_key: "spend",
      when: oneOf("occasion", "occasion_today"),
      target_page_key: "result_card",
    },
    {
      jump_rule_key: "small_budget",
      source_page_key: "reminder",
      when: { component_key: "spend", op: "lt", value: 25 },
      target_page_key: "result_small",
    },
  ],
  dimensions: [
    { dimension_id: "floral", name: "Floral" },
    { dimension_id: "woody", name: "Woody" },
    { dimension_id: "herbal", name: "Herbal" },
    { dimension_id: "citrus", name: "Citrus" },
  ],
  property_mappings: [
    { component_key: "occasion", property_name: "gift_occasion" },
    { component_key: "scents", property_name: "gift_scents" },
  ],
};
