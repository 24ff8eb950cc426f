import { Text } from "@mantine/core";
import { useMemo } from "react";
import { firstWords } from "../../../engine/condition-words.ts";
import type { PropertyMapping, QuestionComponent } from "../../../engine/document.ts";
import { isChoice } from "../../../engine/quiz.ts";
import { useDocument, useEdit, useFinding, useReadOnly } from "../context.tsx";
import { questionsOf } from "../document/condition.ts";
import { setField } from "../document/edits.ts";
import { addMapping, removeMapping, setMappingValue } from "../document/logic-edits.ts";

/** Under which property a person's answer is kept, and as what. */
export function PropertyTable() {
  const pages = useDocument((document) => document.pages);
  const mappings = useDocument((document) => document.property_mappings);
  const questions = useMemo(
    () =>
      questionsOf({ pages, jump_rules: [], dimensions: [], property_mappings: [] }).map(({ component }) => component),
    [pages],
  );
  const keys = new Set(questions.map(({ component_key }) => component_key));
  const lost = mappings.flatMap((mapping, index) => (keys.has(mapping.component_key) ? [] : [index]));
  return (
    <section aria-label="Properties of people" className="qs-ed-form">
      <h2>Properties</h2>
      <Text size="sm" c="dimmed">
        An answer can be kept as a property of the person: under a name of yours, and an option as a value of yours.
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <section className="qs-ed-grid-box" aria-label="Properties of answers" tabIndex={0}>
        <table className="qs-ed-grid">
          <thead>
            <tr>
              <th scope="col">Question</th>
              <th scope="col">Property</th>
              <th scope="col">Values</th>
            </tr>
          </thead>
          <tbody>
            {questions.map((question) => (
              <Row key={question.component_key} question={question} />
            ))}
            {lost.map((index) => (
              <LostRow key={index} index={index} />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function useMapping(component_key: string): { index: number; mapping: PropertyMapping | undefined } {
  const mappings = useDocument((document) => document.property_mappings);
  const index = mappings.findIndex((mapping) => mapping.component_key === component_key);
  return { index, mapping: mappings[index] };
}

function Row({ question }: { question: QuestionComponent }) {
  const { component_key } = question;
  const { index, mapping } = useMapping(component_key);
  const edit = useEdit();
  const readOnly = useReadOnly();
  const name = firstWords(question.question, component_key);
  const rename = (next: string): void => {
    if (mapping === undefined) {
      if (next !== "") edit((document) => addMapping(document, component_key, next));
    } else if (next === "") edit((document) => removeMapping(document, index));
    else edit((document) => setField(document, ["property_mappings", index, "property_name"], next, "name a property"));
  };
  return (
    <tr data-field={index === -1 ? undefined : `property_mappings.${index}`}>
      <th scope="row">{name}</th>
      <td>
        <input
          type="text"
          aria-label={`Property of ${name}`}
          placeholder="not kept"
          data-field={index === -1 ? undefined : `property_mappings.${index}.property_name`}
          readOnly={readOnly}
          value={mapping?.property_name ?? ""}
          onChange={(event) => rename(event.currentTarget.value)}
        />
      </td>
      <td>
        {mapping && isChoice(question) && (
          <span className="qs-ed-values">
            {question.options.map(({ option_id, label }) => (
              <label key={option_id}>
                {firstWords(label, option_id)}
                <input
                  type="text"
                  placeholder={firstWords(label)}
                  data-field={`property_mappings.${index}.option_values.${option_id}`}
                  readOnly={readOnly}
                  value={mapping.option_values?.[option_id] ?? ""}
                  onChange={(event) => {
                    const value = event.currentTarget.value;
                    edit((document) => setMappingValue(document, index, option_id, value));
                  }}
                />
              </label>
            ))}
          </span>
        )}
      </td>
    </tr>
  );
}

/** Its question is gone. */
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
