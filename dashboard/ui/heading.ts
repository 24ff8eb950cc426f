import { type RefObject, useEffect, useRef } from "react";
import { focusIfOwed } from "../app/navigated.ts";

/** For a screen's heading, which names the document and takes the focus of whoever came here by a link [dashboard.focus]. */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Quiz Store`;
  }, [title]);
  useEffect(() => focusIfOwed(heading.current), []);
  return heading;
}
