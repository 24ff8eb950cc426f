import { useEffect, useRef, useState } from "react";
import { useUi } from "../context.tsx";

/**
 * Whether a part of a long list is to be drawn: the first ones at once, the others when somebody comes near them or is
 * led to a field in them [editor.quick]. What is drawn stays so. A thousand rows would be drawn anew for every key, and
 * a second long at first.
 */
export function useNear<Drawn extends HTMLElement>(isFirst: boolean, holds: (field: string) => boolean) {
  const ref = useRef<Drawn>(null);
  const [isNear, setNear] = useState(isFirst);
  const isWanted = useUi(({ wanted }) => wanted !== null && holds(wanted.field));
  if (isWanted && !isNear) setNear(true);
  useEffect(() => {
    const { current: place } = ref;
    if (isNear || place === null) return;
    const margins = { rootMargin: "800px", scrollMargin: "800px" };
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) setNear(true);
    }, margins);
    observer.observe(place);
    return () => observer.disconnect();
  }, [isNear]);
  return { ref, isNear };
}

/** A list in pieces of so many. */
export const piecesOf = <Entry>(list: readonly Entry[], size: number): Entry[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
