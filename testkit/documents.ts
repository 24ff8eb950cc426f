import fc from "fast-check";
import {
  type Answers,
  type AnswerValue,
  advanceKinds,
  type ChoiceOption,
  type Component,
  type Condition,
  directions,
  type NumberComponent,
  type Page,
  progressKinds,
  type QuestionComponent,
  type QuizDocument,
  schemes,
} from "../engine/document.ts";
import { isQuestion } from "../engine/kinds/value.ts";
import { textNames } from "../engine/text-names.ts";

const shortText = fc.string({ maxLength: 12, unit: fc.constantFrom("a", "B", "ü", "7", " ", "=", '"', "🙂") });
const points = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 1, arbitrary: fc.integer({ min: -50, max: 50 }).map((tenths) => tenths / 10) },
);
const day = fc
  .tuple(fc.integer({ min: 1900, max: 2100 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, date]) => `${year}-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`);
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);

/** Most keys are plain words, some need quotes in a formula. */
const keyStyle = fc.constantFrom(
  (word: string) => word,
  (word: string) => word,
  (word: string) => word.replace("_", "-"),
  (word: string) => word.replace("_", " ü"),
);

const picture = fc.constantFrom(null, "https://img.example/page.png");
const colour = fc.constantFrom(null, "#fff", "#1D4ed8", "#77777780");
/** Each field may be left out independently. */
const partly = <Fields>(fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> }) =>
  fc.record(fields, { requiredKeys: [] });

const presentation = partly({
  locale: fc.constantFrom(null, "en", "pt-BR", "zh-Hant-TW", "ar"),
  dir: fc.constantFrom(...directions),
  theme: fc.option(
    partly({
      scheme: fc.constantFrom(...schemes),
      accent: colour,
      background: colour,
      surface: colour,
      text: colour,
      radius: fc.constantFrom(null, 0, 7.5, 32),
      font: fc.constantFrom(null, "inherit", 'Georgia, "Times New Roman", serif', "var(--font-body)"),
      width: fc.constantFrom(null, 320, 1200),
    }),
  ),
  progress: fc.constantFrom(...progressKinds),
  advance: fc.constantFrom(...advanceKinds),
  cover_image_url: picture,
  description: fc.option(shortText),
  texts: fc.dictionary(fc.constantFrom(...textNames), fc.constantFrom("Go on", "Zurück"), { maxKeys: 3 }),
});
const pageLooks = partly({ subtitle: fc.option(shortText), image_url: picture });

