import type {
  ChoiceOption,
  Component,
  Condition,
  ConsentBox,
  Dimension,
  FormulaComponent,
  JumpRule,
  OutcomeLeaf,
  Page,
  ProductPick,
  PropertyMapping,
  QuizDocument,
  RuledProducts,
} from "../../engine/document.ts";
import { isKnownExpression } from "../../engine/evaluate.ts";
import { indexQuiz, type Outcomes, type Quiz } from "../../engine/quiz.ts";
import type { LiveQuiz } from "../live-quiz.ts";

type Part =
  | QuizDocument
  | Page
  | Exclude<Component, RuledProducts>
  | ChoiceOption
  | ConsentBox
  | ProductPick
  | Condition
  | JumpRule
  | Dimension
  | PropertyMapping;
type FieldOf<Shape> = Shape extends unknown ? Exclude<keyof Shape, Undrawn> : never;
/** Fields that this player does not draw yet: it refuses documents that have them. */
type Undrawn = "weekdays" | "time_from" | "time_to" | "help" | "format" | "placeholder" | "next_label";

type WordsIn<Text, Found = never> = Text extends `${infer Word} ${infer Rest}`
  ? WordsIn<Rest, Found | Word>
  : Found | Text;
/** Fails to compile if a name of the document's types is missing from the list, so that additions are not forgotten. */
const listed =
  <Wanted>() =>
  <Text extends string>(text: [Wanted] extends [WordsIn<Text>] ? Text : never): readonly string[] =>
    text.split(" ");

/** All fields of all parts of a document, all kinds, and all operators. */
const known = listed<
  FieldOf<Part> | Component["kind"] | Page["kind"] | OutcomeLeaf["kind"] | Extract<Condition, { op: string }>["op"]
>()(
  "pages jump_rules dimensions property_mappings presentation page_key title subtitle image_url headline kind skippable visible_when components component_key question required multiple options max_length consent min max step unit style with_time label expression html_text block_key source products limit option_id image_alt points product_id variant_id when dimension_id all any not op option_ids value jump_rule_key source_page_key target_page_key name property_name option_values outcome dimension_ids rank content result choice image text email phone number date formula winner in not_in eq lt gt between answered not_answered",
);

function isKnown(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(isKnown);
  if (part === null || typeof part !== "object") return true;
  return Object.entries(part).every(
    ([name, value]) =>
      known.includes(name) &&
      (!/^(kind|op)$/.test(name) || known.includes(value)) &&
      // their keys are ids of the document, or only affect its look
      (/^(presentation|points|option_values)$/.test(name) || isKnown(value)),
  );
}

/**
 * Reads a document; null if it contains something unknown to this player [player.too-new]: it was made for a later
 * player and may depend on things that this one would ignore, which would mislead shoppers. The presentation is not
 * checked.
 */
export function readQuiz(
  { document, player: { formulas } }: Pick<LiveQuiz, "document" | "player">,
  outcomes?: Outcomes,
): Quiz | null {
  if (!isKnown(document)) return null;
  const read = ({ expression }: FormulaComponent) => {
    const tree = Object.hasOwn(formulas, expression) ? formulas[expression] : null;
    return isKnownExpression(tree) ? tree : null;
  };
  const quiz = indexQuiz(document, read, outcomes);
  return [...quiz.formulas.values()].every(({ tree }) => tree !== null) ? quiz : null;
}
