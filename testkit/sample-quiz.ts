import type { QuizDocument } from "../engine/document.ts";
import {
  choice,
  chosen,
  date,
  email,
  formula,
  jumpWhere,
  number,
  option,
  page,
  pick,
  products,
  quizDocument,
} from "./document-parts.ts";

const feelings = [
  option("dry", { label: "Dry", points: { hydrate: 2 } }),
  option("oily", { label: "Oily", points: { clear: 2 } }),
  option("fine", { label: "Fine" }),
];
const spots = [
  option("nose", { label: "Nose", points: { clear: 0.1 } }),
  option("chin", { label: "Chin", points: { clear: 0.2, hydrate: 1 } }),
];
const best = [
  pick("p1", { dimension_id: "hydrate" }),
  pick("p2", { variant_id: "v2", dimension_id: "clear" }),
  pick("p3"),
];

const sample: QuizDocument = quizDocument(
  [
    page("skin", [choice("feel", feelings, { question: "How does your skin feel?", required: true })], {
      title: "Your skin",
    }),
    page("oil", [choice("spots", spots, { question: "Where?", required: true, multiple: true })], {
      title: "About oil",
      skippable: true,
      visible_when: chosen("feel", "oily"),
    }),
    page(
      "you",
      [
        number("age", { question: "Age?", min: 0, max: 120 }),
        date("since", { question: "Since when?" }),
        email("email", { consent: { label: "News", required: true } }),
        formula("left", "Years to 100", "100 - age"),
      ],
      { title: "You" },
    ),
    page("result", [products("best", best, { source: "winner", limit: 2 })], { title: "For you", kind: "result" }),
  ],
  {
    jump_rules: [jumpWhere("young", ["skin", "result"], "feel", "fine")],
    dimensions: [
      { dimension_id: "hydrate", name: "Hydration" },
      { dimension_id: "clear", name: "Clarity" },
    ],
    property_mappings: [{ component_key: "feel", property_name: "skin_type", option_values: { dry: "DRY" } }],
  },
);

/**
 * A small skin care quiz with one of everything: a conditional page, a jump, points, a formula, a result page with
 * product blocks. Returns a new copy each time, which a test may change.
 */
export function sampleQuiz(): QuizDocument {
  return structuredClone(sample);
}
