import { useEffect, useRef, useState } from "react";
import { useUi } from "../context.tsx";

/**
 * Whether to render a part of a long list: the first ones at once, others when they come close to the viewport or a
 * link leads to a field in them [editor.quick]. A rendered part stays. Otherwise a thousand rows would rerender on
 * every key press, and take a second at first.
 */
export function useNear<Drawn extends HTMLElement>(isFirst: boolean, holds: (field: string) => boolean) {
  const ref = useRef<Drawn>(null);
  const [isNear, setNear] = useState(isFirst);
  const isRequested = useUi(({ focusRequest }) => focusRequest !== null && holds(focusRequest.field));
  if (isRequested && !isNear) setNear(true);
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

/** Splits a list into chunks of at most `size`. */
export const piecesOf = <Entry>(list: readonly Entry[], size: number): Entry[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