const choiceShape = fc.record({
  shape: fc.constant("choice" as const),
  kind: fc.constantFrom("choice" as const, "image" as const),
  multiple: fc.boolean(),
  points: fc.array(fc.array(points, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
});
const numberShape = fc.record({
  shape: fc.constant("number" as const),
  min: fc.option(fc.integer({ min: -20, max: 20 })),
  span: fc.option(fc.integer({ min: 0, max: 50 })),
  step: fc.constantFrom(0.1, 0.5, 1, 5),
});
const otherShape = fc.record({
  shape: fc.constantFrom("text" as const, "email" as const, "phone" as const, "date" as const, "content" as const),
  flag: fc.boolean(),
});
const componentShape = fc.record({
  place: fc.oneof({ weight: 3, arbitrary: choiceShape }, { weight: 2, arbitrary: numberShape }, otherShape),
  required: fc.boolean(),
  style: keyStyle,
  text: shortText,
});
const pageShape = fc.record({
  kind: fc.constantFrom("question" as const, "question" as const, "content" as const, "result" as const),
  skippable: fc.boolean(),
  title: shortText,
  style: keyStyle,
  looks: pageLooks,
  headline: partly({ headline: fc.option(shortText) }),
  components: fc.array(componentShape, { maxLength: 3 }),
});
type ComponentShape = typeof componentShape extends fc.Arbitrary<infer Shape> ? Shape : never;

function optionsOf(
  component_key: string,
  rows: readonly (readonly number[])[],
  dimension_ids: string[],
): ChoiceOption[] {
  return rows.map((row, index) => ({
    option_id: `${component_key}:${index + 1}`,
    label: `Option ${index + 1}`,
    image_url: index % 2 === 0 ? null : `https://img.example/${index}.png`,
    ...(index % 3 === 2 ? { image_alt: index % 2 === 0 ? null : "A picture" } : {}),
    points: Object.fromEntries(dimension_ids.slice(0, row.length - (index % 2)).map((id, at) => [id, row[at] ?? 0])),
  }));
}

function componentOf(shape: ComponentShape, word: string, dimension_ids: string[]): Component {
  const { place, required, text } = shape;
  const component_key = shape.style(word);
  const question = { component_key, question: text, required };
  switch (place.shape) {
    case "choice": {
      const options = optionsOf(component_key, place.points, dimension_ids);
      return { kind: place.kind, ...question, multiple: place.multiple, options };
    }
    case "number": {
      const max = place.span === null ? null : (place.min ?? 0) + place.span;
      const { min, step } = place;
      return { kind: "number", ...question, min, max, step, unit: required ? "cm" : null, style: "field" };
    }
    case "text":
      return { kind: "text", ...question, max_length: 40 };
    case "date":
      return { kind: "date", ...question, with_time: place.flag };
    case "content":
      return { kind: "content", component_key, html_text: text };
    default:
      return { kind: place.shape, ...question, consent: place.flag ? { label: text, required } : null };
  }
}

/** A condition on one question, with an operator that fits its kind. */
function leafOn(component: QuestionComponent): fc.Arbitrary<Condition> {
  const { component_key } = component;
  const answered = fc.constantFrom("answered" as const, "not_answered" as const).map((op) => ({ component_key, op }));
  const ordered = (operand: fc.Arbitrary<string | number>): fc.Arbitrary<Condition> =>
    fc.oneof(
      answered,
      fc
        .tuple(fc.constantFrom("lt" as const, "gt" as const), operand)
        .map(([op, value]) => ({ component_key, op, value })),
      operand.map((value) => ({ component_key, op: "eq" as const, value })),
      fc.tuple(operand, operand).map(([one, other]) => {
        const [min, max] = one <= other ? [one, other] : [other, one];
        return { component_key, op: "between" as const, min, max };
      }),
    );
  if (component.kind === "choice" || component.kind === "image") {
    const ids = component.options.map((option) => option.option_id);
    const op = fc.constantFrom("in" as const, "not_in" as const);
    const picks = fc.subarray(ids, { minLength: 1 });
    return fc.oneof(
      answered,
      fc.tuple(op, picks).map(([which, option_ids]) => ({ component_key, op: which, option_ids })),
      fc.constantFrom(...ids).map((value) => ({ component_key, op: "eq" as const, value })),
    );
  }
  if (component.kind === "number") return ordered(fc.integer({ min: -20, max: 60 }));
  if (component.kind === "date") return ordered(day);
  if (component.kind !== "text") return answered;
  return fc.oneof(
    answered,
    shortText.map((value) => ({ component_key, op: "eq" as const, value })),
  );
}

/** A condition about some of these questions, a few levels deep. */
function arbitraryCondition(questions: readonly QuestionComponent[]): fc.Arbitrary<Condition> {
  if (questions.length === 0) return fc.constantFrom<Condition>({ all: [] }, { any: [] }, { not: { all: [] } });
  const leaf = fc.oneof(...questions.map(leafOn));
  return fc.letrec<{ node: Condition }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 5, arbitrary: leaf },
      { weight: 1, arbitrary: fc.array(tie("node"), { maxLength: 3 }).map((all) => ({ all })) },
      { weight: 1, arbitrary: fc.array(tie("node"), { maxLength: 3 }).map((any) => ({ any })) },
      { weight: 1, arbitrary: tie("node").map((not) => ({ not })) },
    ),
  })).node;
}

/** An expression with these names, such as an author could write. */
function arbitraryExpression(names: readonly string[]): fc.Arbitrary<string> {
  const quoted = names.map((name) => (/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) ? name : `{${name}}`));
  const literal = fc.integer({ min: 0, max: 40 }).map((quarters) => String(quarters / 4));
  const atom = quoted.length === 0 ? literal : fc.oneof(literal, fc.constantFrom(...quoted));
  return fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 4, arbitrary: atom },
      fc.tuple(tie("node"), fc.constantFrom("+", "-", "*", "/"), tie("node")).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(fc.constantFrom("min", "max"), tie("node"), tie("node")).map(([fn, a, b]) => `${fn}(${a}, ${b})`),
      fc.tuple(fc.constantFrom("round", "floor", "ceil", "abs", "-"), tie("node")).map(([fn, a]) => `${fn}(${a})`),
      fc
        .tuple(tie("node"), fc.constantFrom("<", "<=", ">", ">=", "==", "!="), tie("node"), tie("node"))
        .map(([a, op, b, c]) => `if(${a} ${op} ${b}, ${c}, ${a})`),
    ),
  })).node;
}

