import type { Condition, Page, QuizDocument } from "../../../engine/document.ts";
import type { Change } from "./change.ts";
import { freshDimension, freshPage } from "./fresh.ts";
import type { Edit } from "./history.ts";
import type { Keys } from "./keys.ts";

/** Results with pages of their own, as edits of the current document [editor.result-pages]. */

const wins = (dimension_id: string): Condition => ({ kind: "winner", op: "in", dimension_ids: [dimension_id] });

/** A result, its page and the page's condition in one step. */
export function addResult(document: QuizDocument, keys: Keys): Edit {
  const dimension = freshDimension(keys);
  return {
    said: "add a result with its page",
    changes: [
      { kind: "insert", path: ["dimensions"], index: document.dimensions.length, value: dimension },
      ...pagesFor(document, keys, [dimension]),
    ],
  };
}

/** A page for each result that has none. */
export function addResultPages(document: QuizDocument, keys: Keys): Edit {
  return { said: "add a page for each result", changes: pagesFor(document, keys, resultsWithoutPage(document)) };
}

export function resultsWithoutPage({ pages, dimensions }: QuizDocument): QuizDocument["dimensions"] {
  const shown = new Set(pages.map(({ outcome }) => outcome?.dimension_id));
  return dimensions.filter(({ dimension_id }) => !shown.has(dimension_id));
}

/** They stand before a result page for everybody, which would otherwise end the quiz first. */
function pagesFor({ pages }: QuizDocument, keys: Keys, dimensions: QuizDocument["dimensions"]): Change[] {
  const forAll = pages.findIndex(({ kind, visible_when }) => kind === "result" && visible_when === null);
  const first = forAll === -1 ? pages.length : forAll;
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
