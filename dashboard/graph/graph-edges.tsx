import { memo, useMemo } from "react";
import type { EdgeKind } from "./graph.ts";
import { shortLabel } from "./labels.ts";
import type { PictureEdge } from "./layout.ts";

/** All edges in one SVG: hundreds of them render fast and need no component each. */

export interface GraphEdgesProps {
  edges: readonly PictureEdge[];
  width: number;
  height: number;
  /** the highlighted page or edge; the others fade */
  active: string | null;
  /** formats a count */
  written: (count: number) => string;
  onPick: ((id: string) => void) | undefined;
}

/** Up to this many edges, every edge with room shows its count; with more, only the wide ones. */
const allLabelledUpTo = 120;
const wide = 4;

const looks: readonly (EdgeKind | "loop")[] = ["next", "jump", "skip", "back", "restart", "loop"];
const arrowId = (look: EdgeKind | "loop"): string => `qs-arrow-${look}`;
const lookOf = ({ edge }: PictureEdge): EdgeKind | "loop" => edge.flaw ?? edge.kind;

export function GraphEdges({ edges, width, height, active, written, onPick }: GraphEdgesProps) {
  const looked = useMemo(
    () => edges.filter(({ edge }) => active !== null && [edge.id, edge.from, edge.to].includes(active)),
    [edges, active],
  );
  return (
    <svg
      className="qs-graph-edges notranslate"
      width={width}
      height={height}
      aria-hidden="true"
      data-dim={looked.length > 0}
    >
      <AllEdges edges={edges} written={written} onPick={onPick} />
      {/* highlighted edges are drawn a second time above the others, which do not change */}
      <g className="qs-edges-looked">
        {looked.map((drawn) => (
          <EdgeLine key={drawn.edge.id} drawn={drawn} />
        ))}
        {looked.map((drawn) => (
          <EdgeLabel key={drawn.edge.id} drawn={drawn} written={written} />
        ))}
      </g>
    </svg>
  );
}

const AllEdges = memo(({ edges, written, onPick }: Pick<GraphEdgesProps, "edges" | "written" | "onPick">) => (
  <g className="qs-edges-all">
    <defs>
      {looks.map((look) => (
        <marker
          key={look}
          id={arrowId(look)}
          className={`qs-arrow ${look}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="9"
          markerHeight="9"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0,0L8,4L0,8z" />
        </marker>
      ))}
    </defs>
    {edges.map((drawn) => (
      // biome-ignore lint/a11y/noStaticElementInteractions: a page's card and the table reach the same by keys
      <path
        key={drawn.edge.id}
        {...lineOf(drawn)}
        data-edge={drawn.edge.id}
        data-kind={drawn.edge.kind}
        data-count={drawn.edge.count}
        data-before={drawn.edge.before}
        data-weight={drawn.edge.weight ?? drawn.edge.count}
        onClick={onPick && (() => onPick(drawn.edge.id))}
      />
    ))}
    {edges
      .filter(({ label, stroke }) => label.hasRoom && (edges.length <= allLabelledUpTo || stroke >= wide))
      .map((drawn) => (
        <EdgeLabel key={drawn.edge.id} drawn={drawn} written={written} />
      ))}
  </g>
));

const lineOf = (drawn: PictureEdge) => ({
  d: drawn.path,
  className: `qs-edge ${lookOf(drawn)}`,
  strokeWidth: drawn.stroke,
  markerEnd: `url(#${arrowId(lookOf(drawn))})`,
});

const EdgeLine = ({ drawn }: { drawn: PictureEdge }) => <path {...lineOf(drawn)} />;

const EdgeLabel = ({ drawn: { edge, label }, written }: { drawn: PictureEdge } & Pick<GraphEdgesProps, "written">) => (
  <text x={label.at.x} y={label.at.y} className="qs-edge-label">
    {edge.count === undefined ? shortLabel(edge.label ?? "") : written(edge.count)}
  </text>
);
