import { Button } from "@mantine/core";
import { memo, useCallback, useRef } from "react";
import { firstWords } from "../../../engine/condition-words.ts";
import type { ChoiceOption } from "../../../engine/document.ts";
import { IconGrip, IconPlus } from "../../ui/icons.tsx";
import { useDocument, useEdit, useEditor, useFinding, useReadOnly } from "../context.tsx";
import {
  addOption,
  choiceAt,
  componentPath,
  duplicateOption,
  moveOption,
  nextBlankOption,
  type Place,
  pasteOptions,
} from "../document/edits.ts";
import { saidOf } from "../document/finding-words.ts";
import { nths } from "../locate.ts";
import { EntryMenu } from "./entry-menu.tsx";
import { FlagField, fieldName, TextField } from "./fields.tsx";
import { Advanced, KeyField } from "./key-field.tsx";
import { PictureField } from "./picture-field.tsx";
import { type Dragged, useDrag } from "./use-drag.ts";
import { useRemove } from "./use-remove.ts";
import { withoutBullet } from "./word-lists.ts";

/**
 * The options of a choice. Enter goes to the next option without a text, or adds one; each pasted line fills such an
 * option, or becomes one [editor.options].
 */
export function OptionsForm({ place }: { place: Place }) {
  const options = useDocument((document) => choiceAt(document, place)?.options);
  const isPictures = useDocument((document) => choiceAt(document, place)?.kind === "image");
  const add = useAddOption(place);
  const readOnly = useReadOnly();
  const finding = useFinding([...componentPath(place), "options"]);
  if (!options) return null;
  const nth = nths(options.map(({ option_id }) => option_id));
  return (
    <fieldset className="qs-ed-condition" data-field={[...componentPath(place), "options"].join(".")} tabIndex={-1}>
      <legend>Options</legend>
      {finding && <span className="qs-ed-error">{saidOf(finding)}</span>}
      <ol className="qs-ed-list">
        {options.map((option, index) => (
          <OptionRow
            key={`${option.option_id} ${nth[index]}`}
            {...{ option, index, isPictures }}
            page={place.page}
            component={place.component}
            count={options.length}
          />
        ))}
      </ol>
      <Button
        size="compact-sm"
        variant="subtle"
        disabled={readOnly}
        leftSection={<IconPlus />}
        onClick={() => add(options.length)}
      >
        Add an option
      </Button>
      {options.length > 0 && (
        <Advanced
          title="Keys of options"
          keys={{ at: fieldName([...componentPath(place), "options"]), name: "option_id" }}
        >
          {options.map(({ label, option_id }, index) => (
            <KeyField
              key={`${option_id} ${nth[index]}`}
              path={[...componentPath(place), "options", index, "option_id"]}
              label={`Key of ${firstWords(label) || `option ${index + 1}`}`}
            />
          ))}
          <small>A new key makes it a new option: answers given before stay with the old one.</small>
        </Advanced>
      )}
      {options.length > 0 && <SpecialOptions place={place} options={options} />}
    </fieldset>
  );
}

/** Which option excludes the others, and which one has a text field [editor.special-options]. */
function SpecialOptions({ place, options }: { place: Place; options: readonly ChoiceOption[] }) {
  const at = componentPath(place);
  const multiple = useDocument((document) => choiceAt(document, place)?.multiple);
  const nth = nths(options.map(({ option_id }) => option_id));
  return (
    <Advanced
      title="“None of these” and “Other”"
      keys={{ at: fieldName([...at, "options"]), name: ["exclusive", "other"] }}
      open={options.some(({ exclusive, other }) => exclusive || other)}
    >
      {options.map(({ label, option_id, exclusive, other }, index) => {
        const name = firstWords(label) || `option ${index + 1}`;
        return (
          <div key={`${option_id} ${nth[index]}`} className="qs-ed-form">
            {(multiple || exclusive) && (
              <FlagField
                path={[...at, "options", index, "exclusive"]}
                label={`${name}: excludes the others`}
                off="left out"
              />
            )}
            {(other || !options.some((one) => one.other)) && (
              <FlagField
                path={[...at, "options", index, "other"]}
                label={`${name}: with a text field`}
                off="left out"
              />
            )}
          </div>
        );
      })}
    </Advanced>
  );
}

