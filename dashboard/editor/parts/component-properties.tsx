import { Alert } from "@mantine/core";
import type { Component } from "../../../engine/document.ts";
import { type QuestionKind, valueOfKind } from "../../../engine/kinds/value.ts";
import { useDocument, useSession, useSet, useValue } from "../context.tsx";
import { componentAt, componentPath, type Place } from "../document/edits.ts";
import { saidOf } from "../document/finding-words.ts";
import { keyOfComponent } from "../locate.ts";
import { ConditionForm } from "./condition-form.tsx";
import { DateFields } from "./date-fields.tsx";
import { FlagField, fieldName, NativeField, NumberField, TextField } from "./fields.tsx";
import { FormulaField } from "./formula-field.tsx";
import { Advanced, KeyField } from "./key-field.tsx";
import { kindNames } from "./kinds.ts";
import { ProductsForm } from "./products-form.tsx";
import { ChoiceFields, NumberFields } from "./question-fields.tsx";
import { RichTextField } from "./rich-text-field.tsx";
import { TextFields } from "./text-fields.tsx";

/** All fields of a component, depending on its kind. */
export function ComponentProperties({ place }: { place: Place }) {
  const kind = useDocument((document) => componentAt(document, place)?.kind);
  const key = useDocument((document) => {
    const component = componentAt(document, place);
    return component ? keyOfComponent(component) : "";
  });
  const path = componentPath(place);
  if (kind === undefined) return null;
  return (
    <div className="qs-ed-form" data-field={path.join(".")} tabIndex={-1} key={key}>
      <h2>{kindNames[kind]}</h2>
      <OwnFindings place={place} />
      <Fields kind={kind} place={place} componentKey={key} />
      <ConditionForm path={[...path, "visible_when"]} label="Shown when" none="Shown whenever its page is." />
      <ComponentKey place={place} kind={kind} />
    </div>
  );
}

function OwnFindings({ place }: { place: Place }) {
  const name = componentPath(place).join(".");
  const findings = useSession((state) => state.findings);
  return findings
    .filter(({ path }) => path === name)
    .map((finding) => (
      <Alert key={finding.code} color={finding.severity === "error" ? "red" : "yellow"} variant="light" p="xs">
        {saidOf(finding)}
      </Alert>
    ));
}

interface FieldsProps {
  kind: Component["kind"];
  place: Place;
  componentKey: string;
}

function Fields({ kind, place, componentKey }: FieldsProps) {
  const at = componentPath(place);
  switch (kind) {
    case "content":
      return <RichTextField path={[...at, "html_text"]} label="Text" />;
    case "formula":
      return (
        <>
          <TextField path={[...at, "label"]} label="Label" />
          <FormulaField path={[...at, "expression"]} component_key={componentKey} />
          <div className="qs-ed-pair">
            <TextField path={[...at, "unit"]} label="Unit" empty="left out" placeholder="cm" />
            <NumberField path={[...at, "decimals"]} label="Decimals" otherwise={undefined} form="integer" />
          </div>
        </>
      );
    case "products":
      return <ProductsForm place={place} />;
    default:
      return (
        <>
          <TextField path={[...at, "question"]} label="Question" lines={2} />
          <TextField path={[...at, "help"]} label="Help" empty="left out" description="Below the question" />
          <FlagField path={[...at, "required"]} label="Must be answered" />
          <QuestionFields kind={kind} place={place} />
        </>
      );
  }
}

function QuestionFields({ kind, place }: { kind: QuestionKind; place: Place }) {
  switch (valueOfKind[kind]) {
    case "options":
      return <ChoiceFields place={place} />;
    case "text":
      return <TextFields place={place} />;
    case "date":
      return <DateFields place={place} />;
    case "number":
      return <NumberFields place={place} />;
    case "contact":
      return <ConsentFields place={place} />;
  }
}

function ConsentFields({ place }: { place: Place }) {
  const at = [...componentPath(place), "consent"];
  const consent = useValue<object | null>(at);
  const set = useSet(at, "change the consent box");
  return (
    <>
      <NativeField
        label="Consent box"
        data-field={at.join(".")}
        value={consent ? "yes" : "no"}
        data={[
          { value: "no", label: "None" },
          { value: "yes", label: "With a box to tick" },
        ]}
        onChange={(next) => set(next === "yes" ? { label: "", required: false } : null)}
      />
      {consent && (
        <>
          <TextField path={[...at, "label"]} label="What is agreed to" lines={2} />
          <FlagField path={[...at, "required"]} label="Must be ticked" />
        </>
      )}
    </>
  );
}

/** Warns that, once people have answered, a new key makes it a new question. */
function ComponentKey({ place, kind }: { place: Place; kind: Component["kind"] }) {
  const at = componentPath(place);
  if (kind === "products") {
    return (
      <Advanced keys={{ at: fieldName(at), name: "block_key" }}>
        <KeyField
          path={[...at, "block_key"]}
          label="Key"
          description="Figures know the block by it: under a new key they begin anew."
        />
      </Advanced>
    );
  }
  const path = [...at, "component_key"];
  if (kind === "formula")
    return <KeyField path={path} label="Name in formulas" description="Formulas that name it follow." />;
  const isNew = "A new key makes it a new question: answers given before stay with the old one.";
  if (valueOfKind[kind] === "number") return <KeyField path={path} label="Name in formulas" description={isNew} />;
  return (
    <Advanced keys={{ at: fieldName(at), name: "component_key" }}>
      <KeyField
        path={path}
        label="Key"
        description={kind === "content" ? "By which figures and programs know it." : isNew}
      />
    </Advanced>
  );
}
