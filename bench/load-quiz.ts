import type { QuizDocument } from "../engine/document.ts";

/**
 * The quiz of the load run's stores: skin, goals, age, contact, result. Its keys have the numbers that the history of
 * facts-data.ts is written in, so that seeded sessions and new ones are answers to the same questions.
 */

const options = (component_key: string) =>
  Array.from({ length: 6 }, (_, index) => ({
    option_id: `${component_key}_${index}`,
    label: `Choice ${index} of ${component_key}`,
    image_url: null,
    points: { [index % 2 === 0 ? "dry" : "oily"]: 1 + index },
  }));

const page = (page_key: string, components: QuizDocument["pages"][number]["components"], result = false) => ({
  page_key,
  title: page_key,
  kind: result ? ("result" as const) : ("question" as const),
  skippable: false,
  visible_when: null,
  components,
});

const shownProducts = ["0", "1", "2"].map((id) => `gid://shopify/Product/${id}`);

export const loadDocument: QuizDocument = {
  pages: [
    page("skin", [
      {
        kind: "choice",
        component_key: "skin_type",
        question: "Which skin do you have?",
        required: true,
        multiple: false,
        options: options("skin_type"),
      },
      {
        kind: "date",
        component_key: "birthday",
        question: "When were you born?",
        required: false,
        with_time: false,
      },
    ]),
    page("goals", [
      {
        kind: "choice",
        component_key: "goals",
        question: "What do you want?",
        required: true,
        multiple: true,
        options: options("goals"),
      },
    ]),
    page("age", [
      {
        kind: "number",
        component_key: "age",
        question: "How old are you?",
        required: true,
        min: 0,
        max: 120,
        step: 1,
        unit: null,
        style: "field",
      },
      { kind: "formula", component_key: "double_age", label: "Twice", expression: "age * 2" },
    ]),
    page("contact", [
      { kind: "text", component_key: "remark", question: "Anything else?", required: false, max_length: 200 },
      {
        kind: "email",
        component_key: "email",
        question: "Where shall we write to?",
        required: false,
        consent: { label: "News", required: false },
      },
    ]),
    page(
      "result",
      [
        {
          kind: "products",
          block_key: "picks",
          source: "fixed",
          products: shownProducts.map((product_id) => ({
            product_id,
            variant_id: null,
            when: null,
            dimension_id: null,
          })),
          limit: 3,
        },
      ],
      true,
    ),
  ],
  jump_rules: [],
  dimensions: [
    { dimension_id: "dry", name: "Dry" },
    { dimension_id: "oily", name: "Oily" },
  ],
  property_mappings: [],
};

const shown = {
  type: "products_shown",
  page_key: "result",
  block_key: "picks",
  products: shownProducts.map((product_id, position) => ({ product_id, position, source: "fixed" })),
};
const enter = (page_key: string, cause: string) => ({ type: "page_entered", page_key, cause });
const answer = (page_key: string, component_key: string, given: object) => ({
  type: "answer_saved",
  page_key,
  component_key,
  ...given,
});
const added = { type: "product_added", product_id: shownProducts[0], quantity: 1 };

/** What a session sends, in four requests of five events: answered for the first time in the first, finished in the third. */
export function requestsOf(number: number, email: string | null): object[][] {
  return [
    [
      { type: "quiz_opened" },
      enter("skin", "start"),
      answer("skin", "skin_type", { option_ids: [`skin_type_${number % 6}`] }),
      answer("skin", "birthday", { value: { date: `19${50 + (number % 50)}-03-04` } }),
      enter("goals", "next"),
    ],
    [
      answer("goals", "goals", { option_ids: [`goals_${number % 4}`, `goals_${4 + (number % 2)}`] }),
      enter("age", "next"),
      answer("age", "age", { value: 18 + (number % 60) }),
      enter("contact", "next"),
      answer("contact", "remark", { value: "I have very dry skin in winter" }),
    ],
    [
      email === null
        ? answer("contact", "remark", { value: "Nothing else" })
        : answer("contact", "email", { value: email, consent: number % 2 === 0 }),
      enter("result", "next"),
      shown,
      added,
      { type: "quiz_finished", page_key: "result" },
    ],
    [shown, enter("contact", "back"), enter("result", "next"), added, { type: "quiz_closed" }],
  ];
}
