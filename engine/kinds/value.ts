import type {
  ChoiceComponent,
  Component,
  ContactComponent,
  FormulaComponent,
  NumberComponent,
  QuestionComponent,
} from "../document.ts";

export type Kind = Component["kind"];
export type QuestionKind = QuestionComponent["kind"];

/**
 * What the answer to a component of each kind is, or `none` for a component that is not answered [engine.kinds]. What
 * reads answers decides by this and not by the kind: a kind that is added works wherever its value does.
 */
export const valueOfKind = {
  choice: "options",
  image: "options",
  text: "text",
  email: "contact",
  phone: "contact",
  number: "number",
  date: "date",
  formula: "none",
  content: "none",
  products: "none",
} as const satisfies Readonly<Record<Kind, string>>;

type Values = typeof valueOfKind;
export type Value = Values[Kind];
/** The kinds with this value. */
export type KindOfValue<Wanted extends Value> = {
  [Each in Kind]: Values[Each] extends Wanted ? Each : never;
}[Kind];

export const kinds = Object.keys(valueOfKind) as [Kind, ...Kind[]];

/** The kinds with one of these values. */
export const kindsOf = <Wanted extends Value>(...values: readonly Wanted[]): readonly KindOfValue<Wanted>[] =>
  kinds.filter((kind): kind is KindOfValue<Wanted> => (values as readonly Value[]).includes(valueOfKind[kind]));

/** The value of answers to a kind as stored, perhaps by another release; null: unknown here. */
export const valueOfText = (kind: unknown): Value | null =>
  typeof kind === "string" && Object.hasOwn(valueOfKind, kind) ? valueOfKind[kind as Kind] : null;

/** The kind by whose name answers are known: kinds that are answered with options have the same figures. */
export const kindOfAnswers = <Of extends string>(kind: Of): Exclude<Of, "image"> | "choice" =>
  valueOfText(kind) === "options" ? "choice" : (kind as Exclude<Of, "image">);

/** A component beside the value of its answers, which tells the two apart in a switch over all values. */
export type Valued<Each extends Component> = Each extends Component
  ? { value: Values[Each["kind"]]; component: Each }
  : never;

export const valued = <Each extends Component>(component: Each): Valued<Each> =>
  ({ value: valueOfKind[component.kind], component }) as Valued<Each>;

// The player, which has no byte to spare [player.size], carries these comparisons instead of the table; kinds.test.ts
// holds them to it.

/** Whether a shopper answers components of this kind. */
export const isQuestion = (component: Component): component is QuestionComponent =>
  component.kind !== "formula" && component.kind !== "content" && component.kind !== "products";

export const isChoice = (component: Component): component is ChoiceComponent =>
  component.kind === "choice" || component.kind === "image";

export const isContact = (component: Component): component is ContactComponent =>
  component.kind === "email" || component.kind === "phone";

export const isNumber = (component: Component): component is NumberComponent => component.kind === "number";

/** Whether formulas can compute with it: it is a number, or a formula itself. */
export const isOperand = (component: Component): component is NumberComponent | FormulaComponent =>
  component.kind === "formula" || isNumber(component);

/** For the end of a switch over all values: fails to compile if one is missing. */
export function impossible(value: never): never {
  throw new TypeError(`an unknown value: ${String(value)}`);
}
