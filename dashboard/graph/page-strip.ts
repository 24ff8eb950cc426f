import type { View } from "./first-view.ts";
import type { GraphPicture } from "./layout.ts";

/**
 * An overview of a graph that does not fit on the screen: a section per column, with a bar for each of its pages
 * [dashboard-figures.graph-strip].
 */

export interface StripColumn {
  pages: StripPage[];
  /** its first page's position in the quiz, from 1 */
  place: number;
  /** the left edge and the middle of its pages in the picture */
  x: number;
  middle: number;
}

export interface StripPage {
  id: string;
  /** relative to the page with the most arrivals, from 0 to 1; one half for all in a graph without figures */
  share: number;
  look: string;
}

export function stripOf(picture: GraphPicture): StripColumn[] {
  const columns: StripColumn[] = [];
  const most = Math.max(1, ...picture.nodes.map(({ node }) => node.count ?? 0));
  picture.nodes.forEach(({ node, column, x, width }, index) => {
    columns[column] ??= { pages: [], place: index + 1, x, middle: x + width / 2 };
    const { id, count, look = "page" } = node;
    columns[column].pages.push({ id, look, share: count === undefined ? 0.5 : count / most });
  });
  return columns;
}

/** The part of the strip that the box shows, from 0 to 1. */
export function seenPart(
  columns: readonly StripColumn[],
  picture: GraphPicture,
  { x, zoom }: Pick<View, "x" | "zoom">,
  boxWidth: number,
): { from: number; to: number } {
  const edges = [0, ...columns.slice(1).map((column) => column.x), picture.width];
  const partAt = (at: number): number => {
    const column = Math.max(
      0,
      edges.findLastIndex((edge) => edge <= at),
    );
    const [left = 0, right = picture.width] = [edges[column], edges[column + 1]];
    const within = right > left ? Math.min(1, Math.max(0, at - left) / (right - left)) : 0;
    return Math.min(1, (column + within) / Math.max(1, columns.length));
  };
  return { from: partAt(-x / zoom), to: partAt((boxWidth - x) / zoom) };
}

/** How many columns apart the position labels are, so that they do not touch. */
export const placesEvery = (columns: number, width: number): number => {
  const fit = Math.max(1, Math.floor(width / placeWidth));
  const steps = [1, 2, 5, 10, 20, 50, 100];
  return steps.find((step) => columns / step <= fit) ?? columns;
};

const placeWidth = 18;
