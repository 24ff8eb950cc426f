import fc from "fast-check";
import type { ChoiceComponent, Component, Page, QuizDocument } from "../../engine/document.ts";
import {
  choice,
  chosen,
  content,
  email,
  number,
  option,
  page,
  phone,
  products,
  quizDocument,
} from "../document-parts.ts";
import { surveyDocument } from "../small-quizzes.ts";

/**
 * Quizzes that are edited between versions: pages, options, rules and titles come and go, while keys keep their
 * meaning.
 */

const edit = fc.record({
  /** pages of the version in addition to `skin` and `contact` */
  pages: fc.subarray(["intro", "concerns", "age", "serum", "result"]),
  /** options of `skin_type` in addition to the one that shows the serum page */
  skins: fc.subarray(["skin_1", "skin_3", "skin_4"], { minLength: 1 }),
  concerns: fc.subarray(["concern_1", "concern_2", "concern_3"], { minLength: 1 }),
  rule: fc.boolean(),
  title: fc.constantFrom("", " (new)"),
  consent: fc.boolean(),
  products: fc.subarray([1, 2, 3, 4], { minLength: 1 }),
});
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

function asked(component_key: string, ids: string[], { title }: Edit, more: Partial<ChoiceComponent> = {}): Component {
  const options = ids.map((id, index) =>
    option(id, {
      label: `${id}${title}`,
      ...(index === 0 ? { image_url: "https://img.example/1.png", points: { dry: 2 } } : {}),
    }),
  );
  const required = component_key === "skin_type";
  return choice(component_key, options, { question: `${component_key}?${title}`, required, ...more });
}

const block = (block_key: string, given: Edit): Component => products(block_key, given.products, { limit: 10 });

function contactFields(given: Edit): Component[] {
  const consent = given.consent ? { label: "News", required: false } : null;
  return [email("mail", { consent }), phone("phone"), email("friend", { question: "Another email?", consent })];
}

/** Steps of one half, so that buckets narrower than 1 occur. */
const age = number("years", { question: "Age?", min: -2, max: 60, step: 0.5, style: "slider" });

function documentOf(given: Edit): QuizDocument {
  const { title } = given;
  const titled = (page_key: string, components: Component[], more: Partial<Page> = {}): Page =>
    page(page_key, components, { title: `${page_key}${title}`, ...more });
  const all = [
    titled("intro", [content("hello", "<p>Hello</p>")], { kind: "content" }),
    titled("skin", [asked("skin_type", ["skin_2", ...given.skins].sort(), given)]),
    titled("concerns", [asked("concern", given.concerns, given, { kind: "image", multiple: true })], {
      skippable: true,
    }),
    titled("age", [age], { skippable: true }),
    titled("serum", [asked("strength", ["strength_1", "strength_2"], given), block("early", given)], {
      visible_when: chosen("skin_type", "skin_2"),
    }),
    titled("contact", contactFields(given)),
    titled("result", [block("picks", given)], {
      kind: "result",
      // told by what is drawn already, so that a seed's history stays as it was
      ...(given.products.length > 1 && { outcome: { dimension_id: "dry" } }),
    }),
  ];
  const always = ["skin", "contact"];
  const straight = { jump_rule_key: "straight", source_page_key: "skin", target_page_key: "contact" };
  return quizDocument(
    all.filter(({ page_key }) => always.includes(page_key) || given.pages.includes(page_key)),
    {
      jump_rules: given.rule ? [{ ...straight, when: { not: chosen("skin_type", "skin_2") } }] : [],
      dimensions: [{ dimension_id: "dry", name: `Dry${title}` }],
    },
  );
}

/** Two or three quizzes of one to three versions each, oldest first. */
export const arbitraryVersions: fc.Arbitrary<QuizDocument[][]> = fc
  .array(fc.array(edit.map(documentOf), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
  .map((quizzes) => [...quizzes, [surveyDocument]]);
