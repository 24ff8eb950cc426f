import type { ChoiceComponent, Page, QuizDocument } from "../engine/document.ts";
import { compileQuiz } from "../engine/quiz.ts";

/** Two small quizzes that between them have each thing a session can meet. */

function choice(component_key: string, required: boolean, points: Record<string, number>[]): ChoiceComponent {
  return {
    kind: "choice",
    component_key,
    question: `${component_key}?`,
    required,
    multiple: false,
    options: points.map((of, index) => ({
      option_id: `${component_key}_${index + 1}`,
      label: `${component_key} ${index + 1}`,
      image_url: null,
      points: of,
    })),
  };
}

function page(page_key: string, components: Page["components"], more: Partial<Page> = {}): Page {
  return { page_key, title: page_key, kind: "question", skippable: false, visible_when: null, components, ...more };
}

/**
 * skin (required) -> age (skippable, required) -> serum (only for skin_2) -> contact (optional) -> result; skin_3 jumps
 * from skin to contact.
 */
export const finderDocument: QuizDocument = {
  pages: [
    page("skin", [choice("skin_type", true, [{ dry: 2 }, { oily: 3 }, {}])]),
    page(
      "age",
      [
        {
          kind: "number",
          component_key: "years",
          question: "Age?",
          required: true,
          min: 0,
          max: 120,
          step: 1,
          unit: null,
          style: "field",
        },
      ],
      { skippable: true },
    ),
    page("serum", [choice("strength", true, [{ dry: 1 }, { oily: 1 }])], {
      visible_when: { component_key: "skin_type", op: "in", option_ids: ["skin_type_2"] },
    }),
    page("contact", [
      {
        kind: "email",
        component_key: "mail",
        question: "Email?",
        required: false,
        consent: { label: "News", required: false },
      },
      { kind: "phone", component_key: "phone", question: "Phone?", required: false, consent: null },
      { kind: "text", component_key: "remark", question: "Anything else?", required: false, max_length: 200 },
    ]),
    page(
      "result",
      [
        { kind: "formula", component_key: "double", label: "Twice", expression: "years * 2" },
        {
          kind: "products",
          block_key: "picks",
          source: "fixed",
          limit: 3,
          products: ["1", "2"].map((id) => ({
            product_id: `gid://shopify/Product/${id}`,
            variant_id: null,
            when: null,
            dimension_id: null,
          })),
        },
      ],
      { kind: "result" },
    ),
  ],
  jump_rules: [
    {
      jump_rule_key: "straight",
      source_page_key: "skin",
      when: { component_key: "skin_type", op: "in", option_ids: ["skin_type_3"] },
      target_page_key: "contact",
    },
  ],
  dimensions: [
    { dimension_id: "dry", name: "Dry" },
    { dimension_id: "oily", name: "Oily" },
  ],
  property_mappings: [],
};

/** taste -> day -> thanks (content), without a result page: it is finished on its last reachable page. */
export const surveyDocument: QuizDocument = {
  pages: [
    page("taste", [choice("sweet", false, [{}, {}])]),
    page("day", [{ kind: "date", component_key: "when", question: "When?", required: true, with_time: false }], {
      skippable: true,
    }),
    page("thanks", [{ kind: "content", component_key: "bye", html_text: "<p>Bye</p>" }], { kind: "content" }),
  ],
  jump_rules: [],
  dimensions: [],
  property_mappings: [],
};

export const finderQuiz = compileQuiz(finderDocument);
export const surveyQuiz = compileQuiz(surveyDocument);