/** Adds conditions, rules, formulas and product blocks to pages that have their questions already. */
function completed(pages: readonly Page[], dimensions: QuizDocument["dimensions"]): fc.Arbitrary<QuizDocument> {
  const questions = pages.flatMap((page) => page.components).filter(isQuestion);
  const condition = arbitraryCondition(questions);
  const ids = dimensions.map((dimension) => dimension.dimension_id);
  const numbers = questions.filter((question) => question.kind === "number").map((question) => question.component_key);
  const pageKey = pages.length === 0 ? fc.constant("") : fc.constantFrom(...pages.map((page) => page.page_key));
  const product = fc.record({
    product_id: fc.integer({ min: 1, max: 4 }).map((id) => `gid://shopify/Product/${id}`),
    variant_id: fc.constantFrom(null, "gid://shopify/ProductVariant/1"),
    when: fc.option(condition),
    dimension_id: fc.constantFrom(null, ...ids),
  });
  const block = fc.record({
    source: fc.constantFrom("fixed" as const, "winner" as const, "answers" as const),
    products: fc.array(product, { maxLength: 4 }),
    limit: fc.integer({ min: 1, max: 5 }),
  });
  const rule = fc.record({ source_page_key: pageKey, when: condition, target_page_key: pageKey });
  const parts = fc.record({
    visible: fc.array(fc.option(condition), { minLength: pages.length, maxLength: pages.length }),
    formulas: fc.array(fc.option(arbitraryExpression([...numbers, ...ids])), { maxLength: pages.length }),
    blocks: fc.array(fc.option(block), { maxLength: pages.length }),
    rules: fc.array(rule, { maxLength: pages.length === 0 ? 0 : 4 }),
    mapped: fc.subarray(questions),
    looks: partly({ presentation: fc.option(presentation) }),
  });
  return parts.map(({ visible, formulas, blocks, rules, mapped, looks }) => ({
    pages: pages.map((page, index) => {
      const components = [...page.components];
      const expression = formulas[index] ?? null;
      const picked = blocks[index] ?? null;
      const component_key = `formula_${index + 1}`;
      if (expression !== null) components.push({ kind: "formula", component_key, label: "Sum", expression });
      if (picked !== null) components.push({ kind: "products", block_key: `block_${index + 1}`, ...picked });
      return { ...page, visible_when: visible[index] ?? null, components };
    }),
    jump_rules: rules.map((each, index) => ({ jump_rule_key: `rule_${index + 1}`, ...each })),
    dimensions: [...dimensions],
    property_mappings: mapped.map(({ component_key }) => ({ component_key, property_name: "property" })),
    ...looks,
  }));
}

/**
 * Valid quiz documents of up to six pages, in the form that `checkDocument` returns: every kind of component,
 * conditions on earlier and later pages, jumps in every direction, negative points, awkward keys, and any subset of the
 * theme.
 */
export function arbitraryDocument(): fc.Arbitrary<QuizDocument> {
  const shape = fc.record({ pages: fc.array(pageShape, { maxLength: 6 }), dimensions: fc.integer({ min: 0, max: 3 }) });
  return shape.chain(({ pages, dimensions: count }) => {
    const dimensions = ["dry_skin", "oily-skin", "mixed"].slice(0, count).map((dimension_id) => ({
      dimension_id,
      name: `Name of ${dimension_id}`,
    }));
    const ids = dimensions.map((dimension) => dimension.dimension_id);
    const bare = pages.map(({ kind, skippable, title, style, looks, headline, components }, index): Page => {
      const built = components.map((each, place) => componentOf(each, `q_${index + 1}_${place + 1}`, ids));
      const page_key = style(`page_${index + 1}`);
      const ofKind = kind === "result" ? headline : {};
      return { page_key, title, ...looks, ...ofKind, kind, skippable, visible_when: null, components: built };
    });
    return completed(bare, dimensions);
  });
}

function numberAnswer({ min, max, step }: NumberComponent): fc.Arbitrary<AnswerValue> {
  const lowest = min === null ? -10 : 0;
  const highest = max === null ? 50 : Math.floor((max - (min ?? 0)) / step + 1e-9);
  const steps = fc.integer({ min: Math.min(lowest, highest), max: Math.max(lowest, highest) });
  // Through a decimal text, like the value of a browser's number field: 0.1 * 3 does not occur there.
  return steps.map((count) => ({ value: Number(((min ?? 0) + count * step).toFixed(6)) }));
}

/** Any valid answer to a question. */
function arbitraryAnswer(component: QuestionComponent): fc.Arbitrary<AnswerValue> {
  switch (component.kind) {
    case "choice":
    case "image": {
      const ids = component.options.map((option) => option.option_id);
      const maxLength = component.multiple ? ids.length : 1;
      return fc.subarray(ids, { minLength: 1, maxLength }).map((option_ids) => ({ option_ids }));
    }
    case "number":
      return numberAnswer(component);
    case "date":
      return fc
        .tuple(day, component.with_time ? fc.option(time) : fc.constant(null))
        .map(([date, at]) => ({ value: { date, time: at } }));
    default:
      return shortText.map((value) => ({ value: `x${value}`.slice(0, 40) }));
  }
}

/** Valid answers to some of a document's questions. */
export function arbitraryAnswers(document: QuizDocument): fc.Arbitrary<Answers> {
  const questions = document.pages.flatMap((page) => page.components).filter(isQuestion);
  const given = questions.map((question) => fc.option(arbitraryAnswer(question), { freq: 3 }));
  return fc.tuple(...given).map((answers) => {
    const found = new Map<string, AnswerValue>();
    for (const [index, question] of questions.entries()) {
      const answer = answers[index] ?? null;
      if (answer !== null) found.set(question.component_key, answer);
    }
    return found;
  });
}

/** A valid document with valid answers to it. */
export function arbitraryQuiz(): fc.Arbitrary<{ document: QuizDocument; answers: Answers }> {
  return arbitraryDocument().chain((document) => arbitraryAnswers(document).map((answers) => ({ document, answers })));
}
