import type { Page, QuizDocument } from "../../engine/document.ts";
import { always, choice, content, forWinner, image, oneOf, option, page, pictured, whenever } from "./parts.ts";

/**
 * "Find your daily routine": the shop's main quiz. Four dimensions compete for the routine that is shown, a slider and
 * a number feed two formulas, and three result pages close it.
 */

const welcome: Page = page(
  "welcome",
  "Two minutes to calmer skin",
  [
    content(
      "welcome_note",
      "<p>Answer a few questions about how your skin <em>actually</em> behaves and we will put together a routine you can finish before the kettle boils.</p>",
    ),
  ],
  { kind: "content" },
);

const skin: Page = page("skin", "Your skin", [
  choice("skin_type", "An hour after washing, with nothing on, your skin feels…", [
    option("skin_dry", "Tight, maybe flaky", { hydrate: 3, renew: 1 }),
    option("skin_oily", "Shiny all over", { balance: 3 }),
    option("skin_combination", "Shiny in the middle, dry at the edges", { balance: 2, hydrate: 1 }),
    option("skin_sensitive", "Warm, itchy or pink", { calm: 3 }),
    option("skin_comfortable", "Fine, honestly", { renew: 1 }),
  ]),
]);

/** Options of the second version differ: one concern is new, one is gone. */
const concernOptions = (later: boolean) => [
  option("concern_dehydration", "Dullness and dehydration", { hydrate: 2 }),
  option("concern_breakouts", "Breakouts", { balance: 2 }),
  option("concern_pores", "Visible pores", { balance: 1 }),
  option("concern_redness", "Redness", { calm: 2 }),
  option("concern_lines", "Fine lines", { renew: 2 }),
  later
    ? option("concern_barrier", "A barrier that gives up easily", { calm: 2, hydrate: 1 })
    : option("concern_tired", "Looking tired", { renew: 1 }),
  option("concern_spots", "Dark spots", { renew: 2 }),
];

const concerns = (later: boolean): Page =>
  page("concerns", "What you would change", [
    choice("concerns", "Pick everything you would like to see less of", concernOptions(later), { multiple: true }),
  ]);

const reactivity: Page = page(
  "reactivity",
  "How your skin reacts",
  [
    {
      kind: "number",
      component_key: "reactivity",
      question: "New products: how often does your skin complain?",
      required: true,
      min: 0,
      max: 10,
      step: 1,
      unit: null,
      style: "slider",
    },
    content("reactivity_note", "<p>0 means never, 10 means you patch-test water.</p>"),
  ],
  { visible_when: { any: [oneOf("skin_type", "skin_dry", "skin_sensitive"), oneOf("concerns", "concern_redness")] } },
);

const breakouts: Page = page(
  "breakouts",
  "About those breakouts",
  [
    image(
      "breakout_place",
      "Where do they usually turn up?",
      [
        pictured("breakout_forehead", "Forehead and nose", { balance: 1 }),
        pictured("breakout_jaw", "Jaw and chin", { balance: 1, calm: 1 }),
        pictured("breakout_cheeks", "Cheeks", { calm: 1 }),
        pictured("breakout_back", "Neck and back", { balance: 1 }),
      ],
      { multiple: true },
    ),
  ],
  {
    visible_when: {
      all: [oneOf("concerns", "concern_breakouts", "concern_pores"), { not: oneOf("skin_type", "skin_dry") }],
    },
  },
);

const texture: Page = page("texture", "What feels good", [
  image("texture", "Which would you rather put on in the morning?", [
    pictured("texture_gel", "A cool, watery gel", { balance: 1 }),
    pictured("texture_cream", "A soft cream", { hydrate: 1 }),
    pictured("texture_oil", "A few drops of oil", { renew: 1 }),
    pictured("texture_barely", "Nothing I can feel", { calm: 1 }),
  ]),
]);

