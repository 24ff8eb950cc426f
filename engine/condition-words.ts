import type { Component } from "./document.ts";
import { isObject } from "./read.ts";
import { withFallbacks } from "./recall.ts";

/**
 * Describes conditions, and things that documents refer to by key, in words. Also works on drafts, which may be
 * invalid.
 */

export type Entry = Readonly<Record<string, unknown>>;

export const entriesOf = (value: unknown): Entry[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The names of a document's things. */
export interface Names {
  page(key: string): string;
  question(key: string): string;
  option(component_key: string, option_id: string): string;
  dimension(id: string): string;
  /** of a result page */
  outcome(value: unknown): string;
}

const quoted = (text: string): string => `"${text}"`;

/** The first non-empty text with its fallbacks, shortened to fit into a sentence [engine.recall-fallbacks]. */
export function firstWords(...texts: unknown[]): string {
  return shortened(texts.map((text) => withFallbacks(textOf(text)).trim()).find((text) => text !== "") ?? "");
}

export function shortened(found: string): string {
  return found.length > 60 ? `${found.slice(0, 59).trimEnd()}…`.toWellFormed() : found;
}

/** HTML without its tags, to name a text block. */
export const plainText = (html: unknown): string =>
  textOf(html)
    .replace(/<[^<>]*>/g, " ")
    .replace(/&nbsp;/g, " ")
    .replace(/\s+/g, " ");

/** Enough of a text to name it, without a tag that is cut. */
const beginningOf = (html: unknown): string =>
  textOf(html)
    .slice(0, 2_000)
    .replace(/<[^<>]*$/, "");

export function componentName(source: Entry | Component): string {
  const component: Entry = { ...source };
  const { kind } = component;
  if (kind === "content") return firstWords(plainText(beginningOf(component["html_text"])), component["component_key"]);
  if (kind === "products") return firstWords(component["block_key"]);
  if (kind === "formula") return firstWords(component["label"], component["component_key"]);
  return firstWords(component["question"], component["component_key"]);
}

export const keyOf = (component: Entry): string =>
  textOf(component["kind"] === "products" ? component["block_key"] : component["component_key"]);

export function namesOf(document: unknown): Names {
  const pages = new Map<string, string>();
  const questions = new Map<string, string>();
  const options = new Map<string, string>();
  const dimensions = new Map<string, string>();
  const fields: Entry = isObject(document) ? document : {};
  for (const page of entriesOf(fields["pages"])) {
    pages.set(textOf(page["page_key"]), firstWords(page["title"], page["page_key"]));
    for (const component of entriesOf(page["components"])) {
      const key = keyOf(component);
      questions.set(key, componentName(component));
      for (const option of entriesOf(component["options"])) {
        const id = textOf(option["option_id"]);
        options.set(JSON.stringify([key, id]), firstWords(option["label"], option["image_alt"], id));
      }
    }
  }
  for (const dimension of entriesOf(fields["dimensions"])) {
    const id = textOf(dimension["dimension_id"]);
    dimensions.set(id, firstWords(dimension["name"], id));
  }
  const dimension = (id: string): string => dimensions.get(id) ?? id;
  return {
    page: (key) => pages.get(key) ?? key,
    question: (key) => questions.get(key) ?? key,
    option: (key, id) => options.get(JSON.stringify([key, id])) ?? id,
    dimension,
    outcome: (value) => (isObject(value) ? dimension(textOf(value["dimension_id"])) : "none"),
  };
}

/** `"Your skin" is Dry or Oily, and "Age" is above 30`; `always` for a condition that always holds. */
export function conditionInWords(condition: unknown, names: Names): string {
  return inWords(condition, names, 0);
}

const deepest = 20;

function inWords(condition: unknown, names: Names, depth: number): string {
  if (!isObject(condition) || depth > deepest) return "something that is not complete";
  const part = (inner: unknown): string => {
    const words = inWords(inner, names, depth + 1);
    const isGroup =
      isObject(inner) && ("all" in inner || "any" in inner) && entriesOf(inner["all"] ?? inner["any"]).length > 1;
    return isGroup ? `(${words})` : words;
  };
  const { all, any, not } = condition;
  if (Array.isArray(all)) return all.length === 0 ? "always" : all.map(part).join(" and ");
  if (Array.isArray(any)) return any.length === 0 ? "never" : any.map(part).join(" or ");
  if (not !== undefined) return `not ${part(not)}`;
  return leafInWords(condition, names);
}

/** `the result is "Dry"`, `the points of "Dry" are above 3`, `"Sum" is from 1 to 4`. */
function outcomeInWords(leaf: Entry, names: Names): string {
  const { kind, op } = leaf;
  if (kind === "winner") {
    const ids = Array.isArray(leaf["dimension_ids"]) ? leaf["dimension_ids"] : [];
    const place = typeof leaf["rank"] === "number" && leaf["rank"] > 1 ? `result number ${leaf["rank"]}` : "the result";
    const those = ids.map((id) => quoted(names.dimension(textOf(id)))).join(" or ");
    return `${place} is ${op === "not_in" ? "not " : ""}${those || "…"}`;
  }
  const id = textOf(leaf["dimension_id"]);
  const of =
    kind === "points" ? (id === "" ? "all points together" : `the points of ${quoted(names.dimension(id))}`) : "";
  const subject = kind === "points" ? `${of} are` : `${quoted(names.question(textOf(leaf["component_key"])))} is`;
  if (op === "answered") return subject.replace(/ is$/, " has a value");
  if (op === "not_answered") return subject.replace(/ is$/, " has no value");
  if (op === "between") return `${subject} from ${shown(leaf["min"])} to ${shown(leaf["max"])}`;
  return `${subject} ${op === "lt" ? "below " : op === "gt" ? "above " : ""}${shown(leaf["value"])}`;
}

function leafInWords(leaf: Entry, names: Names): string {
  if (leaf["kind"] !== undefined) return outcomeInWords(leaf, names);
  const key = textOf(leaf["component_key"]);
  const question = key === "" ? "a question that is not chosen yet" : quoted(names.question(key));
  const option = (id: unknown): string => names.option(key, textOf(id));
  const options = (): string => (Array.isArray(leaf["option_ids"]) ? leaf["option_ids"].map(option).join(" or ") : "");
  switch (leaf["op"]) {
    case "in":
      return `${question} is ${options() || "…"}`;
    case "not_in":
      return `${question} is not ${options() || "…"}`;
    case "eq":
      return `${question} is ${typeof leaf["value"] === "number" ? leaf["value"] : option(leaf["value"]) || "…"}`;
    case "lt":
      return `${question} is below ${shown(leaf["value"])}`;
    case "gt":
      return `${question} is above ${shown(leaf["value"])}`;
    case "between":
      return `${question} is from ${shown(leaf["min"])} to ${shown(leaf["max"])}`;
    case "answered":
      return `${question} is answered`;
    case "not_answered":
      return `${question} is not answered`;
    default:
      return `${question} …`;
  }
}

const shown = (value: unknown): string =>
  typeof value === "number" || (typeof value === "string" && value !== "") ? String(value) : "…";
