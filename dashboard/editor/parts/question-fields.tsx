import { useValue } from "../context.tsx";
import { componentPath, type Place } from "../document/edits.ts";
import { ChoiceField, FlagField, NumberField, TextField } from "./fields.tsx";
import { OptionsForm } from "./options-form.tsx";

/** The fields of choices and numbers. */

export function ChoiceFields({ place }: { place: Place }) {
  const at = componentPath(place);
  const multiple = useValue<boolean>([...at, "multiple"]);
  const isPictures = useValue<string>([...at, "kind"]) === "image";
  return (
    <>
      <FlagField path={[...at, "multiple"]} label="Several may be chosen" />
      <ChoiceField
        path={[...at, "kind"]}
        label="Shown as"
        data={[
          { value: "choice", label: "Texts" },
          { value: "image", label: "Pictures" },
        ]}
      />
      <ChoiceField
        path={[...at, "style"]}
        label="Layout"
        fallback={isPictures ? "" : "list"}
        clearable={isPictures}
        data={[
          { value: "list", label: "List" },
          { value: "chips", label: "Chips" },
          ...(multiple ? [] : [{ value: "dropdown", label: "Drop-down list" }]),
        ]}
      />
      {multiple && (
        <div className="qs-ed-pair">
          <NumberField path={[...at, "min_choices"]} label="At least" otherwise={undefined} form="integer" />
          <NumberField path={[...at, "max_choices"]} label="At most" otherwise={undefined} form="integer" />
        </div>
      )}
      <FlagField
        path={[...at, "shuffle"]}
        label="Shuffle the options"
        description="Each visit has an order of its own. Options that exclude others or have a text field stay last."
        off="left out"
      />
      <OptionsForm place={place} />
    </>
  );
}

/** The fields of a number [editor.ratings]. */
export function NumberFields({ place }: { place: Place }) {
  const at = componentPath(place);
  const style = useValue<string>([...at, "style"]);
  return (
    <>
      <div className="qs-ed-pair">
        <NumberField path={[...at, "min"]} label="Minimum" otherwise={null} />
        <NumberField path={[...at, "max"]} label="Maximum" otherwise={null} />
        <NumberField path={[...at, "step"]} label="Step" otherwise={1} />
        <TextField path={[...at, "unit"]} label="Unit" empty="null" placeholder="cm" />
      </div>
      <ChoiceField
        path={[...at, "style"]}
        label="Shown as"
        data={[
          { value: "field", label: "Field" },
          { value: "slider", label: "Slider" },
          { value: "rating", label: "Rating" },
        ]}
      />
      {style === "rating" && (
        <>
          <ChoiceField
            path={[...at, "icon"]}
            label="Symbol"
            fallback="star"
            data={[
              { value: "star", label: "Stars" },
              { value: "heart", label: "Hearts" },
              { value: "number", label: "Numbers" },
            ]}
          />
          <div className="qs-ed-pair">
            <TextField path={[...at, "min_label"]} label="Text at the lowest value" empty="left out" />
            <TextField path={[...at, "max_label"]} label="Text at the highest value" empty="left out" />
          </div>
        </>
      )}
    </>
  );
}
