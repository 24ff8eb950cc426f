import type { Placed } from "./columns.ts";
import type { GraphEdge } from "./graph.ts";

/**
 * How each edge runs: straight across the gap to an adjacent column, or through a lane above all pages (forward, past
 * columns) or below them (back) [dashboard-figures.graph-widths]. It leaves and enters pages at their sides, so that it
 * crosses none.
 */

export type Way = "beside-right" | "beside-left" | "over" | "under";

export interface Route {
  edge: GraphEdge;
  way: Way;
  stroke: number;
  from: Placed;
  to: Placed;
}

const thickest = 18;
const thinnest = 1.25;

export function routesOf(edges: readonly GraphEdge[], placed: ReadonlyMap<string, Placed>): Route[] {
  const weightOf = (edge: GraphEdge) => edge.weight ?? edge.count;
  const most = Math.max(1, ...edges.map((edge) => weightOf(edge) ?? 0));
  return edges.flatMap((edge) => {
    const from = placed.get(edge.from);
    const to = placed.get(edge.to);
    if (!from || !to) return [];
    const weight = weightOf(edge);
    const stroke = weight === undefined ? 2 : Math.max(thinnest, (thickest * weight) / most);
    return [{ edge, way: wayOf(to.column - from.column), stroke, from, to }];
  });
}

function wayOf(columns: number): Way {
  if (columns === 1) return "beside-right";
  if (columns === -1) return "beside-left";
  return columns > 0 ? "over" : "under";
}

export const leavesRight = (way: Way): boolean => way === "beside-right" || way === "over";

export const spanOf = (route: Route): number => Math.abs(route.to.column - route.from.column);

/**
 * The order at a page's side, from the top: long edges above, short ones above, edges to adjacent columns, then short
 * and long ones below.
 */
export function orderAtSide(a: Route, b: Route, otherEnd: (route: Route) => Placed): number {
  const rank: Record<Way, number> = { over: 0, "beside-right": 1, "beside-left": 2, under: 3 };
  if (a.way !== b.way) return rank[a.way] - rank[b.way];
  if (a.way === "over") return spanOf(b) - spanOf(a);
  if (a.way === "under") return spanOf(a) - spanOf(b);
  return otherEnd(a).row - otherEnd(b).row;
}
