/**
 * Waits for what opens a popup or drawer by itself: `load`, `delay:SECONDS`, `scroll:PERCENT`, `exit`, or several of them
 * apart by blanks, whichever comes first [player.triggers]. Fires once. Other words wait for nothing: `click` is every
 * page's.
 *
 * @returns what ends the waiting
 */
export function arm(trigger: string, fire: () => void): () => void {
  const waiting = new AbortController();
  const { signal } = waiting;
  const fireOnce = () => {
    if (signal.aborted) return;
    waiting.abort();
    fire();
  };
  const on = (type: string, hear: (event: MouseEvent) => void) =>
    addEventListener(type, hear as (event: Event) => void, { signal, capture: true });
  for (const word of trigger.split(" ")) {
    const [kind, given = ""] = word.split(":");
    const amount = Number(given);
    const look = () => {
      if (document.readyState === "complete" && (kind === "load" || scrolled() >= amount)) fireOnce();
    };
    if (kind === "delay" && amount >= 0) setTimeout(fireOnce, amount * 1000);
    if (kind === "exit") {
      on("mouseout", (event) => {
        if (event.relatedTarget === null && event.clientY <= 0) fireOnce();
      });
    }
    if (kind === "load" || kind === "scroll") {
      look();
      on("load", look);
      on("scroll", look);
    }
  }
  return () => waiting.abort();
}

/** How much of the page was scrolled through, in percent; a page that is seen as a whole has nothing to scroll. */
function scrolled(): number {
  const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement ?? document.documentElement;
  return scrollHeight > clientHeight ? (scrollTop / (scrollHeight - clientHeight)) * 100 : 100;
}
