import type { Page, QuizDocument } from "../../engine/document.ts";
import { always, choice, content, oneOf, option, page } from "./parts.ts";

/** "Book a skin consultation": a form more than a quiz. It has no result page and ends on its thank-you page. */

const topic: Page = page("topic", "What shall we talk about?", [
  content(
    "topic_note",
    "<p>Twenty minutes with one of our skin therapists, free of charge and without a sales pitch.</p>",
  ),
  choice("topic", "Choose what fits best", [
    option("topic_routine", "Building a routine from nothing"),
    option("topic_condition", "A stubborn problem"),
    option("topic_event", "A wedding or another big day"),
    option("topic_pregnancy", "Skincare while pregnant"),
  ]),
]);

const bigDay: Page = page(
  "big_day",
  "The big day",
  [{ kind: "date", component_key: "event_date", question: "When is it?", required: true, with_time: false }],
  { visible_when: oneOf("topic", "topic_event") },
);

const tried: Page = page(
  "tried",
  "What you have tried",
  [
    choice(
      "tried",
      "Tick everything that you have given a fair chance",
      [
        option("tried_retinoids", "Retinoids"),
        option("tried_acids", "Acids and peels"),
        option("tried_prescription", "Something on prescription"),
        option("tried_diet", "Changing what I eat"),
        option("tried_nothing", "Nothing yet"),
      ],
      { multiple: true, required: false },
    ),
    {
      kind: "text",
      component_key: "story",
      question: "Tell us a little about it",
      required: false,
      max_length: 800,
    },
  ],
  { skippable: true, visible_when: { component_key: "topic", op: "not_in", option_ids: ["topic_routine"] } },
);

const prescription: Page = page(
  "prescription",
  "Before we start",
  [
    content(
      "prescription_note",
      "<p>We will never suggest replacing a prescription. Please keep using it as you were told until you have spoken to your doctor.</p>",
    ),
  ],
  { kind: "content", visible_when: { any: [oneOf("tried", "tried_prescription"), oneOf("topic", "topic_pregnancy")] } },
);

const slot: Page = page("slot", "Pick a time", [
  choice("medium", "How would you like to meet?", [
    option("medium_video", "Video call"),
    option("medium_phone", "Phone call"),
    option("medium_studio", "At the studio in Brooklyn"),
  ]),
  {
    kind: "date",
    component_key: "appointment",
    question: "When suits you? Weekdays from 9 to 5, New York time",
    required: true,
    with_time: true,
  },
]);

const details: Page = page("details", "How we reach you", [
  { kind: "text", component_key: "full_name", question: "Your name", required: true, max_length: 80 },
  {
    kind: "email",
    component_key: "booking_email",
    question: "Email for the invitation",
    required: true,
    consent: null,
  },
  {
    kind: "phone",
    component_key: "booking_phone",
    question: "Mobile number, in case the call drops",
    required: true,
    consent: { label: "You may call or text me about this appointment", required: true },
  },
]);

const thanks: Page = page(
  "thanks",
  "You are booked in",
  [
    content(
      "thanks_note",
      "<h2>See you soon</h2><p>Come with a bare face if you can. Until then, these are hard to get wrong.</p>",
    ),
    {
      kind: "products",
      block_key: "while_you_wait",
      source: "fixed",
      limit: 2,
      products: [always("micellar_water"), always("sun_fluid", 0)],
    },
  ],
  { kind: "content" },
);

export const consultation: QuizDocument = {
  pages: [topic, bigDay, tried, prescription, slot, details, thanks],
  jump_rules: [
    {
      jump_rule_key: "soon_to_slot",
      source_page_key: "big_day",
      when: {
        all: [
          { component_key: "event_date", op: "answered" },
          { component_key: "event_date", op: "lt", value: "2026-12-01" },
        ],
      },
      target_page_key: "slot",
    },
  ],
  dimensions: [],
  property_mappings: [
    { component_key: "topic", property_name: "consultation_topic" },
    { component_key: "appointment", property_name: "consultation_at" },
  ],
};
