/**
 * Changes of a document as data [editor.undo]: four kinds, whose inverses are of the same four kinds. Documents are
 * immutable: parts that a change does not touch keep their identity, so that screens can compare by identity.
 */
export type Path = readonly (string | number)[];

export type Change =
  /** sets a field or a list entry; undefined removes the field */
  | { kind: "set"; path: Path; value: unknown }
  | { kind: "insert"; path: Path; index: number; value: unknown }
  | { kind: "remove"; path: Path; index: number }
  | { kind: "move"; path: Path; from: number; to: number };

export interface Applied<Document> {
  document: Document;
  inverse: Change;
}

/** Throws if the document has no such place: callers check the document before they make a change. */
export function applyChange<Document>(document: Document, change: Change): Applied<Document> {
  if (change.kind === "set") {
    const before = valueAt(document, change.path);
    const inverse: Change = { kind: "set", path: change.path, value: before };
    return { document: replaced(document, change.path, () => change.value), inverse };
  }
  const { path } = change;
  const list = listAt(document, path);
  const { next, inverse } = changedList(list, change);
  return { document: replaced(document, path, () => next), inverse };
}

function changedList(list: readonly unknown[], change: Exclude<Change, { kind: "set" }>) {
  const { path } = change;
  switch (change.kind) {
    case "insert": {
      assertWithin(change.index, list.length + 1, path);
      const inverse: Change = { kind: "remove", path, index: change.index };
      return { next: list.toSpliced(change.index, 0, change.value), inverse };
    }
    case "remove": {
      assertWithin(change.index, list.length, path);
      const inverse: Change = { kind: "insert", path, index: change.index, value: list[change.index] };
      return { next: list.toSpliced(change.index, 1), inverse };
    }
    case "move": {
      assertWithin(change.from, list.length, path);
      assertWithin(change.to, list.length, path);
      const inverse: Change = { kind: "move", path, from: change.to, to: change.from };
      return { next: list.toSpliced(change.from, 1).toSpliced(change.to, 0, list[change.from]), inverse };
    }
  }
}

/** Applies changes in order and returns their inverse. */
export function applyAll<Document>(
  document: Document,
  changes: readonly Change[],
): { document: Document; inverses: Change[] } {
  const inverses: Change[] = [];
  let current = document;
  for (const change of changes) {
    const applied = applyChange(current, change);
    current = applied.document;
    inverses.unshift(applied.inverse);
  }
  return { document: current, inverses };
}

export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined;
  }
  return value;
}

function listAt(document: unknown, path: Path): readonly unknown[] {
  const list = valueAt(document, path);
  if (!Array.isArray(list)) throw new Error(`there is no list at ${path.join(".")}`);
  return list;
}

function assertWithin(index: number, length: number, path: Path): void {
  if (!Number.isInteger(index) || index < 0 || index >= length)
    throw new Error(`${path.join(".")} has no place ${index}`);
}

function replaced<Document>(document: Document, path: Path, make: () => unknown): Document {
  return replacedAt(document, path, 0, make) as Document;
}

function replacedAt(value: unknown, path: Path, depth: number, make: () => unknown): unknown {
  const step = path[depth];
  if (step === undefined) return make();
  if (typeof value !== "object" || value === null)
    throw new Error(`there is nothing at ${path.slice(0, depth).join(".")}`);
  const inner = (value as Record<string | number, unknown>)[step];
  if (Array.isArray(value)) {
    if (typeof step !== "number") throw new Error(`${path.slice(0, depth).join(".")} is a list`);
    assertWithin(step, value.length, path.slice(0, depth));
    return value.with(step, replacedAt(inner, path, depth + 1, make));
  }
  const next = replacedAt(inner, path, depth + 1, make);
  const { [step]: _, ...others } = value as Record<string | number, unknown>;
  if (next === undefined) return others;

  return { ...value, [step]: next };
}
