import { Text } from "@mantine/core";
import { memo, useMemo } from "react";
import { firstWords } from "../../../engine/condition-words.ts";
import type { PropertyMapping, QuestionComponent } from "../../../engine/document.ts";
import { isChoice } from "../../../engine/kinds/value.ts";
import { useDocument, useEdit, useFinding, useFindings, useReadOnly, useSame } from "../context.tsx";
import { questionsOf } from "../document/condition.ts";
import { setField } from "../document/edits.ts";
import { saidOf } from "../document/finding-words.ts";
import { addMapping, removeMapping, setMappingValue } from "../document/logic-edits.ts";
import { piecesOf, useNear } from "../parts/use-near.ts";

/** The property and the values under which answers are stored. */
export function PropertyTable() {
  const pages = useDocument((document) => document.pages);
  const mappings = useDocument((document) => document.property_mappings);
  const questions = useMemo(
    () =>
      questionsOf({ pages, jump_rules: [], dimensions: [], property_mappings: [] }).map(({ component }) => component),
    [pages],
  );
  const rows = useMemo(() => rowsOf(questions, mappings), [questions, mappings]);
  return (
    <section aria-label="Properties of people" className="qs-ed-form">
      <h2>Properties</h2>
      <Text size="sm" c="dimmed">
        An answer can be kept as a property of the person, under a name that you choose, and each option as its own
        value.
      </Text>
      <section
        className="qs-ed-grid-box"
        aria-label="Properties of answers"
        data-field="property_mappings"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        tabIndex={0}
      >
        <table className="qs-ed-grid">
          <thead>
            <tr>
              <th scope="col">Question</th>
              <th scope="col">Property</th>
              <th scope="col">Values</th>
            </tr>
          </thead>
          {piecesOf(rows, rowsPerPiece).map((piece, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no keys of their own
            <Piece key={at} rows={piece} begin={at * rowsPerPiece} />
          ))}
        </table>
      </section>
    </section>
  );
}

const rowsPerPiece = 25;

function Piece({ rows, begin }: { rows: readonly TableRow[]; begin: number }) {
  const { ref, isNear } = useNear<HTMLTableSectionElement>(begin === 0, (field) =>
    rows.some(({ index }) => `${field}.`.startsWith(`property_mappings.${index}.`)),
  );
  return (
    <tbody ref={ref}>
      {isNear ? (
        rows.map(({ question, index }, at) =>
          question ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a draft may have two questions of one key
            <Row key={`${question.component_key} ${begin + at}`} question={question} index={index} />
          ) : (
            <LostRow key={`lost ${index}`} index={index} />
          ),
        )
      ) : (
        <tr>
          <td style={{ blockSize: `${rows.length * 2.8}rem` }} />
        </tr>
      )}
    </tbody>
  );
}

interface TableRow {
  /** null: the question was removed */
  question: QuestionComponent | null;
  /** index of the mapping; -1: the answer is not stored */
  index: number;
}

/** Each question with its property mappings, plus mappings whose question is gone. */
function rowsOf(questions: readonly QuestionComponent[], mappings: readonly PropertyMapping[]): TableRow[] {
  const known = questions.flatMap((question): TableRow[] => {
    const own = mappings.flatMap(({ component_key }, index) => (component_key === question.component_key ? index : []));
    return (own.length === 0 ? [-1] : own).map((index) => ({ question, index }));
  });
  const keys = new Set(questions.map(({ component_key }) => component_key));
  const lost = mappings.flatMap(({ component_key }, index) => (keys.has(component_key) ? [] : index));
  return [...known, ...lost.map((index) => ({ question: null, index }))];
}

const Row = memo(function Row({ question, index }: { question: QuestionComponent; index: number }) {
  const { component_key } = question;
  const mapping = useDocument((document) => document.property_mappings[index]);
  const edit = useEdit();
  const readOnly = useReadOnly();
  const at = ["property_mappings", index, "property_name"];
  const finding = useFinding(at);
  const name = firstWords(question.question, component_key);
  const rename = (next: string): void => {
    if (mapping === undefined) {
      if (next !== "") edit((document) => addMapping(document, component_key, next));
    } else if (next === "") edit((document) => removeMapping(document, index));
    else edit((document) => setField(document, at, next, "name a property"));
  };
  return (
    <tr data-field={mapping && `property_mappings.${index}`}>
      <th scope="row">{name}</th>
      <td>
        <input
          type="text"
          aria-label={`Property of ${name}`}
          placeholder="not kept"
          data-field={mapping && at.join(".")}
          aria-invalid={finding !== null}
          readOnly={readOnly}
          value={mapping?.property_name ?? ""}
          onChange={(event) => rename(event.currentTarget.value)}
        />
        {finding && <span className="qs-ed-error">{saidOf(finding)}</span>}
      </td>
      <td>{mapping && <Values question={question} mapping={mapping} index={index} />}</td>
    </tr>
  );
});

interface ValuesProps {
  question: QuestionComponent;
  mapping: PropertyMapping;
  index: number;
}

/** The value stored for each option, plus values for removed options: clearing one removes it. */
function Values({ question, mapping, index }: ValuesProps) {
  const edit = useEdit();
  const readOnly = useReadOnly();
  const at = `property_mappings.${index}.option_values`;
  const optionValues = mapping.option_values ?? {};
  const options = isChoice(question) ? question.options : [];
  const gone = Object.keys(optionValues).filter((id) => !options.some(({ option_id }) => option_id === id));
  const fields = [
    ...options.map(({ option_id: id, label }) => ({
      id,
      label: firstWords(label, id),
      placeholder: firstWords(label),
    })),
    ...gone.map((id) => ({ id, label: `${id} (not there any more)`, placeholder: "" })),
  ];
  const paths = fields.map(({ id }) => `${at}.${id}`);
  const findings = useFindings(useSame(paths));
  return (
    <span className="qs-ed-values">
      {fields.map(({ id, label, placeholder }, place) => {
        const finding = findings.get(`${at}.${id}`);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a draft may have two options of one key
          <label key={`${id} ${place}`}>
            {label}
            <input
              type="text"
              placeholder={placeholder}
              data-field={`${at}.${id}`}
              aria-invalid={finding !== undefined}
              readOnly={readOnly}
              value={optionValues[id] ?? ""}
              onChange={(event) => {
                const value = event.currentTarget.value;
                edit((document) => setMappingValue(document, index, id, value));
              }}
            />
            {finding && <span className="qs-ed-error">{saidOf(finding)}</span>}
          </label>
        );
      })}
    </span>
  );
}

/** A mapping whose question was removed. */
function LostRow({ index }: { index: number }) {
  const edit = useEdit();
  const finding = useFinding(["property_mappings", index, "component_key"]);
  const name = useDocument((document) => document.property_mappings[index]?.property_name ?? "");
  return (
    <tr data-field={`property_mappings.${index}`}>
      <th scope="row">{finding ? `A question that is gone: ${finding.message}` : "A question that is gone"}</th>
      <td>{name}</td>
      <td>
        <button
          type="button"
          data-field={`property_mappings.${index}.component_key`}
          onClick={() => edit((document) => removeMapping(document, index))}
        >
          Remove
        </button>
      </td>
    </tr>
  );
}
