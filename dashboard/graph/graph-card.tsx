import { memo } from "react";
import type { PictureNode } from "./layout.ts";

export interface GraphCardProps {
  drawn: PictureNode;
  /** its position in the quiz, from 1 */
  place: number;
  isActive: boolean;
  /** the one card in the tab order */
  isEntry: boolean;
  written: (count: number) => string;
  onPick: (id: string) => void;
  onHover: (id: string | null) => void;
}

/** A page of the graph, with what became of the shoppers who went no further below it. */
export const GraphCard = memo(({ drawn, place, isActive, isEntry, written, onPick, onHover }: GraphCardProps) => {
  const { node, cardHeight } = drawn;
  const { id, label, note, count, before, ends = [], look = "page" } = node;
  return (
    <div className="qs-graph-node" data-node={id} data-count={count} data-before={before} data-place={place}>
      <button
        type="button"
        className={`qs-graph-card ${look} nodrag nopan`}
        style={{ height: cardHeight }}
        aria-pressed={isActive}
        tabIndex={isEntry ? 0 : -1}
        data-card={id}
        onClick={() => onPick(id)}
        onPointerEnter={() => onHover(id)}
        onPointerLeave={() => onHover(null)}
      >
        <span className="qs-graph-place" aria-hidden="true">
          {place}
        </span>
        <span className="qs-graph-label">{label || "Untitled page"}</span>
        {count === undefined ? null : <span className="qs-graph-note">{written(count)} arrivals</span>}
        {before === undefined ? null : <span className="qs-graph-note">was {written(before)}</span>}
        {note === undefined ? null : <span className="qs-graph-note">{note}</span>}
        {look === "removed" ? <span className="qs-graph-note">Removed</span> : null}
        {look === "unreachable" ? <span className="qs-graph-note">Nothing leads here</span> : null}
      </button>
      {ends.map((end) => (
        <span key={end.kind} className={`qs-graph-end ${end.kind}`} data-end={end.kind} data-count={end.count}>
          {written(end.count)} {end.label}
        </span>
      ))}
    </div>
  );
});
