/** @jsxImportSource #draw */

import { choiceLimits as limits, otherTextLength } from "../../engine/choice-limits.ts";
import type {
  ChoiceComponent,
  ChoiceOption,
  FormulaComponent,
  NumberComponent,
  QuestionComponent,
} from "../../engine/document.ts";
import type { Child, Props } from "../draw/jsx-runtime.ts";
import { languageOf } from "../texts/load-texts.ts";
import { Complaint, describedBy, QuestionText } from "../view/field.tsx";
import { type FieldProps, later, type PartProps, type Stage, shownText, type TypedComponent } from "../view/stage.ts";
import { longestLine, TypedField } from "../view/typed-field.tsx";
import { writeNumber } from "../view/write-number.ts";
import { ChoiceField, chosenIn, labelOf } from "./choice-field.tsx";
import { boundsOf, refuse } from "./date-limits.ts";
import styles from "./questions.css?inline";
import { Rating } from "./rating.tsx";
import { shuffled } from "./shuffled.ts";
import { questionTexts } from "./texts.ts";

/** Questions in the forms that few quizzes use, and what helps to answer them, in a file of its own [player.size]. */

export const css = styles;
export const choiceLimits = limits;
export { refuse };

/** How long nothing is typed, in ms, before what was written beside an option becomes part of the answer. */
const pause = 1_000;

/** [player.help] */
function fieldOf({ stage, component, id }: PartProps<QuestionComponent>): FieldProps {
  const text = component.help?.trim();
  const help = text && (
    <p class="hint" id={`${id}-help`}>
      {text}
    </p>
  );
  return { stage, id, wrong: stage.here.wrong.answers.get(component.component_key), help };
}

/** The texts of a screen without a page's own. */
const usual = new WeakMap<Stage, Stage["texts"]>();

/** A page's own word on its button [player.onward]. */
export function beforeDrawing(stage: Stage): void {
  const texts = usual.get(stage) ?? stage.texts;
  usual.set(stage, texts);
  const label = stage.view.page?.next_label?.trim();
  const word = label && shownText(stage, label);
  stage.texts = word ? { ...texts, next: word, finish: word } : texts;
}

export function choice(props: PartProps<ChoiceComponent>): Child {
  const { stage, component, goesOn } = props;
  const field = { ...fieldOf(props), component };
  if (component.style === "dropdown") return <Dropdown {...field} />;
  return (
    <ChoiceField
      {...field}
      goesOn={goesOn}
      drawn={drawnOptions(stage, component)}
      hint={howMany(stage, component)}
      settle={(ids, option_id) => settle(field, ids, option_id)}
      below={(option) => <Beside {...field} option={option} />}
    />
  );
}

export { choice as image };

/** A question that is typed, with what helps to answer it. */
function typed(props: PartProps<TypedComponent>): Child {
  const { component } = props;
  return <TypedField {...fieldOf(props)} component={onOneLine(component)} attributes={attributesOf(component)} />;
}

/** Browsers fill in names on one line only. */
const onOneLine = (component: TypedComponent): TypedComponent =>
  component.kind === "text" && component.format === "name"
    ? { ...component, max_length: Math.min(component.max_length, longestLine) }
    : component;

export { typed as date, typed as email, typed as phone, typed as text };

function attributesOf(component: TypedComponent): Props<HTMLInputElement> {
  if (component.kind === "date") return boundsOf(component);
  if (component.kind !== "text") return {};
  const { format, placeholder } = component;
  return { autocomplete: format === "name" ? format : undefined, placeholder: placeholder || undefined };
}

export function number(props: PartProps<NumberComponent>): Child {
  const { component } = props;
  return component.style === "rating" ? <Rating {...fieldOf(props)} component={component} /> : typed(props);
}

