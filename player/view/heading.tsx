/** @jsxImportSource #draw */
import type { Child } from "../draw/jsx-runtime.ts";
import type { Stage } from "./stage.ts";

/**
 * A page's title [player.page-focus]. It has the focus after each turn of a page, so that readers and keys go on from
 * there. Whatever is drawn anew has a new one: pages of the document, the end, and what is asked first.
 */
export function Heading({ stage, children }: { stage: Stage; children: Child }) {
  const arrive = (title: HTMLElement): void => {
    stage.here.isNew = true;
    if (stage.focuses) {
      title.focus({ preventScroll: true });
      title.scrollIntoView({ block: "nearest" });
    }
    stage.focuses = true;
  };
  return (
    <h2 ref={arrive} tabIndex={-1}>
      {children}
    </h2>
  );
}
