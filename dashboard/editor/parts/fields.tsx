import { Checkbox, Textarea, TextInput } from "@mantine/core";
import { useId } from "react";
import type { QuizDocument } from "../../../engine/document.ts";
import { NumberBox } from "../../ui/number-box.tsx";
import { useEdit, useFinding, useReadOnly, useSet, useValue } from "../context.tsx";
import type { Path } from "../document/change.ts";
import { saidOf } from "../document/finding-words.ts";
import type { Edit } from "../document/history.ts";

/** Inputs bound to a field of the document. Each carries its field's name, which the lint's links look for. */

interface FieldProps {
  path: Path;
  label: string;
  description?: string;
}

export const fieldName = (path: Path): string => path.join(".");

function useField<Value>(path: Path, said: string) {
  const value = useValue<Value>(path);
  const set = useSet(path, said);
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  const error = finding ? saidOf(finding) : undefined;
  return { value, set, error, readOnly, "data-field": fieldName(path) };
}

interface TextFieldProps extends FieldProps {
  placeholder?: string;
  /** what the document holds for an empty text */
  empty?: "text" | "null" | "left out";
  lines?: number;
  mono?: boolean;
  /** the edit for a text that is more than the field's own; by default it sets the field */
  make?: (document: QuizDocument, path: Path, text: string) => Edit;
}

export function TextField({
  path,
  label,
  description,
  placeholder,
  empty = "text",
  lines = 1,
  ...rest
}: TextFieldProps) {
  const { mono, make } = rest;
  const { value, set, error, readOnly, ...named } = useField<string | null>(path, `change ${label.toLowerCase()}`);
  const edit = useEdit();
  const props = {
    ...named,
    label,
    description,
    placeholder,
    error,
    readOnly,
    value: value ?? "",
    classNames: mono ? { input: "qs-mono" } : {},
    onChange: (event: { currentTarget: { value: string } }) => {
      const text = event.currentTarget.value;
      if (make) edit((document) => make(document, path, text));
      else set(text === "" && empty !== "text" ? (empty === "null" ? null : undefined) : text);
    },
  };
  return lines > 1 ? <Textarea autosize minRows={lines} maxRows={16} {...props} /> : <TextInput {...props} />;
}

interface NumberFieldProps extends FieldProps {
  placeholder?: string;
  /** the document's value for an empty field */
  otherwise: number | null | undefined;
  form?: "decimal" | "integer";
}

/** Takes values out of bounds too: the lint reports them, and leaving the field must not change them. */
export function NumberField({ path, label, description, placeholder, otherwise, form }: NumberFieldProps) {
  const { value, set, error, ...named } = useField<number | null>(path, `change ${label.toLowerCase()}`);
  return (
    <NumberBox
      {...named}
      {...{ label, description, placeholder, error, form }}
      value={value ?? null}
      onNumber={set}
      whenEmpty={{ value: otherwise ?? null, set: () => set(otherwise) }}
    />
  );
}

/** @param off what the document holds for a flag that is off */
export function FlagField({ path, label, description, off }: FieldProps & { off?: "left out" }) {
  const { value, set, error, readOnly, ...named } = useField<boolean | undefined>(path, `change "${label}"`);
  return (
    <Checkbox
      {...named}
      label={label}
      description={description}
      error={error}
      disabled={readOnly}
      checked={value === true}
      onChange={(event) => set(event.currentTarget.checked || (off ? undefined : false))}
    />
  );
}

interface ChoiceFieldProps extends FieldProps {
  data: readonly { value: string; label: string }[];
  /** the document's value for the empty choice */
  otherwise?: null | undefined;
  fallback?: string;
  clearable?: boolean;
}

/** A choice from a fixed list, as a native select: it works with every keyboard and phone. */
export function ChoiceField({ path, label, description, data, otherwise, fallback = "", clearable }: ChoiceFieldProps) {
  const { value, set, error, readOnly, ...named } = useField<string | null>(path, `change ${label.toLowerCase()}`);
  return (
    <NativeField
      {...named}
      label={label}
      description={description}
      error={error}
      disabled={readOnly}
      value={value ?? fallback}
      data={clearable ? [{ value: "", label: "–" }, ...data] : data}
      onChange={(next) => set(next === "" ? otherwise : next)}
    />
  );
}

interface NativeProps {
  label: string;
  description?: string | undefined;
  error?: string | undefined;
  disabled?: boolean;
  value: string;
  data: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
  isLabelUnseen?: boolean;
  "data-field"?: string;
}

/** A native select that also shows the current value, marked, if it is not in the list. */
export function NativeField({ label, description, error, data, value, onChange, isLabelUnseen, ...rest }: NativeProps) {
  const id = useId();
  const isKnown = data.some((entry) => entry.value === value);
  return (
    <div className="qs-ed-native">
      <label htmlFor={id} className={isLabelUnseen ? "qs-unseen" : ""}>
        {label}
      </label>
      {description !== undefined && <small id={`${id}-text`}>{description}</small>}
      <select
        {...rest}
        id={id}
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {!isKnown && <option value={value}>{value === "" ? "Choose…" : `${value} (not there any more)`}</option>}
        {data.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a draft may have two things of one key
          <option key={`${entry.value} ${index}`} value={entry.value}>
            {entry.label}
          </option>
        ))}
      </select>
      {error !== undefined && (
        <span id={`${id}-error`} className="qs-ed-error">
          {error}
        </span>
      )}
    </div>
  );
}
