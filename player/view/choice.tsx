/** @jsxImportSource #draw */
import type { ChoiceComponent, ChoiceOption } from "../../engine/document.ts";
import type { RunView } from "../run/types.ts";
import { Complaint, describedBy, QuestionText } from "./field.tsx";
import { Picture } from "./picture.tsx";
import { type FieldProps, setRight, shownText } from "./stage.ts";

interface ChoiceProps extends FieldProps {
  component: ChoiceComponent;
  /** called if an answer alone leads to the next page */
  goesOn: (() => void) | null;
}

/** Number of options from which a wide quiz uses two columns. */
const manyOptions = 6;

export function ChoiceField({ stage, component, id, wrong, goesOn }: ChoiceProps) {
  const { component_key, multiple, options } = component;
  const chosen = chosenIn(stage.view, component_key);
  const choose = (option_id: string, isChosen: boolean): void => {
    const ids = new Set(multiple ? chosenIn(stage.run.view, component_key) : []);
    if (isChosen) ids.add(option_id);
    else ids.delete(option_id);
    const option_ids = options.flatMap((option) => (ids.has(option.option_id) ? option.option_id : []));
    stage.run.answer(component_key, { option_ids });
    setRight(stage, "answers", component_key);
    if (wasPressed()) goesOn?.();
  };
  const click = (option_id: string): void => {
    // Choosing the current option again fires no change event, so the click alone goes on.
    if (press() && chosen.includes(option_id)) goesOn?.();
  };
  const asCards = component.kind === "image";
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
      aria-describedby={describedBy(multiple && `${id}-hint`, wrong !== undefined && `${id}-wrong`)}
      onKeyDown={(event) => keyDown(event, goesOn)}
      onKeyUp={release}
      onPointerDown={release}
    >
      <legend id={`${id}-asked`}>
        <QuestionText stage={stage} component={component} />
        {multiple && component.required && <span class="unseen"> {stage.texts.required}</span>}
      </legend>
      {multiple && (
        <p class="hint" id={`${id}-hint`}>
          {stage.texts.choose_any}
        </p>
      )}
      <div class={asCards ? "options cards" : options.length < manyOptions ? "options" : "options many"}>
        {options.map((option) => (
          <label key={option.option_id} class={asCards ? "option card" : "option"}>
            <input
              type={multiple ? "checkbox" : "radio"}
              name={component_key}
              value={option.option_id}
              checked={chosen.includes(option.option_id)}
              aria-invalid={multiple && wrong !== undefined ? "true" : undefined}
              onClick={() => click(option.option_id)}
              onChange={(event) => choose(option.option_id, event.currentTarget.checked)}
            />
            <OptionPicture option={option} kind={asCards ? "square" : "small"} />
            <span class="label">{shownText(stage, option.label).trim() || option.image_alt || option.option_id}</span>
          </label>
        ))}
      </div>
      <Complaint id={`${id}-wrong`} text={wrong} />
    </fieldset>
  );
}

function chosenIn({ answers }: RunView, component_key: string): readonly string[] {
  const answer = answers.get(component_key);
  return answer !== undefined && "option_ids" in answer ? answer.option_ids : [];
}

const OptionPicture = ({ option, kind }: { option: ChoiceOption; kind: "square" | "small" }) =>
  kind === "square" || option.image_url ? (
    <Picture url={option.image_url} alt={option.image_alt} kind={kind} keepsRoom />
  ) : null;

/**
 * Distinguishes a click, Space or Enter on a radio from an arrow key, which checks the next radio with a synthetic
 * click: that comes between the key's `keydown` and `keyup` in every browser, whatever its `detail` is
 * [player.arrow-keys]. One keyboard serves all questions.
 */
const keys = { isArrow: false, isPressed: false };

function keyDown(event: KeyboardEvent, goesOn: (() => void) | null): void {
  const { key, target } = event;
  keys.isArrow = key.startsWith("Arrow");
  if (goesOn === null || event.repeat || !(target instanceof HTMLInputElement)) return;
  // Enter on the chosen option submits the form. Space on it does not fire a click in every browser.
  if (key === "Enter" && !target.checked) {
    event.preventDefault();
    target.click();
  } else if (key === " " && target.checked) {
    event.preventDefault();
    goesOn();
  }
}

const release = (): void => {
  keys.isArrow = false;
};

/** Records a click; returns whether the shopper made it. */
function press(): boolean {
  keys.isPressed = !keys.isArrow;
  return keys.isPressed;
}

/** Whether such a click caused the change event being handled. */
function wasPressed(): boolean {
  const was = keys.isPressed;
  keys.isPressed = false;
  return was;
}