/** A formula's value with its unit and decimals; nothing if it has no value [player.formula-form]. */
export function formula({ stage, component }: PartProps<FormulaComponent>): Child {
  const { component_key, label, unit, decimals } = component;
  const value = stage.view.formulas.get(component_key) ?? null;
  if (value === null) return null;
  const form = typeof decimals === "number" && { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const written = new Intl.NumberFormat(stage.locale, form || {}).format(value);
  return (
    <p class="fact">
      <span>{label}</span> <output>{unit ? `${written}\u00a0${unit}` : written}</output>
    </p>
  );
}

/** Why a question with limits keeps the shopper on its page; undefined: it has none, or they are met. */
export function missing(stage: Stage, component: QuestionComponent): string | undefined {
  if (!("options" in component)) return undefined;
  const answer = stage.run.view.answers.get(component.component_key);
  return answer && !limits.isEnough(component, answer) ? howMany(stage, component) : undefined;
}

/** Makes what was written beside an option part of the answer. */
function commit(stage: Stage, component: ChoiceComponent): void {
  const { component_key } = component;
  const other_text = stage.typed.get(component_key);
  if (other_text === undefined) return;
  const option_ids = chosenIn(stage.run.view, component_key);
  if (option_ids.length > 0) stage.run.answer(component_key, { option_ids, other_text });
}

const textsOf = ({ locale }: Stage) => questionTexts[languageOf(locale)];

/** How many options to choose [player.choice-limits]; undefined: any number. */
function howMany(stage: Stage, component: ChoiceComponent): string | undefined {
  const { multiple, min_choices, max_choices } = component;
  const texts = textsOf(stage);
  const write = (count: number): string => writeNumber(count, stage.locale);
  const [min, max] = [min_choices ?? 0, max_choices ?? 0];
  if (!multiple || (min < 2 && max === 0)) return undefined;
  if (max === 0) return texts.min.replace("{min}", write(min));
  if (min < 2) return texts.max.replace("{max}", write(max));
  return texts.range.replace("{min}", write(min)).replace("{max}", write(max));
}

/** The order of a session, also while it lasts on a screen on which a new session begins. */
const orders = new WeakMap<object, Map<string, readonly ChoiceOption[]>>();

function drawnOptions({ here, options }: Stage, { component_key, options: all, shuffle }: ChoiceComponent) {
  if (!shuffle) return all;
  const known = orders.get(here) ?? new Map<string, readonly ChoiceOption[]>();
  orders.set(here, known);
  const drawn = known.get(component_key) ?? shuffled(all, `${options.recorder?.sessionId} ${component_key}`);
  known.set(component_key, drawn);
  return drawn;
}

/**
 * An exclusive option clears the others and is cleared by them; one too many is not chosen, and the question says why
 * [player.choice-limits]. What was written beside an option stays while that is chosen.
 */
function settle(
  { stage, component }: { stage: Stage; component: ChoiceComponent },
  ids: Set<string>,
  option_id: string,
) {
  const { options, multiple, max_choices, component_key } = component;
  const isExclusive = (one: string): boolean => options.some((each) => each.option_id === one && each.exclusive);
  if (ids.has(option_id)) {
    for (const one of [...ids]) if (one !== option_id && (isExclusive(option_id) || isExclusive(one))) ids.delete(one);
  }
  if (multiple && ids.size > (max_choices || ids.size)) {
    const most = textsOf(stage).max.replace("{max}", writeNumber(max_choices ?? 0, stage.locale));
    stage.here.wrong.answers.set(component_key, most);
    stage.say(most);
    return null;
  }
  return { other_text: writtenIn(stage, component) };
}

/** What is in the field beside an option. */
function writtenIn({ typed, run }: Stage, { component_key }: ChoiceComponent): string | undefined {
  const answer = run.view.answers.get(component_key);
  return typed.get(component_key) ?? (answer && "option_ids" in answer ? answer.other_text : undefined);
}

/** What is still typed when the page goes, of which no field tells. */
let waiting = (): void => {};
for (const type of ["pagehide", "visibilitychange"]) addEventListener(type, () => waiting(), true);

/** The text field of the option that has one, once it is chosen [player.other-text]. */
function Beside({ stage, component, id, option }: FieldProps & { component: ChoiceComponent; option: ChoiceOption }) {
  const { component_key } = component;
  if (!option.other || !chosenIn(stage.view, component_key).includes(option.option_id)) return null;
  const write = (text: string): void => {
    stage.typed.set(component_key, text);
    waiting = () => commit(stage, component);
    later(stage, `${id}-other`, () => commit(stage, component), pause);
  };
  return (
    <label class="beside" key={`${option.option_id} text`}>
      <span class="hint">{textsOf(stage).other}</span>
      <input
        type="text"
        name={`${component_key}-other`}
        aria-label={`${labelOf(stage, option)}: ${textsOf(stage).other}`}
        maxLength={otherTextLength}
        value={writtenIn(stage, component) ?? ""}
        onInput={(event) => write(event.currentTarget.value)}
        onChange={(event) => {
          write(event.currentTarget.value);
          commit(stage, component);
        }}
        // keys of the choice around it are for its options
        onKeyDown={(event) => event.stopPropagation()}
      />
    </label>
  );
}

/** The options in a native list to open, which lists of countries or sizes are best in [player.dropdowns]. */
function Dropdown({ stage, component, id, wrong, help }: FieldProps & { component: ChoiceComponent }) {
  const { component_key, required } = component;
  const chosen = chosenIn(stage.view, component_key)[0] ?? "";
  const choose = (option_id: string): void => {
    const other_text = writtenIn(stage, component);
    stage.run.answer(component_key, { option_ids: option_id === "" ? [] : [option_id], other_text });
    stage.here.wrong.answers.delete(component_key);
  };
  const drawn = drawnOptions(stage, component);
  return (
    <div class="field">
      <label for={id}>
        <QuestionText stage={stage} component={component} />
      </label>
      {help}
      <select
        class="open"
        id={id}
        name={component_key}
        required={required}
        aria-invalid={wrong === undefined ? undefined : "true"}
        aria-describedby={describedBy(help && `${id}-help`, wrong !== undefined && `${id}-wrong`)}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">{stage.texts.choose_one}</option>
        {drawn.map((option) => (
          <option key={option.option_id} value={option.option_id}>
            {labelOf(stage, option)}
          </option>
        ))}
      </select>
      {drawn.map((option) => (
        <Beside key={option.option_id} stage={stage} component={component} id={id} wrong={wrong} option={option} />
      ))}
      <Complaint id={`${id}-wrong`} text={wrong} />
    </div>
  );
}
