/** @jsxImportSource #draw */
import type { Child } from "../draw/jsx-runtime.ts";
import type { Stage } from "./stage.ts";

/**
 * A page's title [player.page-focus]. It gets the focus after each page turn, so that screen readers and keyboards
 * continue from there. Each page has a new heading: pages of the document, the end, and the question whether to resume.
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
