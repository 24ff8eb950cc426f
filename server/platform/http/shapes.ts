import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { TObject, TSchema } from "typebox";
import type { FieldError } from "../../../contract/errors.ts";
import { isCalendarDay } from "../time-zones.ts";

/** Validates input against the contract's shapes and reports errors field by field [api.validation]. */

const dateTimeText = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

let lastDay = "";

/**
 * Caches the day: incoming times are nearly all of one day, and checking whether it exists costs more than all other
 * checks.
 */
function isKnownDay(day: string): boolean {
  if (day === lastDay) return true;
  const exists = isCalendarDay(day);
  if (exists) lastDay = day;
  return exists;
}

/** `firstError`: stops at the first error, for input that only needs a yes or no. */
export function newValidator(options: { defaults?: boolean; firstError?: boolean } = {}): Ajv2020 {
  const all = !options.firstError;
  const ajv = new Ajv2020({ allErrors: all, strict: false, useDefaults: options.defaults ?? false, verbose: all });
  ajv.addFormat("date", isCalendarDay);
  ajv.addFormat(
    "date-time",
    (text) => dateTimeText.test(text) && isKnownDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
  );
  ajv.addFormat("uri", (text) => URL.canParse(text));
  return ajv;
}

const quick = newValidator({ defaults: true, firstError: true });
const everyError = newValidator({ defaults: true });

export type Check<T> = (value: unknown) => { value: T; errors: FieldError[] };

/**
 * `place` is `body` or `query`; errors carry dotted paths under it: all errors of an input of normal size, the first
 * one of a large input. Collecting all errors of a megabyte takes half a second, during which nobody else is served.
 */
export function compileCheck<T>(shape: TSchema, place: string): Check<T> {
  // compiled at the first value, so that starting does not wait for shapes that nobody has sent yet
  let isSound: ValidateFunction | null = null;
  let findAll: ValidateFunction | null = null;
  return (value) => {
    isSound ??= quick.compile(shape);
    if (isSound(value)) return { value: value as T, errors: [] };
    if (isLarge(value)) return { value: value as T, errors: summarise(isSound.errors ?? [], place) };
    findAll ??= everyError.compile(shape);
    return findAll(value)
      ? { value: value as T, errors: [] }
      : { value: value as T, errors: summarise(findAll.errors ?? [], place) };
  };
}

const manyValues = 5_000;

/** Whether a value contains more than a few thousand values, at any depth. */
function isLarge(value: unknown): boolean {
  const open = [value];
  let seen = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    seen += inner.length;
    if (seen > manyValues) return true;
    for (const each of inner) open.push(each);
  }
  return false;
}

const listed = 20;

/** One message per field, the first; the alternatives of a union give one message together. */
function summarise(errors: ErrorObject[], place: string): FieldError[] {
  const byField = new Map<string, string>();
  for (const error of errors) {
    const field = fieldOf(error, place);
    if (!byField.has(field)) byField.set(field, messageOf(error));
    if (byField.size === listed) break;
  }
  return [...byField].map(([field, message]) => ({ field, message }));
}

function fieldOf(error: ErrorObject, place: string): string {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (error.keyword === "required") path.push(String(error.params["missingProperty"]));
  if (error.keyword === "additionalProperties") path.push(String(error.params["additionalProperty"]));
  return shortened([place, ...path.map(harmless)].join("."));
}

const longestField = 300;

/** A path in nested lists may be long. */
const shortened = (text: string): string => (text.length > longestField ? `${text.slice(0, longestField)}...` : text);

/** A field name chosen by the caller, if it is safe to echo: any other could carry somebody's message or code. */
const harmless = (name: string): string => (/^[A-Za-z0-9_.[\]-]{0,64}$/.test(name) ? name : "unknown");

const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;

const messages: Record<string, (params: Record<string, unknown>, shape: TSchema) => string> = {
  required: () => "is required",
  additionalProperties: () => "is not a field of this request",
  type: ({ type }) => `must be ${[type].flat().map(article).join(" or ")}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).map(String).join(", ")}`,
  const: ({ allowedValue }) => `must be ${String(allowedValue)}`,
  minLength: ({ limit }) =>
    limit === 1 ? "must not be empty" : `must have at least ${plural(Number(limit), "character")}`,
  maxLength: ({ limit }) => `must have at most ${plural(Number(limit), "character")}`,
  minItems: ({ limit }) => `must have at least ${plural(Number(limit), "item")}`,
  maxItems: ({ limit }) => `must have at most ${plural(Number(limit), "item")}`,
  uniqueItems: () => "must not hold anything twice",
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  format: ({ format }) =>
    format === "date"
      ? "must be a day as YYYY-MM-DD"
      : format === "date-time"
        ? "must be an RFC 3339 date-time"
        : "must be an absolute address",
  pattern: (_, shape) => patternMessage(String((shape as { pattern?: string }).pattern)),
  anyOf: () => "has none of the forms that are allowed here",
};

const article = (type: unknown) =>
  type === "null" ? "null" : `${/^[aio]/.test(String(type)) ? "an" : "a"} ${String(type)}`;

function patternMessage(pattern: string): string {
  const prefix = /^\^([a-z]+)_\[0-9a-f\]/.exec(pattern)?.[1];
  return prefix
    ? `must be an id as ${prefix}_ and 32 lowercase hexadecimal characters`
    : "is not of the form that is required here";
}

function messageOf(error: ErrorObject): string {
  const message = messages[error.keyword];
  return message ? message(error.params, (error.parentSchema ?? {}) as TSchema) : (error.message ?? "is not valid");
}

const integer = /^-?(0|[1-9][0-9]{0,14})$/;

/**
 * Parses a query parameter as its declared type, or says what is wrong: there is no loose coercion [api.parameters].
 */
function readParameter(type: string | undefined, text: string): { value?: unknown; message?: string } {
  if (type === "integer") return integer.test(text) ? { value: Number(text) } : { message: "must be an integer" };
  if (type === "boolean") {
    return text === "true" || text === "false" ? { value: text === "true" } : { message: "must be true or false" };
  }
  return { value: text };
}

/** @param nul query texts may contain NUL, which the database never accepts: the route handles it itself */
export function compileQueryCheck<T>(shape: TObject | undefined, { nul = false } = {}): Check<T> {
  const properties: Record<string, TSchema & { type?: string }> = shape?.properties ?? {};
  const check = shape ? compileCheck<T>(shape, "query") : null;
  return (raw) => {
    const values: Record<string, unknown> = {};
    const errors: FieldError[] = [];
    for (const [name, text] of Object.entries(raw as Record<string, string | string[]>)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const field = `query.${harmless(name)}`;
      if (!property) errors.push({ field, message: "is not a parameter of this route" });
      else if (typeof text !== "string") errors.push({ field, message: "is given more than once" });
      else if (!nul && text.includes("\u0000")) errors.push({ field, message: "must not contain NUL characters" });
      else {
        const read = readParameter(property.type, text);
        if (read.message) errors.push({ field, message: read.message });
        else values[name] = read.value;
      }
    }
    if (!check) return { value: values as T, errors: errors.slice(0, listed) };
    const result = check(values);
    const named = new Set(errors.map((error) => error.field));
    const others = result.errors.filter((error) => !named.has(error.field));
    return { value: result.value, errors: [...errors, ...others].slice(0, listed) };
  };
}
