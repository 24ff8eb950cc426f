import { setImmediate as nextTurn } from "node:timers/promises";
import { changeBounds, type DraftChange } from "../../../contract/drafts.ts";
import { isObject } from "../../../engine/read.ts";
import { invalid } from "../../platform/problems.ts";

/**
 * Small changes of a draft of any shape [drafts.changes]. A path names fields and, in lists, entries by key, so that
 * entries before them may change; entries without such a key by index.
 */

type Json = Readonly<Record<string, unknown>>;

/** The fields that identify entries of a document's lists. */
const keyFields = [
  ...["page_key", "option_id", "dimension_id", "jump_rule_key", "block_key", "component_key"],
  ...["product_id"],
] as const;

class ChangeError extends Error {}

/**
 * Applies all changes to the draft; throws a 422 that names the first impossible one. A change may search and copy a
 * long list, so each has a turn of the event loop of its own [api.turns].
 */
export async function applyChanges(document: Json, changes: readonly DraftChange[]): Promise<Json> {
  let changed: unknown = document;
  for (const [index, change] of changes.entries()) {
    await nextTurn();
    try {
      changed = apply(changed, change);
    } catch (error) {
      if (error instanceof ChangeError) throw invalid(`body.changes.${index}`, error.message);
      throw error;
    }
  }
  if (!isObject(changed)) throw invalid("body.changes", "must leave an object");
  return changed;
}

function apply(document: unknown, change: DraftChange): unknown {
  const { op, before } = change;
  const path = segmentsOf(change.path);
  if ((op === "set" || op === "insert") !== Object.hasOwn(change, "value"))
    throw new ChangeError(op === "set" || op === "insert" ? "needs a value" : "takes no value");
  if (before !== undefined && (op === "set" || op === "remove")) throw new ChangeError("takes no before");
  if (op === "insert") return at(document, path, (list) => inserted(list ?? [], change.value, before));
  const last = path.at(-1);
  if (last === undefined) {
    if (op === "set") return change.value;
    throw new ChangeError("cannot be done to the whole draft");
  }
  return at(document, path.slice(0, -1), (parent) => {
    if (op === "set") return withChild(parent, last, change.value);
    if (op === "remove") return without(parent, last);
    const list = listOf(parent);
    const moved = list[placeIn(list, last)];
    return inserted(without(list, last), moved, before);
  });
}

function segmentsOf(path: string): string[] {
  if (path === "") return [];
  if (!path.startsWith("/")) throw new ChangeError("must have a path that begins with /");
  const segments = path
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (segments.length > changeBounds.depth)
    throw new ChangeError(`has more than ${changeBounds.depth} parts in its path`);
  if (segments.includes("__proto__")) throw new ChangeError("names a field that no document has");
  return segments;
}

/** Replaces the thing at a path with the result of `change`. */
function at(document: unknown, path: readonly string[], change: (thing: unknown) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return change(document);
  if (Array.isArray(document)) {
    const place = placeIn(document, first);
    return document.with(place, at(document[place], rest, change));
  }
  if (!isObject(document)) throw new ChangeError(`finds nothing that has a "${shortened(first)}"`);
  const inner = Object.hasOwn(document, first) ? document[first] : undefined;
  // a missing list is created; anything else must exist
  if (inner === undefined && rest.length > 0) throw new ChangeError(`finds no "${shortened(first)}"`);
  return { ...document, [first]: at(inner, rest, change) };
}

const listOf = (thing: unknown): unknown[] => {
  if (Array.isArray(thing)) return thing;
  throw new ChangeError("is about a list, and finds none");
};

/** The index of a list entry that is named by its key or its number. */
function placeIn(list: readonly unknown[], name: string): number {
  const keyed = list.findIndex((entry) => isObject(entry) && keyFields.some((field) => entry[field] === name));
  if (keyed >= 0) return keyed;
  const number = /^(0|[1-9]\d{0,5})$/.test(name) ? Number(name) : Number.NaN;
  if (number < list.length) return number;
  throw new ChangeError(`finds no "${shortened(name)}" in the list`);
}

function withChild(parent: unknown, name: string, value: unknown): unknown {
  if (Array.isArray(parent)) return parent.with(placeIn(parent, name), value);
  if (!isObject(parent)) throw new ChangeError(`finds nothing that can have a "${shortened(name)}"`);
  return { ...parent, [name]: value };
}

function without(parent: unknown, name: string): unknown {
  if (Array.isArray(parent)) return parent.toSpliced(placeIn(parent, name), 1);
  if (!isObject(parent) || !Object.hasOwn(parent, name)) throw new ChangeError(`finds no "${shortened(name)}"`);
  const { [name]: _gone, ...rest } = parent;
  return rest;
}

function inserted(list: unknown, value: unknown, before: string | undefined): unknown[] {
  const entries = listOf(list);
  return entries.toSpliced(before === undefined ? entries.length : placeIn(entries, before), 0, value);
}

/** A caller's name made safe to repeat, and shortened. */
const shortened = (name: string): string =>
  Array.from(name.replaceAll(/[^\p{L}\p{N}_ -]/gu, ""))
    .slice(0, 50)
    .join("");
