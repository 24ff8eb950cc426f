import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { type RefObject, useEffect, useState } from "react";

/** A row that can be dragged and accepts others of its kind, before or behind it. */

export interface Dragged {
  sort: string;
  /** indexes from the outside in, such as page and component */
  place: readonly number[];
}

interface DragOptions extends Dragged {
  /** @param behind whether it was dropped on the row's lower half */
  onDrop: (from: Dragged, behind: boolean) => void;
  accepts: (sort: string) => boolean;
  /** the drag handle; by default the whole row */
  grip?: RefObject<HTMLElement | null>;
}

export type DropEdge = "before" | "behind" | null;

export function useDrag(row: RefObject<HTMLElement | null>, options: DragOptions): DropEdge {
  const [edge, setEdge] = useState<DropEdge>(null);
  const key = `${options.sort} ${options.place.join(" ")}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row is the same one while its place is
  useEffect(() => {
    const element = row.current;
    if (element === null) return;
    const isBehind = (y: number): boolean => {
      const { top, height } = element.getBoundingClientRect();
      return y > top + height / 2;
    };
    return combine(
      draggable({
        element,
        ...(options.grip?.current ? { dragHandle: options.grip.current } : {}),
        getInitialData: () => ({ sort: options.sort, place: options.place }),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => options.accepts(String(source.data["sort"])),
        onDrag: ({ location }) => setEdge(isBehind(location.current.input.clientY) ? "behind" : "before"),
        onDragLeave: () => setEdge(null),
        onDrop: ({ source, location }) => {
          setEdge(null);
          if (location.current.dropTargets[0]?.element !== element) return;
          // the value that another row's `getInitialData` returned: the library types it as any record
          options.onDrop(source.data as unknown as Dragged, isBehind(location.current.input.clientY));
        },
      }),
    );
  }, [row, key, options.onDrop]);
  return edge;
}
