import { type Cell, type CellKind, numberIn } from "./figure-table.ts";
import { rawValue } from "./figure-table-view.tsx";
import { cellText, changeText, pointsText } from "./figure-text.ts";
import { changeOf } from "./series.ts";

/** How a figure changed since the previous period. */
export function Change({ now, before, kind }: { now: Cell; before: Cell; kind: CellKind }) {
  if (numberIn(before) === null) return null;
  // the change of a share is in percentage points, not a percentage of a percentage
  const isShare = kind === "share" && typeof now === "number" && typeof before === "number";
  const percent = isShare ? null : changeOf(now, before);
  const words = isShare ? pointsText(100 * (now - before)) : percent === null ? "" : changeText(percent);
  return (
    <span className="qs-change" data-before={rawValue(before)}>
      {words}
      {words === "" ? "" : ", "}was {cellText(before, kind)}
    </span>
  );
}
