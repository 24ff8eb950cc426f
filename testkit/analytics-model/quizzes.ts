import fc from "fast-check";
import type { ChoiceComponent, Component, Page, QuizDocument } from "../../engine/document.ts";
import { surveyDocument } from "../small-quizzes.ts";

/** Quizzes that are edited between versions: pages, options, rules and titles come and go, keys keep their meaning. */

const edit = fc.record({
  /** pages that the version has besides `skin` and `contact` */
  pages: fc.subarray(["intro", "concerns", "age", "serum", "result"]),
  /** options of `skin_type` besides the one that shows the serum page */
  skins: fc.subarray(["skin_1", "skin_3", "skin_4"], { minLength: 1 }),
  concerns: fc.subarray(["concern_1", "concern_2", "concern_3"], { minLength: 1 }),
  rule: fc.boolean(),
  title: fc.constantFrom("", " (new)"),
  consent: fc.boolean(),
  products: fc.subarray([1, 2, 3, 4], { minLength: 1 }),
});
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

function choice(component_key: string, ids: string[], given: Edit, more: Partial<ChoiceComponent> = {}): Component {
  return {
    kind: "choice",
    component_key,
    question: `${component_key}?${given.title}`,
    required: component_key === "skin_type",
    multiple: false,
    options: ids.map((option_id, index) => ({
      option_id,
      label: `${option_id}${given.title}`,
      image_url: index === 0 ? "https://img.example/1.png" : null,
      points: index === 0 ? { dry: 2 } : {},
    })),
    ...more,
  };
}

const block = (block_key: string, given: Edit): Component => ({
  kind: "products",
  block_key,
  source: "fixed",
  limit: 10,
  products: given.products.map((id) => ({
    product_id: `gid://shopify/Product/${id}`,
    variant_id: null,
    when: null,
    dimension_id: null,
  })),
});

function contactFields(given: Edit): Component[] {
  const consent = given.consent ? { label: "News", required: false } : null;
  return [
    { kind: "email", component_key: "mail", question: "Email?", required: false, consent },
    { kind: "phone", component_key: "phone", question: "Phone?", required: false, consent: null },
    { kind: "email", component_key: "friend", question: "Another email?", required: false, consent },
  ];
}

/** Steps of a half, so that buckets of less than one are met. */
const age: Component = {
  kind: "number",
  component_key: "years",
  question: "Age?",
  required: false,
  min: -2,
  max: 60,
  step: 0.5,
  unit: null,
  style: "slider",
};

function documentOf(given: Edit): QuizDocument {
  const page = (page_key: string, components: Component[], more: Partial<Page> = {}): Page => ({
    page_key,
    title: `${page_key}${given.title}`,
    kind: "question",
    skippable: false,
    visible_when: null,
    components,
    ...more,
  });
  const skins = ["skin_2", ...given.skins].sort();
  const all = [
    page("intro", [{ kind: "content", component_key: "hello", html_text: "<p>Hello</p>" }], { kind: "content" }),
    page("skin", [choice("skin_type", skins, given)]),
    page("concerns", [choice("concern", given.concerns, given, { kind: "image", multiple: true })], {
      skippable: true,
    }),
    page("age", [age], { skippable: true }),
    page("serum", [choice("strength", ["strength_1", "strength_2"], given), block("early", given)], {
      visible_when: { component_key: "skin_type", op: "in", option_ids: ["skin_2"] },
    }),
    page("contact", contactFields(given)),
    page("result", [block("picks", given)], { kind: "result" }),
  ];
  const always = ["skin", "contact"];
  return {
    pages: all.filter(({ page_key }) => always.includes(page_key) || given.pages.includes(page_key)),
    jump_rules: given.rule
      ? [
          {
            jump_rule_key: "straight",
            source_page_key: "skin",
            when: { not: { component_key: "skin_type", op: "in", option_ids: ["skin_2"] } },
            target_page_key: "contact",
          },
        ]
      : [],
    dimensions: [{ dimension_id: "dry", name: "Dry" }],
    property_mappings: [],
  };
}

/** Two or three quizzes of one to three versions, the oldest first. */
export const arbitraryVersions: fc.Arbitrary<QuizDocument[][]> = fc
  .array(fc.array(edit.map(documentOf), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
  .map((quizzes) => [...quizzes, [surveyDocument]]);
