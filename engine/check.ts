import { readImage } from "./addresses.ts";
import { readComponent } from "./check-components.ts";
import { readCondition } from "./check-conditions.ts";
import { readPresentation } from "./check-presentation.ts";
import { checkReferences } from "./check-references.ts";
import {
  bounds,
  type Dimension,
  type JumpRule,
  type Page,
  type PropertyMapping,
  type QuizDocument,
} from "./document.ts";
import { Fields, type Problem, Problems, readText, textUpTo } from "./read.ts";

export type CheckedDocument = { ok: true; document: QuizDocument } | { ok: false; problems: Problem[] };

/**
 * Validates unknown JSON as a quiz document [quiz-documents.checked, quiz-documents.defaults]: types, bounds, unknown
 * fields, then, for a well-formed document, repeated keys, references and expressions [quiz-documents.empty]. Never
 * throws; reports at most 100 problems. The returned document shares nothing with the value and has every field, with
 * these defaults for fields that are missing or null: `null` for visible_when, an option's image_url, consent, unit,
 * when, variant_id, dimension_id, min, max; `false` for skippable, required, multiple, with_time; `[]` for jump_rules,
 * dimensions, property_mappings, components; `{}` for points; step 1, style "field", max_length 1000, limit 1000.
 * Fields that came later (presentation, subtitle, a page's image_url, headline, outcome, next_label, image_alt, a
 * component's visible_when, a question's help, what dates and texts have besides, a condition's rank) stay left out, so that older documents are returned unchanged.
 */
export function checkDocument(value: unknown): CheckedDocument {
  const problems = new Problems();
  const document = readDocument(value, problems);
  if (problems.list.length === 0) checkReferences(document, problems);
  return problems.list.length === 0 ? { ok: true, document } : { ok: false, problems: problems.list };
}

function readDocument(value: unknown, problems: Problems): QuizDocument {
  const fields = new Fields(value, "", problems);
  const upTo = (max: number): { min: number; max: number } => ({ min: 0, max });
  const document: QuizDocument = {
    pages: fields.list("pages", upTo(bounds.pages), readPage, "required"),
    jump_rules: fields.list("jump_rules", upTo(bounds.jumpRules), readJumpRule, "optional"),
    dimensions: fields.list("dimensions", upTo(bounds.dimensions), readDimension, "optional"),
    property_mappings: fields.list("property_mappings", upTo(bounds.propertyMappings), readMapping, "optional"),
    ...fields.ifPresent("presentation", readPresentation),
  };
  fields.refuseOthers();
  return document;
}

function readPage(value: unknown, path: string, problems: Problems): Page {
  const fields = new Fields(value, path, problems);
  const page: Page = {
    page_key: fields.key("page_key"),
    title: fields.text("title", bounds.text),
    ...fields.ifPresent("subtitle", textUpTo(bounds.text)),
    ...fields.ifPresent("image_url", readImage),
    ...fields.ifPresent("headline", textUpTo(bounds.text)),
    ...fields.ifPresent("outcome", readOutcome),
    ...fields.ifPresent("next_label", readLabel),
    kind: fields.oneOf("kind", ["question", "content", "result"]),
    skippable: fields.flag("skippable"),
    visible_when: fields.orNull("visible_when", readCondition),
    components: fields.list("components", { min: 0, max: bounds.componentsPerPage }, readComponent, "optional"),
  };
  if (page.headline && page.kind !== "result") problems.add(fields.at("headline"), "belongs to a result page alone");
  if (page.outcome && page.kind !== "result") problems.add(fields.at("outcome"), "belongs to a result page alone");
  fields.refuseOthers();
  return page;
}

/** A blank text would leave a button without a name, so it counts as none. */
function readLabel(value: unknown, path: string, problems: Problems): string | null {
  const text = readText(value, path, problems, { min: 0, max: bounds.text });
  return text.trim() === "" ? null : text;
}

function readOutcome(value: unknown, path: string, problems: Problems): { dimension_id: string } {
  const fields = new Fields(value, path, problems);
  const outcome = { dimension_id: fields.key("dimension_id") };
  fields.refuseOthers();
  return outcome;
}

function readJumpRule(value: unknown, path: string, problems: Problems): JumpRule {
  const fields = new Fields(value, path, problems);
  const when = fields.any("when");
  const rule: JumpRule = {
    jump_rule_key: fields.key("jump_rule_key"),
    source_page_key: fields.key("source_page_key"),
    when: when === undefined ? { all: [] } : readCondition(when, fields.at("when"), problems),
    target_page_key: fields.key("target_page_key"),
  };
  fields.refuseOthers();
  return rule;
}

function readDimension(value: unknown, path: string, problems: Problems): Dimension {
  const fields = new Fields(value, path, problems);
  const dimension = { dimension_id: fields.key("dimension_id"), name: fields.text("name", bounds.text) };
  fields.refuseOthers();
  return dimension;
}

function readMapping(value: unknown, path: string, problems: Problems): PropertyMapping {
  const fields = new Fields(value, path, problems);
  const component_key = fields.key("component_key");
  const property_name = fields.text("property_name", bounds.key, 1);
  const values = fields.map("option_values", bounds.options, (entry, at) =>
    readText(entry, at, problems, { min: 0, max: bounds.text }),
  );
  fields.refuseOthers();
  const mapping = { component_key, property_name };
  return Object.keys(values).length === 0 ? mapping : { ...mapping, option_values: values };
}
