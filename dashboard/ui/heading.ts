import { type RefObject, useEffect, useRef } from "react";
import { focusIfOwed } from "../app/navigated.ts";

/** For a screen's heading, which sets the document's title and takes the focus after a navigation [dashboard.focus]. */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Quiz Store`;
  }, [title]);
  useEffect(() => focusIfOwed(heading.current), []);
  return heading;
}
