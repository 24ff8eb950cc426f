import type { ChoiceOption, QuizDocument } from "../engine/document.ts";

function option(option_id: string, label: string, points: Record<string, number>): ChoiceOption {
  return { option_id, label, image_url: null, points };
}

const sample: QuizDocument = {
  pages: [
    {
      page_key: "skin",
      title: "Your skin",
      kind: "question",
      skippable: false,
      visible_when: null,
      components: [
        {
          kind: "choice",
          component_key: "feel",
          question: "How does your skin feel?",
          required: true,
          multiple: false,
          options: [
            option("dry", "Dry", { hydrate: 2 }),
            option("oily", "Oily", { clear: 2 }),
            option("fine", "Fine", {}),
          ],
        },
      ],
    },
    {
      page_key: "oil",
      title: "About oil",
      kind: "question",
      skippable: true,
      visible_when: { component_key: "feel", op: "in", option_ids: ["oily"] },
      components: [
        {
          kind: "choice",
          component_key: "spots",
          question: "Where?",
          required: true,
          multiple: true,
          options: [option("nose", "Nose", { clear: 0.1 }), option("chin", "Chin", { clear: 0.2, hydrate: 1 })],
        },
      ],
    },
    {
      page_key: "you",
      title: "You",
      kind: "question",
      skippable: false,
      visible_when: null,
      components: [
        {
          kind: "number",
          component_key: "age",
          question: "Age?",
          required: false,
          min: 0,
          max: 120,
          step: 1,
          unit: null,
          style: "field",
        },
        { kind: "date", component_key: "since", question: "Since when?", required: false, with_time: false },
        {
          kind: "email",
          component_key: "email",
          question: "Email?",
          required: false,
          consent: { label: "News", required: true },
        },
        { kind: "formula", component_key: "left", label: "Years to 100", expression: "100 - age" },
      ],
    },
    {
      page_key: "result",
      title: "For you",
      kind: "result",
      skippable: false,
      visible_when: null,
      components: [
        {
          kind: "products",
          block_key: "best",
          source: "winner",
          limit: 2,
          products: [
            { product_id: "p1", variant_id: null, when: null, dimension_id: "hydrate" },
            { product_id: "p2", variant_id: "v2", when: null, dimension_id: "clear" },
            { product_id: "p3", variant_id: null, when: null, dimension_id: null },
          ],
        },
      ],
    },
  ],
  jump_rules: [
    {
      jump_rule_key: "young",
      source_page_key: "skin",
      when: { component_key: "feel", op: "in", option_ids: ["fine"] },
      target_page_key: "result",
    },
  ],
  dimensions: [
    { dimension_id: "hydrate", name: "Hydration" },
    { dimension_id: "clear", name: "Clarity" },
  ],
  property_mappings: [{ component_key: "feel", property_name: "skin_type", option_values: { dry: "DRY" } }],
};

/**
 * A small skin care quiz with one of everything: a page shown on a condition, a jump, points, a formula, a result page
 * with product blocks. Returned anew each time, so that a test may change its copy.
 */
export function sampleQuiz(): QuizDocument {
  return structuredClone(sample);
}
