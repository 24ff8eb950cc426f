import { useReactFlow, useStore } from "@xyflow/react";
import { type CSSProperties, memo, type PointerEvent, useMemo } from "react";
import type { GraphPicture } from "./layout.ts";
import { placesEvery, type StripColumn, seenPart, stripOf } from "./page-strip.ts";

export interface PageStripProps {
  picture: GraphPicture;
}

/** All pages of a long quiz in one row, with each page's arrivals and the part that the picture shows. */
export function PageStrip({ picture }: PageStripProps) {
  const columns = useMemo(() => stripOf(picture), [picture]);
  // the strip is as wide as the picture's box
  const width = useStore((state) => state.width);
  const { getViewport, setViewport } = useReactFlow();
  const goTo = (event: PointerEvent<HTMLElement>) => {
    const { left, width: wide } = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / wide) * columns.length);
    const column = columns[Math.min(columns.length - 1, Math.max(0, at))];
    if (!column) return;
    const { zoom, y } = getViewport();
    void setViewport({ x: width / 2 - column.middle * zoom, y, zoom });
  };
  return (
    // in the picture itself, arrow keys, Home and End move between pages
    <div
      className="qs-graph-strip"
      aria-hidden="true"
      data-strip
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goTo(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons > 0) goTo(event);
      }}
    >
      <Bars columns={columns} every={placesEvery(columns.length, width)} />
      <Seen columns={columns} picture={picture} width={width} />
    </div>
  );
}

const Bars = memo(({ columns, every }: { columns: readonly StripColumn[]; every: number }) => (
  <>
    {columns.map(({ pages, place }, index) => (
      <span key={place} className="qs-strip-column">
        <span className="qs-strip-bars">
          {pages.map(({ id, share, look }) => (
            <span key={id} className={`qs-strip-bar ${look}`} style={styleOf(share)} />
          ))}
        </span>
        <span className="qs-strip-place">{index % every === 0 ? place : ""}</span>
      </span>
    ))}
  </>
));

const styleOf = (share: number): CSSProperties => ({ height: `${Math.max(4, share * 100)}%` });

function Seen({ columns, picture, width }: PageStripProps & { columns: readonly StripColumn[]; width: number }) {
  const x = useStore(({ transform }) => transform[0]);
  const zoom = useStore(({ transform }) => transform[2]);
  const { from, to } = seenPart(columns, picture, { x, zoom }, width);
  return <span className="qs-strip-seen" style={{ left: `${from * 100}%`, right: `${(1 - to) * 100}%` }} />;
}
