/** @jsxImportSource #draw */
import type { TextComponent } from "../../engine/document.ts";
import { isContact } from "../../engine/kinds/value.ts";
import type { Props } from "../draw/jsx-runtime.ts";
import { commitField, isReadable, isTicked, typedIn } from "./commit-fields.ts";
import { Complaint, describedBy, QuestionText } from "./field.tsx";
import { fill } from "./fill.ts";
import { lengthOf, partOfDate } from "./read-typed.ts";
import { type FieldProps, later, type Stage, setRight, type TypedComponent } from "./stage.ts";
import { writeNumber } from "./write-number.ts";

interface TypedProps extends FieldProps {
  component: TypedComponent;
  /** of its input, besides those that every field has */
  attributes?: Props<HTMLInputElement> | undefined;
}

/** Longer texts get a multi-line field. */
export const longestLine = 120;

export function TypedField(props: TypedProps) {
  const { component } = props;
  const { Slider } = props.stage.options.brought;
  const isSlider = component.kind === "number" && component.style === "slider";
  return isSlider && Slider ? <Slider {...props} component={component} /> : <Entry {...props} />;
}

function Entry({ stage, component, id, wrong, help, attributes }: TypedProps) {
  const { component_key } = component;
  const unit = component.kind === "number" ? component.unit : null;
  const typed = typedIn(stage, component);
  const take = (text: string): void => {
    if (text === typedIn(stage, component)) return;
    stage.typed.set(component_key, text);
    if (isReadable(stage, component)) setRight(stage, "answers", component_key);
    sayRest(stage, component, id);
    stage.drawAgain();
  };
  const rest = component.kind === "text" ? restOf(component, typed) : null;
  const read = ({ currentTarget: field }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }): void =>
    take(field.validity.badInput ? partOfDate : field.value);
  const shared = {
    id,
    name: component_key,
    required: component.required,
    "aria-invalid": wrong === undefined ? undefined : ("true" as const),
    "aria-describedby": describedBy(
      help && `${id}-help`,
      unit !== null && `${id}-unit`,
      rest !== null && `${id}-rest`,
      wrong !== undefined && `${id}-wrong`,
    ),
    // a date's parts would be emptied with it
    value: typed === partOfDate ? undefined : typed,
    onInput: read,
    onChange: (event: Parameters<typeof read>[0]) => {
      // a password manager may fire this event alone
      read(event);
      commitField(stage, component);
    },
  };
  const isLong = component.kind === "text" && component.max_length > longestLine;
  return (
    <div class="field">
      <label for={id}>
        <QuestionText stage={stage} component={component} />
      </label>
      {help}
      {component.kind === "phone" && stage.phones?.Country({ stage, component, id, wrong })}
      <span class="entry">
        {isLong ? (
          <textarea {...shared} rows={4} placeholder={attributes?.placeholder} />
        ) : (
          // a partly filled date has no value, so its input fires no event
          <input {...attributesOf(component)} {...attributes} {...shared} onKeyUp={read} />
        )}
        {unit !== null && (
          <span class="unit" id={`${id}-unit`}>
            {unit}
          </span>
        )}
      </span>
      {rest !== null && (
        <p class="hint" id={`${id}-rest`}>
          {restText(stage, rest)}
        </p>
      )}
      <Complaint id={`${id}-wrong`} text={wrong} />
      <Consent stage={stage} component={component} id={id} />
    </div>
  );
}

/** Hints for keyboards, pickers and autofill. */
function attributesOf(component: TypedComponent): Props<HTMLInputElement> {
  if (isContact(component)) {
    const kind = component.kind === "phone" ? "tel" : "email";
    return { type: kind, inputMode: kind, autocomplete: kind, maxLength: 320, dir: "ltr" };
  }
  if (component.kind === "number") {
    // Phones' number pads have no minus sign.
    return { type: "text", inputMode: (component.min ?? 0) < 0 ? "text" : "decimal", autocomplete: "off" };
  }
  if (component.kind === "text") return { type: "text" };
  // Without a maximum, browsers accept years of six digits.
  return component.with_time
    ? { type: "datetime-local", max: "9999-12-31T23:59" }
    : { type: "date", max: "9999-12-31" };
}

/** The consent box below a contact's field [player.consent-asked]. */
function Consent({ stage, component, id }: Omit<TypedProps, "wrong">) {
  const consent = isContact(component) ? component.consent : null;
  if (consent === null) return null;
  const unticked = stage.here.wrong.consents.get(component.component_key);
  const tick = (isOn: boolean): void => {
    stage.ticked.set(component.component_key, isOn);
    commitField(stage, component);
    setRight(stage, "consents", component.component_key);
    stage.drawAgain();
  };
  return (
    <>
      <label class="consent">
        <input
          type="checkbox"
          name={`${component.component_key}-consent`}
          checked={isTicked(stage, component) === true}
          required={consent.required && component.required}
          aria-invalid={unticked === undefined ? undefined : "true"}
          aria-describedby={describedBy(unticked !== undefined && `${id}-unticked`)}
          onChange={(event) => tick(event.currentTarget.checked)}
        />
        <span>{consent.label}</span>
      </label>
      <Complaint id={`${id}-unticked`} text={unticked} />
    </>
  );
}

/** The number of characters left once there are few, else null [player.text-length]. */
function restOf({ max_length }: TextComponent, typed: string): number | null {
  const rest = max_length - lengthOf(typed);
  return rest <= Math.max(20, max_length / 10) && typed !== "" ? rest : null;
}

const restText = ({ texts, locale }: Stage, rest: number): string =>
  fill(texts.characters_left, { rest: writeNumber(rest, locale) });

/** Screen readers announce the rest when typing pauses, not at each key. */
function sayRest(stage: Stage, component: TypedComponent, id: string): void {
  const rest = component.kind === "text" ? restOf(component, typedIn(stage, component)) : null;
  later(stage, id, () => rest !== null && stage.say(restText(stage, rest)), 1000);
}