const outdoors: Page = page(
  "outdoors",
  "Your days",
  [
    choice(
      "outdoors",
      "How much daylight does your face get?",
      [
        option("outdoors_desk", "Mostly a window seat"),
        option("outdoors_walks", "Walks and errands", { renew: 1 }),
        option("outdoors_all_day", "I work or train outside", { renew: 1, hydrate: 1 }),
      ],
      { required: false },
    ),
  ],
  { skippable: true },
);

const aboutYou: Page = page(
  "about_you",
  "A little about you",
  [
    {
      kind: "number",
      component_key: "age",
      question: "How old are you?",
      required: false,
      min: 13,
      max: 99,
      step: 1,
      unit: "years",
      style: "field",
    },
    {
      kind: "date",
      component_key: "last_change",
      question: "Roughly when did you last change your routine?",
      required: false,
      with_time: false,
    },
  ],
  { skippable: true },
);

const budget: Page = page("budget", "Time and money", [
  choice("steps", "How many steps will you really do?", [
    option("steps_two", "Two. Wash, cream, done", { calm: 1 }),
    option("steps_three", "Three or four"),
    option("steps_many", "I enjoy every single one", { renew: 1 }),
  ]),
  {
    kind: "number",
    component_key: "budget",
    question: "What would you spend on a routine that lasts three months?",
    required: true,
    min: 30,
    max: 250,
    step: 10,
    unit: "USD",
    style: "slider",
  },
  { kind: "formula", component_key: "budget_per_month", label: "Per month", expression: "round(budget / 3)" },
]);

const avoid: Page = page(
  "avoid",
  "Anything to leave out?",
  [
    {
      kind: "text",
      component_key: "avoid",
      question: "Ingredients or scents that your skin does not get along with",
      required: false,
      max_length: 300,
    },
  ],
  {
    skippable: true,
    visible_when: { any: [{ component_key: "reactivity", op: "gt", value: 4 }, oneOf("skin_type", "skin_sensitive")] },
  },
);

const contact: Page = page(
  "contact",
  "Keep your routine",
  [
    {
      kind: "email",
      component_key: "email",
      question: "Where should we send your routine?",
      required: true,
      consent: { label: "Send me skincare notes and the odd offer. Unsubscribe any time.", required: false },
    },
    {
      kind: "phone",
      component_key: "phone",
      question: "Mobile number, for a reminder when it is time to restock",
      required: false,
      consent: { label: "Text me restock reminders", required: false },
    },
  ],
  { skippable: true },
);

/** What the second version says about daylight no longer depends on the page that it dropped. */
const daylight = (later: boolean) =>
  later
    ? [always("sun_fluid", 0)]
    : [
        whenever(oneOf("outdoors", "outdoors_walks", "outdoors_all_day"), "sun_fluid", 0),
        whenever({ component_key: "outdoors", op: "not_answered" }, "sleep_mask"),
      ];

const resultRoutine = (later: boolean): Page =>
  page(
    "result_routine",
    "Your routine",
    [
      content(
        "result_routine_note",
        "<h2>Morning and night, sorted</h2><p>Start with the cleanser and cream for a week, then add the serum.</p>",
      ),
      {
        kind: "products",
        block_key: "routine_core",
        source: "winner",
        limit: 4,
        products: [
          forWinner("hydrate", "milk_cleanser", 1),
          forWinner("hydrate", "hyaluronic_serum", 1),
          forWinner("hydrate", "barrier_cream", 1),
          forWinner("balance", "gel_cleanser", 1),
          forWinner("balance", "niacinamide_serum", 1),
          forWinner("balance", "gel_cream", 1),
          forWinner("calm", "milk_cleanser", 0),
          forWinner("calm", "centella_ampoule"),
          forWinner("calm", "barrier_cream", 0),
          forWinner("renew", "cleansing_balm"),
          forWinner("renew", "bakuchiol_serum", 1),
          forWinner("renew", "peptide_cream"),
        ],
      },
      {
        kind: "products",
        block_key: "routine_extras",
        source: "answers",
        limit: 3,
        products: [
          ...daylight(later),
          whenever(oneOf("concerns", "concern_spots", "concern_dehydration"), "vitamin_c_serum", 0),
          whenever({ component_key: "age", op: "between", min: 35, max: 99 }, "eye_cream"),
          whenever(oneOf("concerns", "concern_pores"), "clay_mask"),
        ],
      },
    ],
    { kind: "result" },
  );

