import { edgeKinds, type Graph, kindLabels } from "./graph.ts";

/** Explains this graph's lines. */
export function GraphLegend({ graph }: { graph: Graph }) {
  const used = edgeKinds.filter((kind) => graph.edges.some((edge) => edge.kind === kind && !edge.flaw));
  const hasLoop = graph.edges.some(({ flaw }) => flaw === "loop");
  return (
    <ul className="qs-graph-legend" aria-label="Lines">
      {used.map((kind) => (
        <li key={kind}>
          <Line look={kind} /> {kindLabels[kind]}
        </li>
      ))}
      {hasLoop ? (
        <li>
          <Line look="loop" /> Round for ever
        </li>
      ) : null}
    </ul>
  );
}

const Line = ({ look }: { look: string }) => (
  <svg width="34" height="8" aria-hidden="true">
    <path d="M0,4L34,4" className={`qs-edge ${look}`} strokeWidth="3" />
  </svg>
);
