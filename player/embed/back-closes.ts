/**
 * The browser's Back closes a popup or drawer that fills the window, as it closes a full screen of an app
 * [player.overlay-back]. For that, the popup gets an entry of its own in the history, with the page's address and the
 * state of the page's router, which finds itself where it already is.
 */
export interface BackEntry {
  /** The popup has opened. */
  add(): void;
  /** The popup was closed: takes the entry away, and then calls `done`. */
  remove(done: () => void): void;
  /** The popup is gone for good. */
  end(): void;
}

/** Ms after which a browser that does not go back is not waited for any longer. */
const patience = 500;

/**
 * @param close called when the shopper goes back
 * @param reopen called when the shopper goes forward again
 */
export function openBackEntry(close: () => void, reopen: () => void): BackEntry {
  const mark = Math.random();
  const isHere = (state: unknown): boolean => Object(state).quizstore === mark;
  let isAdded = false;
  let canReturn = false;
  let timer = 0;
  let tell: (() => void) | null = null;
  const removed = (): void => {
    clearTimeout(timer);
    isAdded = false;
    const done = tell;
    tell = null;
    done?.();
  };
  const hear = (event: PopStateEvent): void => {
    const returns = !isAdded && canReturn && isHere(event.state);
    if (isHere(event.state) ? !returns : !isAdded) return;
    isAdded = returns;
    canReturn = true;
    if (returns) reopen();
    else if (tell) removed();
    else close();
  };
  addEventListener("popstate", hear, true);
  return {
    add() {
      if (isAdded) return;
      try {
        // Not by the page's own method, which a router may have replaced in order to follow.
        const { pushState, replaceState } = History.prototype;
        // The entry is there already if the page was reloaded while the popup was open.
        const add = Object(history.state).quizstore ? replaceState : pushState;
        add.call(history, { ...history.state, quizstore: mark }, "");
        isAdded = true;
      } catch {
        // A frame without an origin may have no entries.
      }
    },
    remove(done) {
      tell = done;
      if (!isAdded || !isHere(history.state)) return removed();
      timer = window.setTimeout(removed, patience);
      history.back();
    },
    end() {
      tell = null;
      removeEventListener("popstate", hear, true);
    },
  };
}