const resultGentle: Page = page(
  "result_gentle",
  "Your gentle reset",
  [
    content(
      "result_gentle_note",
      "<h2>Less, and slower</h2><p>Four weeks with these three and nothing else. Fragrance-free, all of them.</p>",
    ),
    {
      kind: "products",
      block_key: "gentle_reset",
      source: "fixed",
      limit: 3,
      products: [always("micellar_water"), always("centella_ampoule"), always("barrier_cream", 1)],
    },
    {
      kind: "formula",
      component_key: "calm_score",
      label: "How much calm your skin asks for",
      expression: "min(10, calm + round(reactivity / 2))",
    },
  ],
  { kind: "result" },
);

const resultMinimal: Page = page(
  "result_minimal",
  "Your two-step routine",
  [
    content("result_minimal_note", "<h2>Wash, cream, done</h2><p>Good skin does not need a shelf.</p>"),
    {
      kind: "products",
      block_key: "minimal_pair",
      source: "winner",
      limit: 2,
      products: [
        forWinner("hydrate", "milk_cleanser", 0),
        forWinner("hydrate", "barrier_cream", 0),
        forWinner("balance", "gel_cleanser", 0),
        forWinner("balance", "gel_cream", 0),
        forWinner("calm", "milk_cleanser", 0),
        forWinner("calm", "barrier_cream", 0),
        forWinner("renew", "cleansing_balm"),
        forWinner("renew", "squalane_oil"),
      ],
    },
  ],
  { kind: "result" },
);

const routine = (later: boolean): QuizDocument => ({
  pages: [
    welcome,
    skin,
    concerns(later),
    reactivity,
    breakouts,
    texture,
    ...(later ? [] : [outdoors]),
    aboutYou,
    budget,
    avoid,
    contact,
    resultRoutine(later),
    resultGentle,
    resultMinimal,
  ],
  jump_rules: [
    {
      jump_rule_key: "comfortable_to_texture",
      source_page_key: "concerns",
      when: {
        all: [
          oneOf("skin_type", "skin_comfortable"),
          { component_key: "concerns", op: "not_in", option_ids: ["concern_redness", "concern_breakouts"] },
        ],
      },
      target_page_key: "texture",
    },
    {
      jump_rule_key: "reactive_to_gentle",
      source_page_key: "contact",
      when: { component_key: "reactivity", op: "gt", value: 7 },
      target_page_key: "result_gentle",
    },
    {
      jump_rule_key: "two_steps_to_minimal",
      source_page_key: "contact",
      when: {
        any: [
          { all: [oneOf("steps", "steps_two"), { component_key: "budget", op: "lt", value: 100 }] },
          { component_key: "budget", op: "eq", value: 30 },
        ],
      },
      target_page_key: "result_minimal",
    },
  ],
  dimensions: [
    { dimension_id: "hydrate", name: "Hydrate" },
    { dimension_id: "balance", name: "Balance" },
    { dimension_id: "calm", name: "Calm" },
    { dimension_id: "renew", name: "Renew" },
  ],
  property_mappings: [
    {
      component_key: "skin_type",
      property_name: "skin_type",
      option_values: {
        skin_dry: "dry",
        skin_oily: "oily",
        skin_combination: "combination",
        skin_sensitive: "sensitive",
        skin_comfortable: "normal",
      },
    },
    { component_key: "concerns", property_name: "skin_concerns" },
    { component_key: "budget", property_name: "routine_budget" },
    { component_key: "email", property_name: "email" },
  ],
});

export const routineFirst = routine(false);
export const routineSecond = routine(true);
