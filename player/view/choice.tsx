import { useRef } from "preact/hooks";
import type { ChoiceComponent, ChoiceOption } from "../../engine/document.ts";
import type { RunView } from "../run/types.ts";
import { Asked, Complaint, describedBy } from "./field.tsx";
import { Picture } from "./picture.tsx";
import type { FieldProps } from "./stage.ts";

interface ChoiceProps extends FieldProps {
  component: ChoiceComponent;
  /** where an answer alone goes on */
  goesOn: (() => void) | null;
}

/** From so many options on a wide quiz sets them in two columns. */
const manyOptions = 6;

export function ChoiceField({ stage, component, id, wrong, right, goesOn }: ChoiceProps) {
  const { component_key, multiple, options } = component;
  const chosen = chosenIn(stage.view, component_key);
  const keys = useOptionKeys(goesOn);
  const choose = (option_id: string, isChosen: boolean): void => {
    const ids = new Set(multiple ? chosenIn(stage.run.view, component_key) : []);
    if (isChosen) ids.add(option_id);
    else ids.delete(option_id);
    const option_ids = options.flatMap((option) => (ids.has(option.option_id) ? option.option_id : []));
    stage.run.answer(component_key, { option_ids });
    right("answers", component_key);
    if (keys.wasPressed()) goesOn?.();
  };
  const press = (option_id: string): void => {
    // A choice that is kept makes no change, and goes on by the click alone.
    if (keys.press() && chosen.includes(option_id)) goesOn?.();
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
      onKeyDown={keys.down}
      onKeyUp={keys.up}
      onPointerDown={keys.up}
    >
      <legend id={`${id}-asked`}>
        <Asked stage={stage} component={component} />
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
              onClick={() => press(option.option_id)}
              onChange={(event) => choose(option.option_id, event.currentTarget.checked)}
            />
            <OptionPicture option={option} kind={asCards ? "card" : "small"} />
            <span class="label">{option.label.trim() || option.option_id}</span>
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

const OptionPicture = ({ option, kind }: { option: ChoiceOption; kind: "card" | "small" }) =>
  kind === "card" || option.image_url ? (
    <Picture url={option.image_url} alt={option.image_alt} kind={kind} keepsRoom />
  ) : null;

/**
 * Tells a click, Space or Enter on a radio from an arrow key, which checks the next radio by a click of its own: that
 * one comes between the key's `keydown` and `keyup` in every browser, whatever its `detail` says [player.arrow-keys].
 */
function useOptionKeys(goesOn: (() => void) | null) {
  const state = useRef({ isArrow: false, isPressed: false }).current;
  return {
    down(event: KeyboardEvent): void {
      state.isArrow = event.key.startsWith("Arrow");
      const { target } = event;
      if (goesOn === null || event.repeat || !(target instanceof HTMLInputElement)) return;
      // Enter on what is chosen submits the form. Space on it makes no click in every browser.
      if (event.key === "Enter" && !target.checked) {
        event.preventDefault();
        target.click();
      } else if (event.key === " " && target.checked) {
        event.preventDefault();
        goesOn();
      }
    },
    up(): void {
      state.isArrow = false;
    },
    /** a click came; whether the shopper made it */
    press(): boolean {
      state.isPressed = !state.isArrow;
      return state.isPressed;
    },
    /** whether the change that is being told of came by such a click */
    wasPressed(): boolean {
      const was = state.isPressed;
      state.isPressed = false;
      return was;
    },
  };
}
