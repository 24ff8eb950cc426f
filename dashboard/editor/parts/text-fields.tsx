import { componentPath, type Place } from "../document/edits.ts";
import { ChoiceField, NumberField, TextField } from "./fields.tsx";

/** The fields of a text question. */
export function TextFields({ place }: { place: Place }) {
  const at = componentPath(place);
  return (
    <>
      <ChoiceField
        path={[...at, "format"]}
        label="Asks for"
        fallback="text"
        data={[
          { value: "text", label: "Any text" },
          { value: "name", label: "The shopper’s name" },
        ]}
      />
      <TextField path={[...at, "placeholder"]} label="Example in the empty field" empty="left out" />
      <NumberField
        path={[...at, "max_length"]}
        label="Longest answer"
        otherwise={1000}
        form="integer"
        description="In characters"
      />
    </>
  );
}
