import type { Graph, GraphEdge } from "./graph.ts";

export interface GraphDetailsProps {
  graph: Graph;
  /** the id of a page */
  chosen: string | null;
  written: (count: number) => string;
}

const how: Readonly<Record<GraphEdge["kind"], string>> = {
  next: "",
  jump: " by a jump",
  skip: " by Skip",
  back: " by Back",
  restart: " by starting over",
};

/** The ways to and from the chosen page, in words. */
export function GraphDetails({ graph, chosen, written }: GraphDetailsProps) {
  const node = graph.nodes.find(({ id }) => id === chosen);
  const titles = new Map(graph.nodes.map(({ id, label }) => [id, label || "Untitled page"]));
  const most = (a: GraphEdge, b: GraphEdge) => (b.count ?? 0) - (a.count ?? 0);
  const ways = (title: string, edges: readonly GraphEdge[], other: "from" | "to") => (
    <div>
      <span className="qs-graph-head">{title}</span>
      {edges.length === 0 ? <p>Nothing</p> : null}
      <ul>
        {edges.toSorted(most).map((edge) => (
          <li key={edge.id}>
            <bdi>{titles.get(edge[other])}</bdi>
            {textOf(edge, written)}
          </li>
        ))}
      </ul>
    </div>
  );
  return (
    <div className="qs-graph-details" role="status">
      {node ? (
        <>
          <strong>
            <bdi>{titles.get(node.id)}</bdi>
          </strong>
          {node.count === undefined ? null : `: ${written(node.count)} arrivals${wasOf(node, written)}`}
          <div className="qs-graph-lists">
            {ways(
              "From",
              graph.edges.filter(({ to }) => to === node.id),
              "from",
            )}
            {ways(
              "To",
              graph.edges.filter(({ from }) => from === node.id),
              "to",
            )}
            {node.ends && node.ends.length > 0 ? (
              <div>
                <span className="qs-graph-head">Went no further</span>
                <ul>
                  {node.ends.map(({ kind, label, count }) => (
                    <li key={kind}>
                      {written(count)} {label}
                    </li>
                  ))}
                </ul>
              </div>
            ) : null}
          </div>
        </>
      ) : (
        "Choose a page to read where its shoppers came from and went to. Drag the picture, or use the arrow keys, to see pages beside it."
      )}
    </div>
  );
}

type Written = GraphDetailsProps["written"];

const wasOf = ({ before }: { before?: number }, written: Written): string =>
  before === undefined ? "" : `, was ${written(before)}`;

function textOf(edge: GraphEdge, written: Written): string {
  const { count, label, kind } = edge;
  const moves = count === undefined ? "" : `: ${written(count)}${how[kind]}${wasOf(edge, written)}`;
  return `${moves || how[kind]}${label ? ` (${label})` : ""}`;
}
