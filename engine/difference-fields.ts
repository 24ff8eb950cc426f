import { conditionInWords, type Entry, type Names, plainText, textOf } from "./condition-words.ts";
import { isObject } from "./read.ts";

/** The fields that a difference between two documents tells of [editor.difference]. */

/** How a field is described: its name in a sentence, and its value. */
export interface Field {
  name: string;
  said: string;
  show?: (value: unknown, names: Names) => string;
}

export const nothing = "nothing";
export const plain = (value: unknown): string => {
  if (value === undefined || value === null || value === "") return nothing;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" || typeof value === "number"
    ? String(value)
    : canonical(value).slice(0, 500).toWellFormed();
};
const condition = (value: unknown, names: Names): string =>
  isObject(value) ? conditionInWords(value, names) : "always";
const html = (value: unknown): string => plainText(value).trim() || nothing;
const page = (value: unknown, names: Names): string => names.page(textOf(value));

export const pageFields: readonly Field[] = [
  { name: "title", said: "title" },
  { name: "subtitle", said: "subtitle" },
  { name: "headline", said: "headline" },
  { name: "image_url", said: "picture" },
  { name: "kind", said: "kind" },
  { name: "skippable", said: "setting that it may be skipped" },
  { name: "visible_when", said: "condition", show: condition },
  { name: "outcome", said: "result", show: (value, names) => names.outcome(value) },
];
export const componentFields: readonly Field[] = [
  { name: "kind", said: "kind" },
  { name: "question", said: "question" },
  { name: "label", said: "label" },
  { name: "html_text", said: "text", show: html },
  { name: "required", said: "setting that it must be answered" },
  { name: "multiple", said: "setting that several may be chosen" },
  { name: "min_choices", said: "least number of options" },
  { name: "max_choices", said: "greatest number of options" },
  { name: "shuffle", said: "setting that options are shuffled" },
  { name: "max_length", said: "longest answer" },
  { name: "min", said: "least value" },
  { name: "max", said: "greatest value" },
  { name: "step", said: "step" },
  { name: "unit", said: "unit" },
  { name: "style", said: "style" },
  { name: "icon", said: "symbol" },
  { name: "min_label", said: "text at the lowest value" },
  { name: "max_label", said: "text at the highest value" },
  { name: "with_time", said: "setting that it asks for a time" },
  { name: "consent", said: "consent box", show: (value) => (isObject(value) ? consent(value) : "none") },
  { name: "expression", said: "formula" },
  { name: "decimals", said: "number of decimals" },
  { name: "source", said: "source" },
  { name: "limit", said: "largest number of products" },
  { name: "from", said: "choice of products" },
  { name: "rules", said: "list of rules" },
  { name: "min_score", said: "least score" },
  { name: "order", said: "order" },
  { name: "one_per", said: "setting that it shows one of each" },
  { name: "sold_out", said: "treatment of sold-out products" },
  { name: "min_stock", said: "least stock" },
  { name: "fallback", said: "fallback" },
  { name: "visible_when", said: "condition", show: condition },
];
const consent = (box: Entry): string => `${plain(box["label"])}${box["required"] === true ? " (required)" : ""}`;
export const optionFields: readonly Field[] = [
  { name: "label", said: "label" },
  { name: "image_url", said: "picture" },
  { name: "image_alt", said: "text of its picture" },
  { name: "exclusive", said: "setting that it excludes the others" },
  { name: "other", said: "field for an answer of one's own" },
];
export const ruleFields: readonly Field[] = [
  { name: "source_page_key", said: "page", show: page },
  { name: "target_page_key", said: "target", show: page },
  { name: "when", said: "condition", show: condition },
];
export const pickFields: readonly Field[] = [
  { name: "when", said: "condition", show: condition },
  { name: "dimension_id", said: "result", show: (id, names) => (id ? names.dimension(textOf(id)) : "any") },
];
export const presentationFields: readonly Field[] = [
  { name: "locale", said: "language" },
  { name: "dir", said: "direction" },
  { name: "progress", said: "progress display" },
  { name: "advance", said: "way of going on" },
  { name: "cover_image_url", said: "cover picture" },
  { name: "description", said: "description" },
];

/** JSON with sorted fields, because the database orders them differently than an editor. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const names = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}
