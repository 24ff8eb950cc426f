/** A table of a contract shape's fields, one row each, for people to read. */

export interface Shape {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Shape>;
  patternProperties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
}

export interface ShapeRow {
  /** such as `groups[].all[].op` */
  path: string;
  type: string;
  required: boolean;
  text: string;
}

const code = (value: unknown): string => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;

/** The type of a value, in a word or two. */
export function typeOf(shape: Shape): string {
  if (shape.const !== undefined) return code(shape.const);
  if (shape.enum) return shape.enum.map(code).join(", ");
  if (shape.anyOf) return [...new Set(shape.anyOf.map(typeOf))].join(" or ");
  if (Array.isArray(shape.type)) return shape.type.map((type) => typeOf({ ...shape, type })).join(" or ");
  if (shape.type === "array") return shape.items?.enum ? `list of ${typeOf(shape.items)}` : "list";
  if (shape.format) return { date: "day", "date-time": "time", uri: "address", email: "email" }[shape.format] ?? "text";
  if (shape.type === undefined) return shape.properties ? "object" : "anything";
  return { string: "text", integer: "whole number", boolean: "true or false" }[shape.type] ?? shape.type;
}

/** Bounds and defaults, as parts of a sentence. */
function limitsOf(shape: Shape): string[] {
  const { minimum, maximum, maxLength, minItems, maxItems } = shape;
  const found: string[] = [];
  if (minimum !== undefined && maximum !== undefined) found.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined && minimum !== 0) found.push(`at least ${minimum}`);
  else if (maximum !== undefined) found.push(`at most ${maximum}`);
  if (maxLength !== undefined) found.push(`at most ${maxLength} characters`);
  if (maxItems !== undefined) found.push(`${minItems ? `${minItems} to` : "at most"} ${maxItems}`);
  if (shape.default !== undefined) found.push(`${code(shape.default)} without one`);
  return found;
}

export const textOf = (shape: Shape): string => [shape.description, ...limitsOf(shape)].filter(Boolean).join("; ");

/** The object in a shape: the shape itself, a list's items, or the alternative to null. */
function within(shape: Shape): { suffix: string; object: Shape } | null {
  if (shape.properties) return { suffix: "", object: shape };
  const inner = shape.items ?? shape.anyOf?.find(({ properties }) => properties !== undefined);
  const found = inner ? within(inner) : null;
  return found && { suffix: `${shape.items ? "[]" : ""}${found.suffix}`, object: found.object };
}

/** Shapes used in nearly every answer are named rather than expanded. */
const wellKnown = new Set(["Money"]);

export function rowsOf(shape: Shape, path = ""): ShapeRow[] {
  const found = within(shape);
  if (found === null) return [];
  const { properties = {}, required = [] } = found.object;
  const before = `${path}${found.suffix}`;
  return Object.entries(properties).flatMap(([name, field]) => {
    const at = before === "" ? name : `${before}.${name}`;
    const object = within(field)?.object;
    const known = object?.title !== undefined && wellKnown.has(object.title);
    const row = {
      path: at,
      type: known ? "money" : typeOf(field),
      required: required.includes(name),
      text: textOf(field),
    };
    return [row, ...(known ? [] : rowsOf(field, at))];
  });
}
