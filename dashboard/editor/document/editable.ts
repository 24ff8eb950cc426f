import { checkDocument } from "../../../engine/check.ts";
import { readComponent } from "../../../engine/check-components.ts";
import {
  bounds,
  type ChoiceOption,
  type Compared,
  type Component,
  type Condition,
  type ConsentBox,
  choiceStyles,
  type Dimension,
  type JumpRule,
  numberStyles,
  type OutcomeLeaf,
  type Page,
  type Presentation,
  type ProductPick,
  type PropertyMapping,
  type QuizDocument,
  ratingIcons,
} from "../../../engine/document.ts";
import { isObject, Problems } from "../../../engine/read.ts";

/**
 * A draft in the form that the editor can change: with every list and field that a document has [editor.any-draft]. A
 * draft may be invalid or made elsewhere; anything that cannot be read as part of a document is dropped.
 */
export interface Editable {
  document: QuizDocument;
  /** the paths of values that were dropped or changed when the draft was read */
  leftOut: string[];
}

export function readEditable(draft: unknown): Editable {
  const checked = checkDocument(draft);
  if (checked.ok) return { document: checked.document, leftOut: [] };
  const leftOut: string[] = [];
  const fields = isObject(draft) ? draft : {};
  const list = <T>(name: string, read: (entry: Entry, path: string) => T): T[] =>
    listOf(fields[name], name, leftOut, read);
  const presentation = isObject(fields["presentation"]) ? presentationOf(fields["presentation"]) : null;
  const document: QuizDocument = {
    pages: list("pages", (entry, path) => pageOf(entry, path, leftOut)),
    jump_rules: list("jump_rules", jumpRuleOf),
    dimensions: list(
      "dimensions",
      (entry): Dimension => ({ dimension_id: text(entry["dimension_id"]), name: text(entry["name"]) }),
    ),
    property_mappings: list("property_mappings", mappingOf),
    ...(presentation ? { presentation } : {}),
  };
  const named = new Set(leftOut);
  return { document, leftOut: [...leftOut, ...otherwise(fields, document, "", named)] };
}

/** The paths of values that were read differently from what was given. Added defaults are no loss and do not count. */
function otherwise(original: unknown, read: unknown, path: string, named: ReadonlySet<string>): string[] {
  if (original === read || original === undefined || original === null || named.has(path)) return [];
  const within = (step: string | number): string => (path === "" ? `${step}` : `${path}.${step}`);
  if (Array.isArray(original) && Array.isArray(read)) {
    const rest = [...original.entries()].filter(([index]) => !named.has(within(index)));
    if (rest.length !== read.length) return [path];
    return rest.flatMap(([index, entry], place) => otherwise(entry, read[place], within(index), named));
  }
  if (!isObject(original) || !isObject(read)) return [path];
  return Object.keys(original).flatMap((name) =>
    otherwise(original[name], Object.hasOwn(read, name) ? read[name] : undefined, within(name), named),
  );
}

type Entry = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function listOf<T>(
  list: unknown,
  path: string,
  leftOut: string[],
  read: (entry: Entry, path: string, leftOut: string[]) => T | null,
): T[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    leftOut.push(path);
    return [];
  }
  return list.flatMap((entry: unknown, index) => {
    const found = isObject(entry) ? read(entry, `${path}.${index}`, leftOut) : null;
    if (found === null) leftOut.push(`${path}.${index}`);
    return found === null ? [] : [found];
  });
}

const pageKinds = ["question", "content", "result"] as const;

function pageOf(entry: Entry, path: string, leftOut: string[]): Page {
  const kind = pageKinds.find((known) => known === entry["kind"]) ?? "question";
  return {
    page_key: text(entry["page_key"]),
    title: text(entry["title"]),
    ...optional(entry, "subtitle"),
    ...optional(entry, "image_url"),
    ...(kind === "result" ? { ...optional(entry, "headline"), ...outcomeOf(entry["outcome"]) } : {}),
    kind,
    skippable: entry["skippable"] === true,
    visible_when: conditionOf(entry["visible_when"]),
    components: listOf(entry["components"], `${path}.components`, leftOut, componentOf),
  };
}

const outcomeOf = (value: unknown): Pick<Page, "outcome"> =>
  isObject(value) ? { outcome: { dimension_id: text(value["dimension_id"]) } } : {};

function optional<Name extends string>(entry: Entry, name: Name): { [Key in Name]?: string } {
  const value = entry[name];
  return typeof value === "string" ? ({ [name]: value } as { [Key in Name]: string }) : {};
}

function optionalNumber<Name extends string>(entry: Entry, name: Name): { [Key in Name]?: number } {
  const value = entry[name];
  return typeof value === "number" ? ({ [name]: value } as { [Key in Name]: number }) : {};
}

