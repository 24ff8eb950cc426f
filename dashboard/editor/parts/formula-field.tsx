import { Text, TextInput } from "@mantine/core";
import { useId, useMemo, useRef, useState } from "react";
import { compileQuiz } from "../../../engine/compile-quiz.ts";
import { componentName } from "../../../engine/condition-words.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import { isOperand } from "../../../engine/kinds/value.ts";
import { score } from "../../../engine/score.ts";
import { useDocument, useFinding, useReadOnly, useSet, useUi, useValue } from "../context.tsx";
import type { Path } from "../document/change.ts";
import { saidOf } from "../document/finding-words.ts";
import { type Completion, completed, completions, formulaName } from "../document/formula-names.ts";
import { fieldName } from "./fields.tsx";

/** A formula field with name completion and the result for the preview's answers [editor.formulas]. */
export function FormulaField({ path, component_key }: { path: Path; component_key: string }) {
  const value = useValue<string>(path) ?? "";
  const set = useSet(path, "change a formula");
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const names = useNames();
  const [cursor, setCursor] = useState<number | null>(null);
  const [active, setActive] = useState(0);
  const found = cursor === null ? [] : completions(value, cursor, names);
  const chosen = found[Math.min(active, found.length - 1)];
  const take = (completion: Completion): void => {
    const next = completed(value, cursor ?? value.length, completion);
    set(next.text);
    setCursor(null);
    requestAnimationFrame(() => input.current?.setSelectionRange(next.cursor, next.cursor));
    input.current?.focus();
  };
  const onKey = (event: React.KeyboardEvent): void => {
    if (chosen === undefined) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      setActive((active + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length);
    } else if (event.key === "Enter" || event.key === "Tab") take(chosen);
    else if (event.key === "Escape") setCursor(null);
    else return;
    if (event.key !== "Tab" || chosen) event.preventDefault();
  };
  return (
    <div className="qs-ed-formula">
      <TextInput
        ref={input}
        label="Formula"
        description="Numbers, names, + - * / ( ), and min max round floor ceil abs, if(test, then, else)"
        data-field={fieldName(path)}
        classNames={{ input: "qs-mono" }}
        error={finding ? saidOf(finding) : undefined}
        readOnly={readOnly}
        value={value}
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={chosen ? `${list}-${found.indexOf(chosen)}` : undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          set(event.currentTarget.value);
          setCursor(event.currentTarget.selectionStart);
          setActive(0);
        }}
        onKeyDown={onKey}
        onBlur={() => setCursor(null)}
      />
      <div id={list} role="listbox" aria-label="Names" className="qs-ed-names" hidden={found.length === 0}>
        {found.map((completion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys of the list
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, as a combobox does
          <div
            key={completion.name}
            id={`${list}-${index}`}
            role="option"
            aria-selected={completion === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(completion)}
          >
            <span className="qs-mono">{completion.name}</span> {completion.label}
          </div>
        ))}
      </div>
      <LiveValue component_key={component_key} />
    </div>
  );
}

function useNames(): Completion[] {
  const document = useDocument((whole) => whole);
  return useMemo(() => namesOf(document), [document]);
}

const namesOf = ({ pages, dimensions }: QuizDocument): Completion[] => [
  ...pages.flatMap(({ components }) =>
    components.flatMap((component) =>
      isOperand(component) ? [{ name: formulaName(component.component_key), label: componentName(component) }] : [],
    ),
  ),
  ...dimensions.map(({ dimension_id, name }) => ({ name: formulaName(dimension_id), label: `points for ${name}` })),
];

function LiveValue({ component_key }: { component_key: string }) {
  const document = useDocument((whole) => whole);
  const answers = useUi((state) => state.answers);
  const value = useMemo(() => {
    const { formulas } = score(compileQuiz(document), answers);
    return formulas.find((formula) => formula.component_key === component_key)?.value ?? null;
  }, [document, answers, component_key]);
  return (
    <Text size="xs" c="dimmed" role="status">
      With the preview's answers: {value === null ? "no value (an answer is missing, or it divides by zero)" : value}
    </Text>
  );
}
