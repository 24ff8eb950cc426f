/**
 * Waits for the triggers of a popup or drawer: `load`, `delay:SECONDS`, `scroll:PERCENT`, `exit`, or several of them
 * separated by spaces, whichever comes first [player.triggers]. Fires once. Other words are ignored: `click` is handled
 * page-wide.
 *
 * @returns a function that stops waiting
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
    const [kind, value = ""] = word.split(":");
    const amount = Number(value);
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

/** How far the page is scrolled, in percent; a page that fits the window cannot be scrolled. */
function scrolled(): number {
  const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement ?? document.documentElement;
  return scrollHeight > clientHeight ? (scrollTop / (scrollHeight - clientHeight)) * 100 : 100;
}
