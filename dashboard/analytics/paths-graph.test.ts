import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnalyticsPaths, PageEdge, PageNode } from "../../client/src/index.ts";
import { endsOf, type Graph, type GraphEdge } from "../graph/graph.ts";
import { layoutGraph } from "../graph/layout.ts";
import { edgeId, movesTable, pagesTable, pathsGraph, withMoves } from "./paths-graph.ts";

const causes = ["next", "jump", "skip", "back", "restart"] as const;

/** An answer as the API makes it from any moves: the edges with most moves, all others in one sum. */
const answers = fc
  .record({
    pages: fc.integer({ min: 1, max: 12 }),
    listed: fc.nat({ max: 20 }),
    ends: fc.array(fc.tuple(fc.nat({ max: 50 }), fc.nat({ max: 50 }), fc.nat({ max: 50 })), {
      minLength: 12,
      maxLength: 12,
    }),
    moves: fc.uniqueArray(
      fc.record({
        from: fc.nat({ max: 11 }),
        to: fc.nat({ max: 11 }),
        cause: fc.constantFrom(...causes),
        moves: fc.integer({ min: 1, max: 1000 }),
      }),
      { maxLength: 60, selector: ({ from, to, cause }) => `${from} ${to} ${cause}` },
    ),
  })
  .map(({ pages, listed, ends, moves }) => {
    const key = (page: number) => `p${page % pages}`;
    const all: PageEdge[] = moves.map(({ from, to, cause, moves: count }, index) => ({
      from_page_key: key(from),
      to_page_key: key(to),
      cause,
      moves: count,
      sessions_moved: Math.ceil(count / 2),
      ...(cause === "jump" ? { jump_rule_key: `rule${index}` } : {}),
    }));
    all.sort((a, b) => b.moves - a.moves);
    const edges = all.slice(0, listed);
    const rest = all.slice(listed);
    const sum = (some: readonly PageEdge[]) => some.reduce((total, one) => total + one.moves, 0);
    const nodes = Array.from({ length: pages }, (_, index): PageNode => {
      const [left = 0, finished_here = 0, still_here = 0] = ends[index] ?? [];
      return {
        page_key: key(index),
        title: `Page ${index}`,
        removed: false,
        entries:
          left + finished_here + still_here + sum(all.filter(({ from_page_key }) => from_page_key === key(index))),
        entries_by_jump: 0,
        exits_closed: left,
        exits_restarted: 0,
        exits_timed_out: 0,
        finished_here,
        still_here,
      };
    });
    const other_paths = { moves: sum(rest), routes: rest.length };
    return { nodes, edges, other_paths, rules: [], visibility_skips: [] } satisfies Partial<AnalyticsPaths>;
  });

/** How far each page's count is from what leaves it; empty when all of them agree. */
function imbalances(graph: Graph): { id: string; missing: number }[] {
  const out = new Map<string, number>();
  for (const { from, count = 0 } of graph.edges) out.set(from, (out.get(from) ?? 0) + count);
  return graph.nodes.flatMap(({ id, count = 0, ends = [] }) => {
    const missing = count - (out.get(id) ?? 0) - ends.reduce((sum, end) => sum + end.count, 0);
    return missing === 0 ? [] : [{ id, missing }];
  });
}

describe("paths as a graph", () => {
  it("agree with their answer: each page's arrivals, all ends, and what is not drawn [dashboard-figures.paths-balance]", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const graph = pathsGraph(answer);
        expect(imbalances(graph)).toEqual([]);
        const sum = (of: (node: PageNode) => number) => answer.nodes.reduce((total, node) => total + of(node), 0);
        expect(endsOf(graph, "left")).toBe(sum((n) => n.exits_closed + n.exits_restarted + n.exits_timed_out));
        expect(endsOf(graph, "finished")).toBe(sum(({ finished_here }) => finished_here));
        expect(endsOf(graph, "still")).toBe(sum(({ still_here }) => still_here));
        expect(endsOf(graph, "other")).toBe(answer.other_paths.moves);
        expect(layoutGraph(graph).edges).toHaveLength(answer.edges.length);
      }),
    );
  });

  it("tell the period before of each page and way, but not of ways that its answer does not list [dashboard-figures.compare]", () => {
    fc.assert(
      fc.property(answers, answers, (now, then) => {
        const graph = pathsGraph(now, then);
        for (const { id, before } of graph.nodes)
          expect(before).toBe(then.nodes.find(({ page_key }) => page_key === id)?.entries);
        for (const { id, before } of graph.edges) {
          const listed = then.edges.findLast((edge) => edgeId(edge) === id)?.moves;
          expect(before).toBe(listed ?? (then.other_paths.routes === 0 ? 0 : undefined));
        }
      }),
    );
  });

  it("stand on the ways of the quiz's logic, and what goes other ways below its pages [dashboard-figures.paths-balance]", () => {
    const logics = fc.uniqueArray(
      fc.record({ from: fc.nat({ max: 11 }), to: fc.nat({ max: 11 }), rule: fc.option(fc.nat({ max: 59 })) }),
      { maxLength: 30, selector: ({ from, to, rule }) => `${from} ${to} ${rule}` },
    );
    fc.assert(
      fc.property(answers, logics, (answer, ways) => {
        const pages = answer.nodes.length;
        const ids = Array.from({ length: pages + 1 }, (_, index) => `p${index}`);
        const wanted = ways
          .filter(({ from, to }) => from <= pages && to <= pages)
          .map(({ from, to, rule }) => ({
            ...({ id: `${from} ${to} ${rule}`, from: `p${from}`, to: `p${to}` } satisfies Partial<GraphEdge>),
            kind: rule === null ? ("next" as const) : ("jump" as const),
            rule: rule === null ? null : `rule${rule}`,
          }));
        const logic = { nodes: ids.map((id) => ({ id, label: id })), edges: wanted };
        const graph = withMoves(logic, answer, ({ rule }) => rule);
        expect(imbalances(graph)).toEqual([]);
        expect(endsOf(graph, "left")).toBe(answer.nodes.reduce((sum, { exits_closed }) => sum + exits_closed, 0));
        for (const { from, to, rule, count } of graph.edges as (GraphEdge & { rule: string | null })[]) {
          const took = answer.edges.filter(
            (edge) =>
              (rule === null ? ["next", "skip"].includes(edge.cause) : edge.jump_rule_key === rule) &&
              edge.from_page_key === from &&
              edge.to_page_key === to,
          );
          const moves = took.reduce((sum, edge) => sum + edge.moves, 0);
          expect(count).toBe(took.length > 0 || answer.other_paths.routes === 0 ? moves : undefined);
        }
      }),
    );
  });

  it("have the same figures as tables, with the ways that are not listed [dashboard-figures.paths-balance]", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const moves = movesTable(answer);
        const at = moves.columns.findIndex(({ key }) => key === "moves");
        const told = moves.rows.reduce((sum, { cells }) => sum + Number(cells[at]), 0);
        expect(told).toBe(answer.other_paths.moves + answer.edges.reduce((sum, edge) => sum + edge.moves, 0));
        const pages = pagesTable(answer);
        const out = pages.columns.findIndex(({ key }) => key === "moves_out");
        expect(pages.rows.reduce((sum, { cells }) => sum + Number(cells[out]), 0)).toBe(told);
      }),
    );
  });
});
