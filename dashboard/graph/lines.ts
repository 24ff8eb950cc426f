/** SVG path data for lines. */

export interface Point {
  x: number;
  y: number;
}

const at = ({ x, y }: Point): string => `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;

/** Horizontal at both ends. */
export function curve(from: Point, to: Point): string {
  const middle = (from.x + to.x) / 2;
  return `M${at(from)}C${at({ x: middle, y: from.y })} ${at({ x: middle, y: to.y })} ${at(to)}`;
}

/** The point on that curve at the fraction `part`. */
export function curvePoint(from: Point, to: Point, part: number): Point {
  const rest = 1 - part;
  const middle = (from.x + to.x) / 2;
  return {
    x: rest ** 3 * from.x + 3 * rest * part * middle + part ** 3 * to.x,
    y: (rest ** 3 + 3 * rest ** 2 * part) * from.y + (3 * rest * part ** 2 + part ** 3) * to.y,
  };
}

const radiusAtMost = 10;

/** Straight segments with rounded corners. */
export function roundedLine(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const pieces = rest.map((corner, index) => {
    const before = points[index] ?? first;
    const after = rest[index + 1];
    if (!after) return `L${at(corner)}`;
    const radius = Math.min(radiusAtMost, distance(before, corner) / 2, distance(corner, after) / 2);
    return `L${at(towards(corner, before, radius))}Q${at(corner)} ${at(towards(corner, after, radius))}`;
  });
  return [`M${at(first)}`, ...pieces].join("");
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

function towards(from: Point, to: Point, length: number): Point {
  const all = distance(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * length) / all, y: from.y + ((to.y - from.y) * length) / all };
}
