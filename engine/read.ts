/** A problem of a document; `path` is dotted (`pages.0.components.1.options.2.label`), "" for the whole. */
export interface Problem {
  path: string;
  message: string;
  code: "invalid" | "duplicate_key" | "unknown_reference" | "bad_expression";
}

/**
 * Collects problems, at most a hundred: enough for an author, and a bound on the answer to a hostile document
 * [quiz-documents.problems].
 */
export class Problems {
  readonly list: Problem[] = [];

  add(path: string, message: string, code: Problem["code"] = "invalid"): void {
    if (this.list.length < 100) this.list.push({ path, message, code });
  }
}

/** The property name by which JSON could change an object's prototype. */
const forbiddenKey = "__proto__";

export type Entry<T> = (value: unknown, path: string, problems: Problems) => T;
interface Bounds {
  min: number;
  max: number;
}

/**
 * Reads the fields of one unknown JSON object. A wrong field adds a problem and is read as a harmless default, so that
 * one pass finds every problem; the result is only valid if no problem was added. A field with a fallback may be
 * missing or null.
 */
export class Fields {
  readonly path: string;
  readonly problems: Problems;
  private readonly object: Readonly<Record<string, unknown>>;
  private readonly isThere: boolean;
  private readonly known = new Set<string>();

  constructor(value: unknown, path: string, problems: Problems) {
    this.path = path;
    this.problems = problems;
    this.isThere = isObject(value);
    this.object = isObject(value) ? value : {};
    if (!this.isThere) problems.add(path, "must be an object");
  }

