/**
 * What a graph of a quiz's pages shows: the ways that shoppers took, or the quiz's logic. One component draws both, so
 * that figures are seen where the logic is.
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
  /** arrivals; of a graph without figures, nothing */
  count?: number;
  /** arrivals of the period that is compared with */
  before?: number;
  /** what became of those who came here and moved to no other page by a drawn edge */
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
  /** moves; with the ends of its page they add up to the page's count */
  count?: number;
  /** moves of the period that is compared with */
  before?: number;
  /** what its width tells; `count` when left out */
  weight?: number;
  /** drawn as a mistake: it leads round for ever */
  flaw?: "loop";
}

/** Those who ended in one way, on all pages together. */
export const endsOf = (graph: Graph, kind: EndKind): number =>
  graph.nodes
    .flatMap(({ ends = [] }) => ends)
    .filter((end) => end.kind === kind)
    .reduce((sum, end) => sum + end.count, 0);
