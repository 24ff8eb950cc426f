import { firstWords } from "../../../engine/condition-words.ts";

interface IdBoxesProps {
  known: readonly { id: string; name: string }[];
  chosen: readonly string[];
  choose: (ids: string[]) => void;
  field: string;
}

/** A box for each option or result that a condition may name, plus unknown ones that it names, so that they can be removed. */
export function IdBoxes({ known, chosen, choose, field }: IdBoxesProps) {
  const ids = new Set([...known.map(({ id }) => id), ...chosen]);
  const nameOf = (id: string): string => {
    const found = known.find((one) => one.id === id);
    return found ? firstWords(found.name, id) : `${id} (not there any more)`;
  };
  return (
    <div className="qs-ed-options" data-field={field}>
      {[...ids].map((id) => {
        const index = chosen.indexOf(id);
        return (
          <label key={id}>
            <input
              type="checkbox"
              data-field={index === -1 ? undefined : `${field}.${index}`}
              checked={index !== -1}
              onChange={(event) => {
                const others = chosen.filter((one) => one !== id);
                choose(event.currentTarget.checked ? [...chosen, id] : others);
              }}
            />
            {nameOf(id)}
          </label>
        );
      })}
    </div>
  );
}
