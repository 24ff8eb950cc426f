import { describe, expect, it } from "vitest";
import { firstView } from "./first-view.ts";
import type { Graph } from "./graph.ts";
import { layoutGraph } from "./layout.ts";
import { nextCard } from "./steps.ts";

const graph: Graph = {
  nodes: ["start", "dry", "oily", "result"].map((id) => ({ id, label: id })),
  edges: [
    { id: "1", from: "start", to: "dry", kind: "next" },
    { id: "2", from: "start", to: "oily", kind: "jump" },
    { id: "3", from: "dry", to: "result", kind: "next" },
    { id: "4", from: "oily", to: "result", kind: "next" },
  ],
};

describe("going through a graph by keys", () => {
  it("leads from column to column and within one, and ends at the ends [dashboard-figures.graph-keys]", () => {
    const { nodes } = layoutGraph(graph);
    const step = (from: string, key: string) => nextCard(nodes, from, key)?.node.id ?? null;
    expect(["dry", "oily"]).toContain(step("start", "ArrowRight"));
    expect(step("dry", "ArrowDown")).toBe("oily");
    expect(step("oily", "ArrowUp")).toBe("dry");
    expect(step("oily", "ArrowRight")).toBe("result");
    expect(step("result", "Home")).toBe("start");
    expect(step("start", "End")).toBe("result");
    expect([
      step("start", "ArrowLeft"),
      step("result", "ArrowRight"),
      step("start", "x"),
      step("gone", "Home"),
    ]).toEqual([null, null, null, null]);
  });
});

describe("what of a graph is seen at first", () => {
  it("is all of a small one, and the beginning of a large one at a readable size [dashboard-figures.graph-size]", () => {
    const small = layoutGraph(graph);
    const all = firstView(small, { width: 1200, height: 560 });
    expect(all.x + small.width * all.zoom).toBeLessThanOrEqual(1200);
    const pages = Array.from({ length: 60 }, (_, index) => ({ id: `p${index}`, label: "" }));
    const large = layoutGraph({
      nodes: pages,
      edges: pages.slice(1).map(({ id }, index) => ({ id, from: `p${index}`, to: id, kind: "next" })),
    });
    expect(firstView(large, { width: 1200, height: 560 })).toMatchObject({ x: 0, zoom: 0.8 });
  });
});
