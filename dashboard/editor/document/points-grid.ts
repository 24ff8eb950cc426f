import { componentName, firstWords } from "../../../engine/condition-words.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import { isChoice } from "../../../engine/kinds/value.ts";
import type { Place } from "./edits.ts";
import type { Cell } from "./logic-edits.ts";

/** The points of the whole quiz as rows, and how pasted cells fill them. Pure. */

export interface GridRow {
  place: Place;
  option: number;
  /** the question's text, only in its first row */
  question: string | null;
  label: string;
}

export const gridRows = ({ pages }: QuizDocument): GridRow[] =>
  pages.flatMap(({ components }, page) =>
    components.flatMap((component, at) =>
      isChoice(component)
        ? component.options.map(({ label, option_id }, option) => ({
            place: { page, component: at },
            option,
            question: option === 0 ? componentName(component) : null,
            label: firstWords(label) || option_id,
          }))
        : [],
    ),
  );

/** The dimensions as columns, then other ids that options give points to, so that those points can be removed. */
export function resultIds(pages: QuizDocument["pages"], dimensions: QuizDocument["dimensions"]): string[] {
  const known = dimensions.map(({ dimension_id }) => dimension_id);
  const others = new Set<string>();
  for (const component of pages.flatMap((page) => page.components)) {
    if (isChoice(component))
      for (const { points } of component.options) for (const id of Object.keys(points)) others.add(id);
  }
  for (const id of known) others.delete(id);
  return [...known, ...others];
}

/**
 * Cells for numbers pasted from a spreadsheet, starting at a position in the grid. Cells outside the grid and
 * non-numbers are dropped; an empty cell is 0.
 */
export function pastedCells(
  text: string,
  {
    rows,
    dimensions,
    row,
    column,
  }: { rows: readonly GridRow[]; dimensions: readonly string[]; row: number; column: number },
): Cell[] {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.flatMap((line, down) =>
    line.split("\t").flatMap((cell, right): Cell[] => {
      const target = rows[row + down];
      const dimension_id = dimensions[column + right];
      const points = Number(cell.trim().replace(",", "."));
      if (!target || dimension_id === undefined || !Number.isFinite(points)) return [];
      return [{ place: target.place, option: target.option, dimension_id, points }];
    }),
  );
}