  at(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.object, name);
  }

  /** The raw field; undefined if it is missing, with a problem unless it has a fallback. */
  private field(name: string, hasFallback: boolean): unknown {
    this.known.add(name);
    const value = this.has(name) ? this.object[name] : undefined;
    if (hasFallback && value === null) return undefined;
    if (value === undefined && !hasFallback && this.isThere) this.problems.add(this.at(name), "is missing");
    return value;
  }

  any(name: string): unknown {
    return this.field(name, false);
  }

  text(name: string, max: number, min = 0): string {
    const value = this.field(name, false);
    return value === undefined ? "" : readText(value, this.at(name), this.problems, { min, max });
  }

  key(name: string): string {
    const value = this.field(name, false);
    return value === undefined ? "" : readKey(value, this.at(name), this.problems);
  }

  textOrNull(name: string, max: number): string | null {
    const value = this.field(name, true);
    return value === undefined ? null : readText(value, this.at(name), this.problems, { min: 0, max });
  }

  flag(name: string): boolean {
    const value = this.field(name, true);
    return value !== undefined && readFlag(value, this.at(name), this.problems);
  }

  oneOf<Word extends string>(name: string, words: readonly [Word, ...Word[]], fallback?: Word): Word {
    const value = this.field(name, fallback !== undefined);
    return value === undefined ? (fallback ?? words[0]) : oneOf(words)(value, this.at(name), this.problems);
  }

  numberOr<Fallback extends number | null>(name: string, range: Bounds, fallback: Fallback): number | Fallback {
    const value = this.field(name, true);
    return value === undefined ? fallback : readNumber(value, this.at(name), this.problems, range);
  }

  integerOr(name: string, range: Bounds, fallback: number): number {
    const value = this.field(name, true);
    return value === undefined ? fallback : integerFrom(range)(value, this.at(name), this.problems);
  }

  /** The field as read by `read`, or null. */
  orNull<T>(name: string, read: Entry<T>): T | null {
    const value = this.field(name, true);
    return value === undefined ? null : read(value, this.at(name), this.problems);
  }

  /** The field under its name, read by `read`, with null as null; nothing if it is missing. */
  ifPresent<Name extends string, T>(name: Name, read: Entry<T>): { [Key in Name]?: T | null } {
    this.known.add(name);
    if (!this.has(name)) return {};
    const value = this.object[name];
    const entry = value === null ? null : read(value, this.at(name), this.problems);
    return { [name]: entry } as { [Key in Name]: T | null };
  }

  /** The same for a field that is never null: null counts as missing. */
  filled<Name extends string, T>(name: Name, read: Entry<T>): { [Key in Name]?: T } {
    const value = this.field(name, true);
    if (value === undefined) return {};
    return { [name]: read(value, this.at(name), this.problems) } as { [Key in Name]: T };
  }

  /** A list; unless `optional`, the field must be present. */
  list<T>(name: string, range: Bounds, read: Entry<T>, optional: "optional" | "required"): T[] {
    const value = this.field(name, optional === "optional");
    return value === undefined ? [] : readList(value, this.at(name), this.problems, range, read);
  }

  /** An object used as a map from keys; missing or null is an empty one. */
  map<T>(name: string, maxEntries: number, read: Entry<T>): Record<string, T> {
    const value = this.field(name, true);
    const path = this.at(name);
    if (value === undefined) return {};
    if (!isObject(value)) this.problems.add(path, "must be an object");
    const entries = isObject(value) ? Object.entries(value) : [];
    if (entries.length > maxEntries) this.problems.add(path, `must have at most ${maxEntries} entries`);
    // fromEntries defines own properties: an entry named like a part of Object.prototype remains an entry.
    return Object.fromEntries(
      entries.slice(0, maxEntries).map(([key, entry]) => {
        readKey(key, `${path}.${key.slice(0, 200)}`, this.problems);
        return [key, read(entry, `${path}.${key.slice(0, 200)}`, this.problems)];
      }),
    );
  }

  /** Reports all fields that were not read. Call it last. */
  refuseOthers(): void {
    for (const name of Object.keys(this.object)) {
      if (!this.known.has(name)) this.problems.add(this.at(name.slice(0, 200)), "is not a known field");
    }
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** PostgreSQL stores neither NUL nor unpaired surrogates, so a document must not contain them. */
export function readText(value: unknown, path: string, problems: Problems, { min, max }: Bounds): string {
  if (typeof value !== "string") problems.add(path, "must be a string");
  else if (value.length < min || value.length > max) problems.add(path, `must be ${min} to ${max} characters long`);
  else if (value.includes("\u0000") || !value.isWellFormed()) problems.add(path, "has a character that is none");
  else return value;
  return "";
}

export function readKey(value: unknown, path: string, problems: Problems): string {
  if (value === forbiddenKey) problems.add(path, `must not be ${forbiddenKey}`);
  return readText(value, path, problems, { min: 1, max: 200 });
}

export function readNumber(value: unknown, path: string, problems: Problems, { min, max }: Bounds): number {
  if (typeof value !== "number" || !Number.isFinite(value)) problems.add(path, "must be a number");
  else if (value < min || value > max) problems.add(path, `must be from ${min} to ${max}`);
  else return value + 0;
  return min;
}

/** Reads a whole number. */
export const integerFrom =
  (range: Bounds): Entry<number> =>
  (value, path, problems) => {
    const number = readNumber(value, path, problems, range);
    if (!Number.isInteger(number)) problems.add(path, "must be a whole number");
    return number;
  };

export function readFlag(value: unknown, path: string, problems: Problems): boolean {
  if (typeof value !== "boolean") problems.add(path, "must be true or false");
  return value === true;
}

/** Reads one of a fixed list of words. */
export const oneOf =
  <Word extends string>(words: readonly [Word, ...Word[]]): Entry<Word> =>
  (value, path, problems) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) problems.add(path, `must be one of ${words.join(", ")}`);
    return word ?? words[0];
  };

/** Reads a text of at most that many characters. */
export const textUpTo =
  (max: number): Entry<string> =>
  (value, path, problems) =>
    readText(value, path, problems, { min: 0, max });

function readList<T>(value: unknown, path: string, problems: Problems, { min, max }: Bounds, read: Entry<T>): T[] {
  if (!Array.isArray(value)) problems.add(path, "must be an array");
  else if (value.length < min || value.length > max) problems.add(path, `must have ${min} to ${max} entries`);
  else return value.map((entry: unknown, index) => read(entry, `${path}.${index}`, problems));
  return [];
}
