import type { QuizEventName, QuizEvents } from "./types.ts";

/**
 * Tells the page: as an event that bubbles out of every shadow root, so that one listener on the document hears all
 * quizzes. An element that was taken out of the page tells it by the document.
 */
export function tellPage<Name extends QuizEventName>(element: HTMLElement, name: Name, detail: QuizEvents[Name]): void {
  const event = new CustomEvent(`quizstore:${name}`, { bubbles: true, composed: true, detail });
  (element.isConnected ? element : document).dispatchEvent(event);
}
