import { applyAll, type Change, type Path } from "./change.ts";

/**
 * The edits of a document, for undo and redo without limit [editor.undo]. Immutable: each function returns a new
 * history.
 */
export interface History<Document> {
  readonly document: Document;
  readonly done: readonly Step[];
  readonly undone: readonly Step[];
}

/** One action of an author. */
export interface Edit {
  /** the undo button's text: "add a page" */
  said: string;
  changes: readonly Change[];
  /** consecutive edits with the same name are undone together, such as the letters of a word */
  joins?: string;
}

interface Step {
  said: string;
  changes: readonly Change[];
  inverses: readonly Change[];
  joins: string | null;
}

export const newHistory = <Document>(document: Document): History<Document> => ({ document, done: [], undone: [] });

/** Performs an edit and discards the redo list. An edit without changes has no effect. */
export function perform<Document>(history: History<Document>, edit: Edit): History<Document> {
  if (edit.changes.length === 0) return history;
  const { document, inverses } = applyAll(history.document, edit.changes);
  const step: Step = { said: edit.said, changes: edit.changes, inverses, joins: edit.joins ?? null };
  const last = history.done.at(-1);
  const joined = last && step.joins !== null && last.joins === step.joins ? joinedSteps(last, step) : null;
  const done = joined ? [...history.done.slice(0, -1), joined] : [...history.done, step];
  return { document, done, undone: [] };
}

/** Stops joining: later edits are undone separately, because the author paused or moved on. */
export function pause<Document>(history: History<Document>): History<Document> {
  const last = history.done.at(-1);
  if (!last || last.joins === null) return history;
  return { ...history, done: [...history.done.slice(0, -1), { ...last, joins: null }] };
}

export function undo<Document>(history: History<Document>): History<Document> {
  const step = history.done.at(-1);
  if (!step) return history;
  const { document } = applyAll(history.document, step.inverses);
  return { document, done: history.done.slice(0, -1), undone: [...history.undone, { ...step, joins: null }] };
}

export function redo<Document>(history: History<Document>): History<Document> {
  const step = history.undone.at(-1);
  if (!step) return history;
  const { document } = applyAll(history.document, step.changes);
  return { document, done: [...history.done, step], undone: history.undone.slice(0, -1) };
}

/** Merges repeated edits of one value, so that undo restores the first value with one change. */
function joinedSteps(first: Step, second: Step): Step {
  const [a, b] = [onlySet(first.changes), onlySet(second.changes)];
  if (a && b && samePath(a.path, b.path)) return { ...second, inverses: first.inverses };
  return {
    ...second,
    changes: [...first.changes, ...second.changes],
    inverses: [...second.inverses, ...first.inverses],
  };
}

function onlySet(changes: readonly Change[]): { path: Path } | null {
  const [change] = changes;
  return changes.length === 1 && change?.kind === "set" ? change : null;
}

const samePath = (a: Path, b: Path): boolean => a.length === b.length && a.every((step, index) => step === b[index]);
