/** @jsxImportSource #draw */
import type { ChoiceComponent, ChoiceOption } from "../../engine/document.ts";
import type { Child } from "../draw/jsx-runtime.ts";
import type { RunView } from "../run/types.ts";
import { Complaint, describedBy, QuestionText } from "../view/field.tsx";
import { Picture } from "../view/picture.tsx";
import { type FieldProps, type Stage, shownText } from "../view/stage.ts";

/**
 * A choice like the main part's (view/choice.tsx) with more to decide, apart from it because that has no byte to spare
 * [player.size].
 */

/** Number of options from which a wide quiz uses two columns. */
const manyOptions = 6;

/**
 * Whether an arrow key is down, whose synthetic click never goes on, as in the main part [player.arrow-keys]. One keyboard
 * serves all questions.
 */
let isArrow = false;
const release = (): void => {
  isArrow = false;
};

/** Enter chooses an option, and Space on the chosen one goes on, where an answer alone does. */
function keyDown(event: KeyboardEvent, goesOn: (() => void) | null): void {
  const { key, target } = event;
  isArrow = key.startsWith("Arrow");
  if (goesOn === null || event.repeat || !(target instanceof HTMLInputElement)) return;
  if (key === "Enter" && !target.checked) target.click();
  else if (key === " " && target.checked) goesOn();
  else return;
  event.preventDefault();
}

interface ChoiceProps extends FieldProps {
  component: ChoiceComponent;
  /** called if an answer alone leads to the next page */
  goesOn: (() => void) | null;
  /** changes which options are chosen, after one of them was; returns what else the answer has; null: it is refused */
  settle?: (ids: Set<string>, option_id: string) => { other_text?: string | undefined } | null;
  /** the options in the order in which they are drawn */
  drawn?: readonly ChoiceOption[];
  /** how many to choose, or that any number may be */
  hint?: string | undefined;
  /** drawn below an option */
  below?: (option: ChoiceOption) => Child;
}

export function ChoiceField({ stage, component, id, wrong, goesOn, help, settle, drawn, hint, below }: ChoiceProps) {
  const { component_key, multiple, options, style } = component;
  const chosen = chosenIn(stage.view, component_key);
  const choose = ({ option_id, other }: ChoiceOption, box: HTMLInputElement): void => {
    const ids = new Set(multiple ? chosenIn(stage.run.view, component_key) : []);
    if (box.checked) ids.add(option_id);
    else ids.delete(option_id);
    const more = settle?.(ids, option_id);
    if (more === null) {
      box.checked = false;
      stage.drawAgain();
      return;
    }
    const option_ids = options.flatMap((option) => (ids.has(option.option_id) ? option.option_id : []));
    stage.run.answer(component_key, { ...more, option_ids });
    stage.here.wrong.answers.delete(component_key);
    if (!isArrow && !other) goesOn?.();
  };
  const click = ({ option_id, other }: ChoiceOption): void => {
    // Choosing the current option again fires no change event, so the click alone goes on.
    if (!isArrow && chosen.includes(option_id) && !other) goesOn?.();
  };
  // the form that a style asks for is every kind's [player.chips]
  const asCards = component.kind === "image" && !style;
  const group = multiple
    ? {}
    : {
        role: "radiogroup" as const,
        "aria-required": component.required,
        "aria-invalid": wrong === undefined ? undefined : ("true" as const),
      };
  return (
    <fieldset
      class="field"
      {...group}
      aria-labelledby={`${id}-asked`}
      aria-describedby={describedBy(
        help && `${id}-help`,
        multiple && `${id}-hint`,
        wrong !== undefined && `${id}-wrong`,
      )}
      onKeyDown={(event) => keyDown(event, goesOn)}
      onKeyUp={release}
      onPointerDown={release}
    >
      <legend id={`${id}-asked`}>
        <QuestionText stage={stage} component={component} />
        {multiple && component.required && <span class="unseen"> {stage.texts.required}</span>}
      </legend>
      {help}
      {multiple && (
        <p class="hint" id={`${id}-hint`}>
          {hint ?? stage.texts.choose_any}
        </p>
      )}
      <div class={`options ${asCards ? "cards" : (style ?? (options.length < manyOptions ? "" : "many"))}`}>
        {(drawn ?? options).map((option) => [
          <label key={option.option_id} class={asCards ? "option card" : "option"}>
            <input
              type={multiple ? "checkbox" : "radio"}
              name={component_key}
              value={option.option_id}
              checked={chosen.includes(option.option_id)}
              aria-invalid={multiple && wrong !== undefined ? "true" : undefined}
              onClick={() => click(option)}
              onChange={(event) => choose(option, event.currentTarget)}
            />
            {(asCards || option.image_url) && (
              <Picture url={option.image_url} alt={option.image_alt} kind={asCards ? "square" : "small"} keepsRoom />
            )}
            <span class="label">{labelOf(stage, option)}</span>
          </label>,
          below?.(option),
        ])}
      </div>
      <Complaint id={`${id}-wrong`} text={wrong} />
    </fieldset>
  );
}

export const labelOf = (stage: Stage, { label, image_alt, option_id }: ChoiceOption): string =>
  shownText(stage, label).trim() || image_alt || option_id;

export function chosenIn({ answers }: RunView, component_key: string): readonly string[] {
  const answer = answers.get(component_key);
  return answer !== undefined && "option_ids" in answer ? answer.option_ids : [];
}
