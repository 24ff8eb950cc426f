/** @jsxImportSource #draw */
import type { NumberComponent } from "../../engine/document.ts";
import { commitField } from "./commit-fields.ts";
import { Complaint, describedBy, QuestionText } from "./field.tsx";
import { typedNumber } from "./parse-number.ts";
import { type FieldProps, later, setRight } from "./stage.ts";
import { writeNumber } from "./write-number.ts";

/**
 * Ms without movement after which a slider's value becomes the answer: a key that is held down moves it many times a
 * second.
 */
const rest = 400;
/** Number of steps of a slider without an upper bound in the document. */
const stepsWithoutEnd = 100;

export function Slider({ stage, component, id, wrong, help }: FieldProps & { component: NumberComponent }) {
  const { component_key, step, unit } = component;
  const { low, high } = endsOf(component);
  const answer = stage.view.answers.get(component_key);
  const answered = answer !== undefined && "value" in answer && typeof answer.value === "number" ? answer.value : null;
  const value = stage.here.moved.get(id) ?? answered;
  const shown = value ?? low + Math.round((high - low) / step / 2) * step;
  const write = (number: number): string =>
    unit === null ? writeNumber(number, stage.locale) : `${writeNumber(number, stage.locale)}\u00a0${unit}`;
  const move = (input: HTMLInputElement): void => {
    stage.here.moved.set(id, input.valueAsNumber);
    stage.typed.set(component_key, typedNumber(input.valueAsNumber, stage.locale));
    setRight(stage, "answers", component_key);
    stage.drawAgain();
  };
  return (
    <div class="field">
      <label for={id}>
        <QuestionText stage={stage} component={component} />
      </label>
      {help}
      <output class={value === null ? "reading unset" : "reading"} for={id} aria-live="off">
        {value === null ? "–" : write(value)}
      </output>
      <input
        type="range"
        id={id}
        class={value === null ? "unset" : undefined}
        name={component_key}
        min={low}
        max={high}
        step={step}
        value={shown}
        aria-valuetext={value === null ? stage.texts.slider_unset : write(value)}
        aria-invalid={wrong === undefined ? undefined : "true"}
        aria-describedby={describedBy(help && `${id}-help`, wrong !== undefined && `${id}-wrong`)}
        style={{ "--filled": value === null || high === low ? "0%" : `${(100 * (shown - low)) / (high - low)}%` }}
        onInput={(event) => move(event.currentTarget)}
        onChange={(event) => {
          move(event.currentTarget);
          later(stage, id, () => commitField(stage, component), rest);
        }}
        onBlur={() => commitField(stage, component)}
        onPointerUp={(event) => {
          // The shopper may mean the initial position, which fires no change event.
          if (value === null) move(event.currentTarget);
          later(stage, id, () => commitField(stage, component), rest);
        }}
      />
      <div class="ends" aria-hidden="true">
        <span>{write(low)}</span>
        <span>{write(high)}</span>
      </div>
      <Complaint id={`${id}-wrong`} text={wrong} />
    </div>
  );
}

/** The ends of the slider, on steps as the engine counts them. */
function endsOf({ min, max, step }: NumberComponent): { low: number; high: number } {
  if (min !== null) return { low: min, high: max ?? min + stepsWithoutEnd * step };
  if (max === null) return { low: 0, high: stepsWithoutEnd * step };
  const high = Math.floor(max / step) * step;
  return { low: Math.min(0, high - stepsWithoutEnd * step), high };
}
