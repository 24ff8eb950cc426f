import { connected, type QuizStoreElement } from "./element.ts";
import { page, whenSeen } from "./page.ts";
import type { QueuedCall, QuizStoreApi } from "./types.ts";

/** The elements of a quiz; without one the open one, else all. */
function meant(quiz?: string): QuizStoreElement[] {
  const all = [...connected].filter((element) => !quiz || element.getAttribute("quiz") === quiz);
  const open = all.find((element) => element === page.open);
  return open ? [open] : all;
}

/** Waits until elements that were just added to the page are connected. */
const tellAll = (quiz: string | undefined, what: "close" | "restart") =>
  queueMicrotask(() => {
    for (const element of meant(quiz)) element.tell(what);
  });

/** Adds a popup for a quiz that the page has no element for, configured like the page's other ones. */
function addPopup(quiz: string): void {
  const popup = document.createElement("quiz-store");
  const [other] = connected;
  for (const name of ["store", "consent", "locale", "dir"]) {
    const value = other?.getAttribute(name);
    if (value) popup.setAttribute(name, value);
  }
  popup.setAttribute("quiz", quiz);
  popup.setAttribute("mode", "popup");
  document.body.append(popup);
}

function openNow(quiz?: string, opener?: Element | null): void {
  const all = meant(quiz);
  const found = all.find((element) => element.isOverlay) ?? all[0];
  if (found) found.open(opener);
  else if (document.readyState === "loading")
    document.addEventListener("DOMContentLoaded", () => openNow(quiz, opener), { once: true });
  else if (quiz) {
    addPopup(quiz);
    // after the new element has read its attributes
    api.open(quiz, opener);
  }
}

export const api: QuizStoreApi = {
  push(...calls) {
    for (const call of calls) run(call);
    return 0;
  },
  open: (quiz, opener) => queueMicrotask(() => whenSeen(() => openNow(quiz, opener))),
  close: (quiz) => tellAll(quiz, "close"),
  restart: (quiz) => tellAll(quiz, "restart"),
  on(name, handler) {
    const hearing = new AbortController();
    const hear = (event: Event) => handler((event as CustomEvent).detail, event as CustomEvent);
    document.addEventListener(`quizstore:${name}`, hear, hearing);
    return () => hearing.abort();
  },
  consent(granted) {
    page.consent = granted;
    for (const element of connected) element.tell("consent");
  },
  cart(handler) {
    page.cart = handler;
  },
};

/** Runs a queued call [player.queue, player.early-click]. One that throws is reported as an uncaught error and does not stop the others. */
function run([name, ...args]: QueuedCall): void {
  try {
    api[name as "consent"](...(args as [boolean]));
  } catch (error) {
    reportError(error);
  }
}

/** Any element of the page can open a quiz, whenever it was added and in whatever shadow root it is. */
export function openByClick(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  for (const target of event.composedPath()) {
    // the path ends with the document and the window, which have no attributes
    const element = target as Element;
    const quiz = element.getAttribute?.("data-quizstore-open") ?? null;
    if (quiz === null) continue;
    event.preventDefault();
    api.open(quiz, element);
    return;
  }
}
