import { curvePoint, type Point } from "./lines.ts";

/** Places the labels of edges so that none overlap; the largest counts are placed first. */

export interface Labelled {
  points: readonly Point[];
  count: number | undefined;
  /** shown if there is no count */
  label: string | undefined;
}

export interface LabelPlace {
  at: Point;
  /** false: other labels are in the way; it shows only while its edge is highlighted */
  hasRoom: boolean;
}

const lineHeight = 13;
const places = [0.5, 0.36, 0.64, 0.24, 0.76, 0.14, 0.86];

const longest = 32;

/** A name, shortened to fit next to other labels. */
export const shortLabel = (label: string): string =>
  label.length > longest ? `${label.slice(0, longest - 1).trimEnd()}…` : label;

/** The estimated width of the text, including thousands separators; 0: no label. */
function widthOf({ count, label = "" }: Labelled): number {
  if (count === undefined) return label === "" ? 0 : 8 + 6 * shortLabel(label).length;
  const digits = String(count).length;
  return 8 + 6.5 * (digits + Math.floor((digits - 1) / 3));
}

export function placeLabels(edges: readonly Labelled[]): LabelPlace[] {
  const taken: { at: Point; width: number }[] = [];
  const found = new Map<Labelled, LabelPlace>();
  const isFree = (at: Point, width: number) =>
    taken.every(
      (other) => Math.abs(other.at.x - at.x) >= (other.width + width) / 2 || Math.abs(other.at.y - at.y) >= lineHeight,
    );
  for (const edge of [...edges].sort((a, b) => (b.count ?? 0) - (a.count ?? 0))) {
    const width = widthOf(edge);
    const tried = places.map((place) => pointAt(edge.points, place));
    const free = width === 0 ? undefined : tried.find((at) => isFree(at, width));
    if (free) taken.push({ at: free, width });
    found.set(edge, { at: free ?? tried[0] ?? { x: 0, y: 0 }, hasRoom: free !== undefined });
  }
  return edges.map((edge) => found.get(edge) ?? { at: { x: 0, y: 0 }, hasRoom: false });
}

/** For an edge across a gap, a point on its curve; for an edge through a lane, a point in the lane. */
function pointAt(points: readonly Point[], place: number): Point {
  const [from, second, third, fourth] = points;
  if (!from || !second) return { x: 0, y: 0 };
  if (!third || !fourth) return curvePoint(from, second, place);
  return { x: third.x + (fourth.x - third.x) * place, y: third.y };
}
