/** @jsxImportSource #draw */
import type { NumberComponent } from "../../engine/document.ts";
import type { Child } from "../draw/jsx-runtime.ts";
import { Complaint, describedBy, QuestionText } from "../view/field.tsx";
import type { FieldProps } from "../view/stage.ts";
import { writeNumber } from "../view/write-number.ts";

/** More values than this are no rating, whatever a document says. */
const mostValues = 11;

/**
 * A row of radios: one value each, with the keyboard and names of radios. Those up to the chosen one are filled
 * [player.ratings].
 */
export function Rating({ stage, component, id, wrong, help }: FieldProps & { component: NumberComponent }): Child {
  const { component_key, icon = "star", min_label, max_label } = component;
  const answer = stage.view.answers.get(component_key);
  const chosen = answer !== undefined && "value" in answer ? Number(answer.value) : Number.NaN;
  const choose = (value: number): void => {
    stage.run.answer(component_key, { value });
    stage.here.wrong.answers.delete(component_key);
  };
  const values = valuesOf(component);
  const ends = [min_label, max_label].map((label) => label?.trim());
  const nameOf = (value: number): string => {
    const end = value === values[0] ? ends[0] : value === values.at(-1) ? ends[1] : "";
    return [writeNumber(value, stage.locale), end].filter(Boolean).join(", ");
  };
  const isOn = (value: number): boolean => (icon === "number" ? value === chosen : value <= chosen);
  const group = {
    role: "radiogroup" as const,
    "aria-required": component.required,
    "aria-invalid": wrong === undefined ? undefined : ("true" as const),
  };
  return (
    <fieldset
      class="field"
      {...group}
      aria-labelledby={`${id}-asked`}
      aria-describedby={describedBy(help && `${id}-help`, wrong !== undefined && `${id}-wrong`)}
    >
      <legend id={`${id}-asked`}>
        <QuestionText stage={stage} component={component} />
      </legend>
      {help}
      <div class="rating">
        {values.map((value) => (
          <label key={value} class={isOn(value) ? `${icon} on` : icon}>
            <input
              type="radio"
              name={component_key}
              value={value}
              checked={value === chosen}
              aria-label={nameOf(value)}
              onChange={() => choose(value)}
            />
            <span aria-hidden="true">{icon === "number" && writeNumber(value, stage.locale)}</span>
          </label>
        ))}
      </div>
      {ends.some(Boolean) && (
        <div class="ends" aria-hidden="true">
          {ends.map((label, index) => (
            <span key={index}>{label}</span>
          ))}
        </div>
      )}
      <Complaint id={`${id}-wrong`} text={wrong} />
    </fieldset>
  );
}

/** The values on the question's steps, as the engine counts them. */
function valuesOf({ min, max, step }: NumberComponent): number[] {
  const low = min ?? 1;
  const last = Math.floor(((max ?? low + 4 * step) - low) / step + 1e-9);
  // through a decimal text, so that steps of 0.1 leave no binary digits
  return Array.from({ length: Math.min(last + 1, mostValues) }, (_, index) => Number((low + index * step).toFixed(9)));
}
