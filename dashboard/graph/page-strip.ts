import type { View } from "./first-view.ts";
import type { GraphPicture } from "./layout.ts";

/**
 * A map of a graph whose pages do not fit on a screen: a stretch for each column, with a bar for each of its pages
 * [dashboard-figures.graph-strip].
 */

export interface StripColumn {
  pages: StripPage[];
  /** its first page's place in the quiz's order, from 1 */
  place: number;
  /** where its pages stand in the picture, from its left, and their middle */
  x: number;
  middle: number;
}

export interface StripPage {
  id: string;
  /** of the page that most came to, between 0 and 1; of a graph without figures, one half for all */
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

/** Which part of the strip is seen in the box, from 0 to 1. */
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

/** Every how many columns have their place written, so that none touches the next. */
export const placesEvery = (columns: number, width: number): number => {
  const fit = Math.max(1, Math.floor(width / placeWidth));
  const steps = [1, 2, 5, 10, 20, 50, 100];
  return steps.find((step) => columns / step <= fit) ?? columns;
};

const placeWidth = 18;
