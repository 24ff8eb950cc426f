import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Whether the next page that is drawn takes the focus. */
export interface Moves {
  focus: boolean;
}

/** A page's title. It has the focus after each turn of a page, so that readers and keys go on from there. */
export function Heading({ moves, children }: { moves: Moves; children: ComponentChildren }) {
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (moves.focus) {
      title.current?.focus({ preventScroll: true });
      title.current?.scrollIntoView({ block: "nearest" });
    }
    moves.focus = true;
  }, []);
  return (
    <h2 ref={title} tabIndex={-1}>
      {children}
    </h2>
  );
}