/** The field if it is set; a flag that is off is left out. */
const optionalFlag = <Name extends string>(entry: Entry, name: Name): { [Key in Name]?: true } =>
  flag(entry[name]) ? ({ [name]: true } as { [Key in Name]: true }) : {};

/** The field if it is one of these words. */
function known<Name extends string, Word extends string>(
  entry: Entry,
  name: Name,
  words: readonly Word[],
): { [Key in Name]?: Word } {
  const word = words.find((each) => each === entry[name]);
  return word === undefined ? {} : ({ [name]: word } as { [Key in Name]: Word });
}

const flag = (value: unknown): boolean => value === true;
const numberOr = <Other>(value: unknown, other: Other): number | Other => (typeof value === "number" ? value : other);
const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

function componentOf(entry: Entry, path: string, leftOut: string[]): Component | null {
  const component = fieldsOf(entry, path, leftOut);
  const visible_when = conditionOf(entry["visible_when"]);
  return component && visible_when ? { ...component, visible_when } : component;
}

/** Checks only the types of fields: texts that are too long and wrong bounds are for the author to correct. */
function fieldsOf(entry: Entry, path: string, leftOut: string[]): Component | null {
  const component_key = text(entry["component_key"]);
  const questionFields = {
    component_key,
    question: text(entry["question"]),
    required: flag(entry["required"]),
    ...optional(entry, "help"),
  };
  const { kind } = entry;
  switch (kind) {
    case "choice":
    case "image": {
      const options = listOf(entry["options"], `${path}.options`, leftOut, optionOf);
      return {
        kind,
        ...questionFields,
        multiple: flag(entry["multiple"]),
        ...known(entry, "style", choiceStyles),
        ...optionalNumber(entry, "min_choices"),
        ...optionalNumber(entry, "max_choices"),
        ...optionalFlag(entry, "shuffle"),
        options,
      };
    }
    case "text":
      return {
        kind,
        ...questionFields,
        max_length: numberOr(entry["max_length"], bounds.defaultMaxLength),
        ...(entry["format"] === "name" ? { format: "name" as const } : {}),
        ...optional(entry, "placeholder"),
      };
    case "email":
    case "phone":
      return { kind, ...questionFields, consent: isObject(entry["consent"]) ? consentOf(entry["consent"]) : null };
    case "number": {
      const { min, max, step, unit } = entry;
      return {
        kind,
        ...questionFields,
        min: numberOr(min, null),
        max: numberOr(max, null),
        step: numberOr(step, 1),
        unit: textOrNull(unit),
        style: "field",
        ...known(entry, "style", numberStyles),
        ...known(entry, "icon", ratingIcons),
        ...optional(entry, "min_label"),
        ...optional(entry, "max_label"),
      };
    }
    case "date":
      return { kind, ...questionFields, with_time: flag(entry["with_time"]), ...dateLimitsOf(entry) };
    case "formula":
      return {
        kind,
        component_key,
        label: text(entry["label"]),
        expression: text(entry["expression"]),
        ...optional(entry, "unit"),
        ...optionalNumber(entry, "decimals"),
      };
    case "content":
      return { kind, component_key, html_text: text(entry["html_text"]) };
    case "products":
      return blockOf(entry, path, leftOut);
    default:
      return null;
  }
}

const dateLimitsOf = (entry: Entry) => ({
  ...optional(entry, "min"),
  ...optional(entry, "max"),
  ...(Array.isArray(entry["weekdays"]) ? { weekdays: entry["weekdays"].filter((day) => typeof day === "number") } : {}),
  ...optional(entry, "time_from"),
  ...optional(entry, "time_to"),
});

const consentOf = (entry: Entry): ConsentBox => ({ label: text(entry["label"]), required: flag(entry["required"]) });

function optionOf(entry: Entry): ChoiceOption {
  const entries = isObject(entry["points"]) ? Object.entries(entry["points"]) : [];
  const points = entries.filter((pair): pair is [string, number] => typeof pair[1] === "number");
  return {
    option_id: text(entry["option_id"]),
    label: text(entry["label"]),
    image_url: textOrNull(entry["image_url"]),
    ...optional(entry, "image_alt"),
    ...optionalFlag(entry, "exclusive"),
    ...optionalFlag(entry, "other"),
    points: Object.fromEntries(points),
  };
}

