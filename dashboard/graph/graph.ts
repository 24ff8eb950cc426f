/**
 * A graph of a quiz's pages: the paths that shoppers took, or the quiz's logic. One component draws both, so that
 * figures can be shown on the logic.
 */

export interface Graph {
  /** in the quiz's order, which is also the order from left to right */
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
}

export interface GraphNode {
  id: string;
  label: string;
  look?: NodeLook;
  /** a second line under the label */
  note?: string;
  /** arrivals; left out in a graph without figures */
  count?: number;
  /** arrivals in the period compared with */
  before?: number;
  /** what became of shoppers who came here and left by no drawn edge */
  ends?: readonly GraphEnd[];
}

export type NodeLook = "page" | "result" | "removed" | "unreachable";

export const endKinds = ["left", "finished", "still", "other"] as const;
export type EndKind = (typeof endKinds)[number];

export interface GraphEnd {
  kind: EndKind;
  label: string;
  count: number;
}

export const edgeKinds = ["next", "jump", "skip", "back", "restart"] as const;
export type EdgeKind = (typeof edgeKinds)[number];

export const kindLabels: Readonly<Record<EdgeKind, string>> = {
  next: "Next",
  jump: "Jump",
  skip: "Skip",
  back: "Back",
  restart: "Start over",
};

export interface GraphEdge {
  id: string;
  from: string;
  to: string;
  kind: EdgeKind;
  label?: string;
  /** moves; with the ends of its source page they add up to that page's count */
  count?: number;
  /** moves in the period compared with */
  before?: number;
  /** determines the width; `count` by default */
  weight?: number;
  /** marked as an error: it is part of an endless loop */
  flaw?: "loop";
}

/** How many ended in this way, summed over all pages. */
export const endsOf = (graph: Graph, kind: EndKind): number =>
  graph.nodes
    .flatMap(({ ends = [] }) => ends)
    .filter((end) => end.kind === kind)
    .reduce((sum, end) => sum + end.count, 0);
