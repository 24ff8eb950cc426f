import type { EdgeKind, Graph } from "./graph.ts";

/**
 * Assigns pages to columns [dashboard-figures.graph-columns]. A page is one column to the right of the last page with a
 * forward edge to it, so pages that exclude each other share a column; a page without such an edge is to the right of
 * the page before it.
 */

const forwardKinds: ReadonlySet<EdgeKind> = new Set(["next", "jump", "skip"]);

export interface Placed {
  column: number;
  /** from the top of its column */
  row: number;
}

export function columnsOf(graph: Graph): Map<string, Placed> {
  const place = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  const before = new Map<string, string[]>();
  for (const { from, to, kind } of graph.edges) {
    const leadsForward = forwardKinds.has(kind) && (place.get(from) ?? 0) < (place.get(to) ?? 0);
    if (leadsForward) before.set(to, [...(before.get(to) ?? []), from]);
  }
  const placed = new Map<string, Placed>();
  const rows = new Map<number, number>();
  graph.nodes.forEach(({ id }, index) => {
    const previous = graph.nodes[index - 1]?.id;
    const leading = before.get(id) ?? (previous === undefined ? [] : [previous]);
    const column = Math.max(-1, ...leading.map((from) => placed.get(from)?.column ?? -1)) + 1;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    placed.set(id, { column, row });
  });
  return placed;
}
