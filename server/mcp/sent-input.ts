import { isObject } from "../../engine/read.ts";

/**
 * Reads what MCP clients send as what a tool's shape expects [mcp.sent-input]. Some clients send lists, objects and
 * numbers as text with JSON in it, and null or an empty text for a parameter that they leave out.
 */

/** The part of JSON Schema that the tools' shapes use. */
export interface Shape {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Shape[];
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  items?: Shape;
}

/** Deeper than any input of a tool; what is nested deeper stays as it was sent, and the shape refuses it. */
const deepest = 60;

export function asExpected(shape: Shape, sent: unknown, depth = 0): unknown {
  if (depth > deepest) return sent;
  const json = typeof sent === "string" ? jsonOf(sent, typesOf(shape)) : undefined;
  const value = json === undefined ? sent : json;
  if (Array.isArray(value)) {
    const { items } = branchOf(shape, value);
    return items === undefined ? value : value.map((entry) => asExpected(items, entry, depth + 1));
  }
  if (!isObject(value)) return value;
  const { properties = {}, required = [] } = branchOf(shape, value);
  const fields = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field === undefined) return [[name, inner]];
    if (!required.includes(name) && isLeftOut(field, inner)) return [];
    return [[name, asExpected(field, inner, depth + 1)]];
  });
  return Object.fromEntries(fields);
}

/** The types that a shape accepts; empty: any. */
function typesOf({ type, const: constant, enum: values, anyOf }: Shape): ReadonlySet<string> {
  if (anyOf) {
    const each = anyOf.map(typesOf);
    return each.some(({ size }) => size === 0) ? new Set() : new Set(each.flatMap((types) => [...types]));
  }
  if (type !== undefined) return new Set([type]);
  const given = constant === undefined ? (values ?? []) : [constant];
  return new Set(given.map(typeOf));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isLeftOut(shape: Shape, sent: unknown): boolean {
  const types = typesOf(shape);
  if (sent === null) return types.size > 0 && !types.has("null");
  return typeof sent === "string" && sent.trim() === "" && types.size > 0;
}

/** Of several shapes, the one whose constants the value has. */
function branchOf(shape: Shape, value: object): Shape {
  const type = typeOf(value);
  const fits = (of: Shape) =>
    typesOf(of).has(type) &&
    Object.entries(of.properties ?? {}).every(
      ([name, field]) => field.const === undefined || (isObject(value) && value[name] === field.const),
    );
  const branch = shape.anyOf?.find(fits);
  return branch === undefined ? shape : branchOf(branch, value);
}

/**
 * What a text with JSON in it stands for where only other types are expected; undefined: the text is meant.
 *
 * @param types JSON types, `integer` included; empty: any
 */
export function jsonOf(text: string, types: ReadonlySet<string>): unknown {
  if (types.size === 0 || types.has("string") || isDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const type = typeOf(value);
    return types.has(type) || (type === "number" && types.has("integer")) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Counts brackets, in texts inside too: nothing that a tool takes has so many. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= deepest; at++) {
    const character = text[at];
    if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
  }
  return depth > deepest;
}
