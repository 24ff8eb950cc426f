import type { DraftChange } from "../../client/src/index.ts";
import { isObject } from "../../engine/read.ts";
import { jsonOf } from "./sent-input.ts";

/**
 * What a place in a quiz's document holds, which tells a value that was sent as JSON in a text from a text that only
 * looks like JSON [mcp.draft-values].
 */

type Holds = "text" | "number" | "boolean" | "object" | { entries: Holds } | { values: Holds };

const objects: Holds = { entries: "object" };

/** Fields by name, wherever they are in a document; any other holds a text. `value` of a condition may be either. */
const fields: Readonly<Record<string, Holds>> = {
  pages: objects,
  components: objects,
  options: objects,
  products: objects,
  jump_rules: objects,
  dimensions: objects,
  property_mappings: objects,
  all: objects,
  any: objects,
  not: "object",
  when: "object",
  visible_when: "object",
  outcome: "object",
  consent: "object",
  presentation: "object",
  theme: "object",
  option_ids: { entries: "text" },
  dimension_ids: { entries: "text" },
  weekdays: { entries: "number" },
  points: { values: "number" },
  option_values: { values: "text" },
  texts: { values: "text" },
  skippable: "boolean",
  required: "boolean",
  multiple: "boolean",
  exclusive: "boolean",
  other: "boolean",
  shuffle: "boolean",
  with_time: "boolean",
  min: "number",
  max: "number",
  step: "number",
  limit: "number",
  max_length: "number",
  min_choices: "number",
  max_choices: "number",
  decimals: "number",
  rank: "number",
  radius: "number",
  width: "number",
};

/** A change with its value as the place that it names expects it. */
export function withMeantValue(change: DraftChange): DraftChange {
  if (!Object.hasOwn(change, "value")) return change;
  const path = change.path.split("/").slice(1);
  const place = path.reduce<Holds>((holds, name) => within(holds, name), "object");
  const entry = typeof place === "object" && "entries" in place ? place.entries : "object";
  return { ...change, value: meant(change.op === "insert" ? entry : place, change.value) };
}

function within(holds: Holds, name: string): Holds {
  if (typeof holds === "object") return "entries" in holds ? holds.entries : holds.values;
  if (holds !== "object") return "text";
  return Object.hasOwn(fields, name) ? (fields[name] ?? "text") : "text";
}

/** More than a document has. */
const deepest = 60;

function meant(holds: Holds, sent: unknown, depth = 0): unknown {
  if (depth > deepest) return sent;
  const value = typeof sent === "string" ? textAs(holds, sent) : sent;
  if (Array.isArray(value)) return value.map((entry) => meant(within(holds, ""), entry, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, meant(within(holds, name), inner, depth + 1)]),
  );
}

function textAs(holds: Holds, text: string): unknown {
  if (holds === "text") return text;
  const type = typeof holds === "string" ? holds : "entries" in holds ? "array" : "object";
  const value = jsonOf(text, new Set([type, "null"]));
  return value === undefined ? text : value;
}