function blockOf(entry: Entry, path: string, leftOut: string[]): Component {
  if (entry["source"] === "rules") {
    // kept as it is where the check accepts it, since the editor has no form for its parts
    const checked = readComponent(entry, path, new Problems());
    if (checked.kind === "products") return checked;
  }
  const pickOf = (pick: Entry): ProductPick => ({
    product_id: text(pick["product_id"]),
    variant_id: textOrNull(pick["variant_id"]) || null,
    when: conditionOf(pick["when"]),
    dimension_id: textOrNull(pick["dimension_id"]) || null,
  });
  const source = (["winner", "answers"] as const).find((known) => known === entry["source"]) ?? "fixed";
  return {
    kind: "products",
    block_key: text(entry["block_key"]),
    source,
    products: listOf(entry["products"], `${path}.products`, leftOut, pickOf),
    limit: numberOr(entry["limit"], bounds.productLimit),
  };
}

/** Null if there is no condition; an unreadable part becomes one that always holds. */
function conditionOf(value: unknown, depth = 0): Condition | null {
  if (!isObject(value) || depth > bounds.conditionDepth) return null;
  const parts = (list: readonly unknown[]): Condition[] => list.flatMap((part) => conditionOf(part, depth + 1) ?? []);
  if (Array.isArray(value["all"])) return { all: parts(value["all"]) };
  if (Array.isArray(value["any"])) return { any: parts(value["any"]) };
  if (value["not"] !== undefined) return { not: conditionOf(value["not"], depth + 1) ?? { all: [] } };
  return leafOf(value);
}

function outcomeLeafOf(entry: Entry): OutcomeLeaf | null {
  const number = (name: string): number => numberOr(entry[name], 0);
  const { kind, op } = entry;
  const compared: Compared =
    op === "between"
      ? { op, min: number("min"), max: number("max") }
      : { op: op === "lt" || op === "gt" ? op : "eq", value: number("value") };
  if (kind === "winner") {
    const ids = Array.isArray(entry["dimension_ids"]) ? entry["dimension_ids"] : [];
    const dimension_ids = ids.filter((id): id is string => typeof id === "string");
    const rank = typeof entry["rank"] === "number" ? { rank: entry["rank"] } : {};
    return { kind, op: op === "not_in" ? op : "in", dimension_ids, ...rank };
  }
  if (kind === "points") return { kind, dimension_id: textOrNull(entry["dimension_id"]), ...compared };
  if (kind !== "formula") return null;
  const component_key = text(entry["component_key"]);
  if (op === "answered" || op === "not_answered") return { kind, component_key, op };
  return { kind, component_key, ...compared };
}

function leafOf(entry: Entry): Condition {
  const leaf = outcomeLeafOf(entry);
  if (leaf !== null) return leaf;
  const component_key = text(entry["component_key"]);
  const operand = (value: unknown): string | number => (typeof value === "number" ? value : text(value));
  const { op } = entry;
  switch (op) {
    case "in":
    case "not_in": {
      const ids = Array.isArray(entry["option_ids"]) ? entry["option_ids"] : [];
      return { component_key, op, option_ids: ids.filter((id): id is string => typeof id === "string") };
    }
    case "lt":
    case "gt":
    case "eq":
      return { component_key, op, value: operand(entry["value"]) };
    case "between":
      return { component_key, op, min: operand(entry["min"]), max: operand(entry["max"]) };
    case "not_answered":
      return { component_key, op };
    default:
      return { component_key, op: "answered" };
  }
}

function presentationOf(entry: Entry): Presentation {
  const strings = (names: readonly string[], from: Entry) =>
    Object.fromEntries(names.flatMap((name) => (typeof from[name] === "string" ? [[name, from[name]]] : [])));
  const theme = isObject(entry["theme"]) ? entry["theme"] : null;
  const texts = isObject(entry["texts"]) ? entry["texts"] : null;
  const { radius, width } = theme ?? {};
  const drawn = theme && {
    ...strings(["scheme", "accent", "background", "surface", "text", "font"], theme),
    ...(typeof radius === "number" ? { radius } : {}),
    ...(typeof width === "number" ? { width } : {}),
  };
  return {
    ...strings(["locale", "dir", "progress", "advance", "cover_image_url", "description"], entry),
    ...(drawn ? { theme: drawn } : {}),
    ...(texts ? { texts: strings(Object.keys(texts), texts) } : {}),
  };
}

const jumpRuleOf = (entry: Entry): JumpRule => ({
  jump_rule_key: text(entry["jump_rule_key"]),
  source_page_key: text(entry["source_page_key"]),
  when: conditionOf(entry["when"]) ?? { all: [] },
  target_page_key: text(entry["target_page_key"]),
});

function mappingOf(entry: Entry): PropertyMapping {
  const values = isObject(entry["option_values"]) ? entry["option_values"] : {};
  const texts = Object.entries(values).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const mapping = { component_key: text(entry["component_key"]), property_name: text(entry["property_name"]) };
  return texts.length === 0 ? mapping : { ...mapping, option_values: Object.fromEntries(texts) };
}