function useAddOption(place: Place) {
  const edit = useEdit();
  const { session } = useEditor();
  const focus = useFocusOption(place);
  const { page, component } = place;
  return useCallback(
    (at: number) => {
      const keys = session.keys();
      edit((document) => addOption(document, keys, { page, component }, "", at));
      focus(at);
    },
    [edit, session, focus, page, component],
  );
}

function useFocusOption({ page, component }: Place) {
  const { ui } = useEditor();
  return useCallback(
    (option: number) => {
      const field = [...componentPath({ page, component }), "options", option, "label"].join(".");
      ui.set({ focusRequest: { field, at: (ui.state.focusRequest?.at ?? 0) + 1 } });
    },
    [ui, page, component],
  );
}

interface OptionRowProps {
  option: ChoiceOption;
  index: number;
  isPictures: boolean;
  page: number;
  component: number;
  count: number;
}

const OptionRow = memo(function OptionRow({ option, index, isPictures, page, component, count }: OptionRowProps) {
  const edit = useEdit();
  const { session } = useEditor();
  const place = { page, component };
  const add = useAddOption(place);
  const remove = useRemove();
  const focus = useFocusOption(place);
  const move = useCallback(
    (to: number) => edit((document) => moveOption(document, { page, component }, index, to)),
    [edit, page, component, index],
  );
  const drop = useCallback(
    ({ place: [, , from = 0] }: Dragged, behind: boolean) => {
      const to = behind ? index + 1 : index;
      edit((document) => moveOption(document, { page, component }, from, from < to ? to - 1 : to));
    },
    [edit, page, component, index],
  );
  const row = useRef<HTMLLIElement>(null);
  const sort = `option ${page} ${component}`;
  const grip = useRef<HTMLSpanElement>(null);
  const edge = useDrag(row, {
    sort,
    grip,
    place: [page, component, index],
    accepts: (other) => other === sort,
    onDrop: drop,
  });
  const at = [...componentPath(place), "options", index];
  const onPaste = (event: React.ClipboardEvent): void => {
    const lines = event.clipboardData
      .getData("text/plain")
      .split(/\r?\n/)
      .map((line) => (withoutBullet(line) ?? line).trim())
      .filter((line) => line !== "");
    if (lines.length < 2) return;
    event.preventDefault();
    const keys = session.keys();
    const { edit: filled, last } = pasteOptions(session.document, keys, { place, at: index, lines });
    edit(() => filled);
    focus(last);
  };
  const next = (): void => {
    const blank = nextBlankOption(session.document, place, index);
    if (blank !== null) focus(blank);
    else if (option.label.trim() !== "") add(index + 1);
  };
  const onKey = (event: React.KeyboardEvent): void => {
    const to = event.key === "ArrowUp" ? index - 1 : event.key === "ArrowDown" ? index + 1 : -1;
    if (event.key === "Enter") next();
    else if (event.altKey && to >= 0 && to < count) move(to);
    else return;
    event.preventDefault();
  };
  return (
    <li ref={row} data-edge={edge} className="qs-ed-option" data-field={at.join(".")}>
      <span ref={grip} className="qs-ed-grip" aria-hidden="true" title="Drag to another place">
        <IconGrip />
      </span>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the field in it */}
      <div className="qs-grow" onKeyDown={onKey} onPaste={onPaste}>
        <TextField path={[...at, "label"]} label={`Option ${index + 1}`} />
      </div>
      <EntryMenu
        {...{ index, count, move }}
        name={option.label || `option ${index + 1}`}
        duplicate={() => edit((document, session) => duplicateOption(document, session.keys(), place, index))}
        remove={() =>
          remove({ kind: "option", place, option: index }, `"${firstWords(option.label, `option ${index + 1}`)}"`)
        }
      />
      {(isPictures || option.image_url !== null) && (
        <div className="qs-ed-wide">
          <PictureField path={[...at, "image_url"]} label={`Picture of option ${index + 1}`} empty="null" />
          {option.image_url !== null && (
            <TextField
              path={[...at, "image_alt"]}
              label={`What the picture of option ${index + 1} shows`}
              empty="left out"
            />
          )}
        </div>
      )}
    </li>
  );
});
