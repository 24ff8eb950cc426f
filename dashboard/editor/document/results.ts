import type { Condition, Page, QuizDocument } from "../../../engine/document.ts";
import { type Change, type Path, valueAt } from "./change.ts";
import { setField } from "./edits.ts";
import { freshDimension, freshPage } from "./fresh.ts";
import type { Edit } from "./history.ts";
import type { Keys } from "./keys.ts";

/** Results with pages of their own, as edits of the current document [editor.result-pages]. */

const wins = (dimension_id: string): Condition => ({ kind: "winner", op: "in", dimension_ids: [dimension_id] });

/**
 * A result, its page and the page's condition in one step.
 *
 * @param at the index of its page; left out: before a result page for everybody, which would end the quiz first
 */
export function addResult(document: QuizDocument, keys: Keys, at = beforeResultForAll(document)): Edit {
  const dimension = freshDimension(keys);
  return {
    said: "add a result with its page",
    changes: [
      { kind: "insert", path: ["dimensions"], index: document.dimensions.length, value: dimension },
      ...pagesFor(keys, [dimension], at),
    ],
  };
}

/** A page for each result that has none. */
export function addResultPages(document: QuizDocument, keys: Keys): Edit {
  return {
    said: "add a page for each result",
    changes: pagesFor(keys, resultsWithoutPage(document), beforeResultForAll(document)),
  };
}

export function resultsWithoutPage({ pages, dimensions }: QuizDocument): QuizDocument["dimensions"] {
  const shown = new Set(pages.map(({ outcome }) => outcome?.dimension_id));
  return dimensions.filter(({ dimension_id }) => !shown.has(dimension_id));
}

/** Before a result page for everybody, which would otherwise end the quiz first. */
export function beforeResultForAll({ pages }: QuizDocument): number {
  const forAll = pages.findIndex(isForAll);
  return forAll === -1 ? pages.length : forAll;
}

export const isForAll = ({ kind, visible_when }: Page): boolean => kind === "result" && visible_when === null;

function pagesFor(keys: Keys, dimensions: QuizDocument["dimensions"], first: number): Change[] {
  return dimensions.map(({ dimension_id, name }, nth): Change => {
    const value: Page = {
      ...freshPage(keys, "result"),
      title: name,
      outcome: { dimension_id },
      visible_when: wins(dimension_id),
    };
    return { kind: "insert", path: ["pages"], index: first + nth, value };
  });
}

/**
 * Gives a result page the result that it is about; null: none. Its condition follows, unless the author wrote another.
 */
export function setOutcome(document: QuizDocument, index: number, dimension_id: string | null): Edit {
  const page = document.pages[index];
  if (!page) return { said: "", changes: [] };
  const before = page.outcome?.dimension_id;
  const condition = JSON.stringify(page.visible_when);
  const isOwn = page.visible_when === null || (before !== undefined && condition === JSON.stringify(wins(before)));
  const outcome = dimension_id === null ? null : { dimension_id };
  const changes: Change[] = [{ kind: "set", path: ["pages", index, "outcome"], value: outcome }];
  const visible_when = dimension_id === null ? null : wins(dimension_id);
  if (isOwn) changes.push({ kind: "set", path: ["pages", index, "visible_when"], value: visible_when });
  return { said: "change the result of a page", changes };
}

/**
 * Names a result by its name or by the title of its page: the other follows as long as both say the same.
 *
 * @param path of the name of a result or of the title of a page
 */
export function nameResult(document: QuizDocument, path: Path, name: string): Edit {
  const edit = setField(document, path, name, "name a result");
  const before = valueAt(document, path);
  const [list, index] = path;
  const id =
    list === "dimensions"
      ? document.dimensions[Number(index)]?.dimension_id
      : document.pages[Number(index)]?.outcome?.dimension_id;
  const page = document.pages.findIndex(({ outcome }) => outcome?.dimension_id === id);
  const dimension = document.dimensions.findIndex(({ dimension_id }) => dimension_id === id);
  const other: Path = list === "dimensions" ? ["pages", page, "title"] : ["dimensions", dimension, "name"];
  const isTheirs = list === "dimensions" || page === index;
  if (id === undefined || !isTheirs || valueAt(document, other) !== before) return edit;
  return { ...edit, changes: [...edit.changes, { kind: "set", path: other, value: name }] };
}
