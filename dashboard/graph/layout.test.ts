import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { edgeKinds, type Graph, type GraphEdge, type GraphNode } from "./graph.ts";
import { type GraphPicture, layoutGraph, type PictureNode } from "./layout.ts";
import type { Point } from "./lines.ts";

/** Any graph: pages in an order, edges of all kinds between any two of them, to itself too. */
const graphs = fc
  .integer({ min: 1, max: 24 })
  .chain((pages) =>
    fc.record({
      nodes: fc.tuple(
        ...Array.from({ length: pages }, (_, index) =>
          fc.integer({ min: 0, max: 4 }).map(
            (ends): GraphNode => ({
              id: `p${index}`,
              label: `Page ${index}`,
              ends: Array.from({ length: ends }, () => ({ kind: "left", label: "Left", count: 1 })),
            }),
          ),
        ),
      ),
      edges: fc.array(
        fc.record({
          from: fc.nat({ max: pages - 1 }),
          to: fc.nat({ max: pages - 1 }),
          kind: fc.constantFrom(...edgeKinds),
          count: fc.nat({ max: 100_000 }),
        }),
        { maxLength: 80 },
      ),
    }),
  )
  .map(
    ({ nodes, edges }): Graph => ({
      nodes,
      edges: edges.map((edge, index) => ({ ...edge, id: `e${index}`, from: `p${edge.from}`, to: `p${edge.to}` })),
    }),
  );

const overlap = (a: PictureNode, b: PictureNode): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Whether a straight piece of a way, level or upright, goes through a page. */
function crosses(from: Point, to: Point, { x, y, width, height }: PictureNode): boolean {
  return (
    Math.max(from.x, to.x) > x + 0.01 &&
    Math.min(from.x, to.x) < x + width - 0.01 &&
    Math.max(from.y, to.y) > y + 0.01 &&
    Math.min(from.y, to.y) < y + height - 0.01
  );
}

const crossings = ({ nodes, edges }: GraphPicture): string[] =>
  edges.flatMap(({ edge, points }) =>
    points
      .slice(1)
      .flatMap((to, index) =>
        nodes.filter((node) => crosses(points[index] ?? to, to, node)).map((node) => `${edge.id} x ${node.node.id}`),
      ),
  );

describe("a graph's picture", () => {
  it("lets no two pages overlap, and leads no edge through a page [dashboard-figures.graph-layout]", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const picture = layoutGraph(graph);
        expect(picture.nodes).toHaveLength(graph.nodes.length);
        expect(picture.edges).toHaveLength(graph.edges.length);
        picture.nodes.forEach((a, index) => {
          for (const b of picture.nodes.slice(index + 1))
            expect(overlap(a, b), `${a.node.id} ${b.node.id}`).toBe(false);
        });
        expect(crossings(picture)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("stays inside its own size, and leaves and enters pages at their sides [dashboard-figures.graph-layout]", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const picture = layoutGraph(graph);
        const boxes = new Map(picture.nodes.map((node) => [node.node.id, node]));
        for (const { x, y, width, height } of picture.nodes) {
          expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
          expect(x + width).toBeLessThanOrEqual(picture.width);
          expect(y + height).toBeLessThanOrEqual(picture.height);
        }
        for (const { edge, points, stroke } of picture.edges) {
          for (const [point, id] of [[points[0], edge.from] as const, [points.at(-1), edge.to] as const]) {
            const box = boxes.get(id)!;
            expect([box.x, box.x + box.width]).toContainEqual(expect.closeTo(point!.x, 6));
            expect(point!.y - stroke / 2).toBeGreaterThanOrEqual(box.y - 0.01);
            expect(point!.y + stroke / 2).toBeLessThanOrEqual(box.y + box.cardHeight + 0.01);
          }
          for (const { x, y } of points) {
            expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
            expect(x).toBeLessThanOrEqual(picture.width);
            expect(y).toBeLessThanOrEqual(picture.height);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("writes no count on another, and each inside [dashboard-figures.graph-layout]", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { width, height, edges } = layoutGraph(graph);
        const written = edges.filter(({ label }) => label.hasRoom);
        for (const { label } of edges) {
          expect(label.at.x).toBeGreaterThan(0);
          expect(label.at.x).toBeLessThan(width);
          expect(label.at.y).toBeGreaterThan(0);
          expect(label.at.y).toBeLessThan(height);
        }
        written.forEach(({ label: { at }, edge }, index) => {
          for (const { label: other } of written.slice(index + 1)) {
            const apart = Math.abs(at.x - other.at.x) >= 8 || Math.abs(at.y - other.at.y) >= 13;
            expect(apart, edge.id).toBe(true);
          }
        });
        if (graph.edges.length > 0) expect(written.length).toBeGreaterThan(0);
      }),
    );
  });

  const page = (id: string): GraphNode => ({ id, label: id });
  const edge = (from: string, to: string, more: Partial<GraphEdge> = {}): GraphEdge => ({
    id: `${from}-${to}`,
    from,
    to,
    kind: "next",
    ...more,
  });

  it("puts pages into columns in the quiz's order, and pages that exclude each other into one [dashboard-figures.graph-columns]", () => {
    const { nodes } = layoutGraph({
      nodes: ["start", "dry", "oily", "result"].map(page),
      edges: [
        edge("start", "dry"),
        edge("start", "oily", { kind: "jump" }),
        edge("dry", "result"),
        edge("oily", "result"),
        edge("result", "start", { kind: "back" }),
      ],
    });
    expect(nodes.map(({ node, column, row }) => [node.id, column, row]).sort()).toEqual([
      ["dry", 1, 0],
      ["oily", 1, 1],
      ["result", 2, 0],
      ["start", 0, 0],
    ]);
  });

  it("draws edges as wide as what they carry [dashboard-figures.graph-widths]", () => {
    const { edges } = layoutGraph({
      nodes: ["a", "b", "c"].map(page),
      edges: [
        edge("a", "b", { count: 400 }),
        edge("b", "c", { count: 100 }),
        edge("a", "c", { count: 999, weight: 200 }),
      ],
    });
    const [whole, quarter, half] = edges.map(({ stroke }) => stroke);
    expect(quarter! / whole!).toBeCloseTo(0.25, 10);
    expect(half! / whole!).toBeCloseTo(0.5, 10);
  });

  it("leads jumps over the pages between, above them, and Back below them [dashboard-figures.graph-widths]", () => {
    const { edges, nodes } = layoutGraph({
      nodes: ["a", "b", "c"].map(page),
      edges: [edge("a", "b"), edge("b", "c"), edge("a", "c", { kind: "jump" }), edge("c", "a", { kind: "back" })],
    });
    const top = Math.min(...nodes.map(({ y }) => y));
    const bottom = Math.max(...nodes.map(({ y, height }) => y + height));
    const highest = (id: string) => Math.min(...edges.find((one) => one.edge.id === id)!.points.map(({ y }) => y));
    const lowest = (id: string) => Math.max(...edges.find((one) => one.edge.id === id)!.points.map(({ y }) => y));
    expect(highest("a-c")).toBeLessThan(top);
    expect(lowest("c-a")).toBeGreaterThan(bottom);
  });

  it("is empty for a graph without pages, and leaves out an edge whose page is not there [dashboard-figures.graph-layout]", () => {
    expect(layoutGraph({ nodes: [], edges: [edge("a", "b")] })).toMatchObject({ nodes: [], edges: [] });
  });
});
