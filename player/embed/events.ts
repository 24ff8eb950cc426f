import type { QuizEventName, QuizEvents } from "./types.ts";

/**
 * Dispatches an event to the page. It bubbles out of every shadow root, so that one listener on the document hears all
 * quizzes. For an element that was removed from the page the document dispatches it.
 */
export function tellPage<Name extends QuizEventName>(element: HTMLElement, name: Name, detail: QuizEvents[Name]): void {
  const event = new CustomEvent(`quizstore:${name}`, { bubbles: true, composed: true, detail });
  (element.isConnected ? element : document).dispatchEvent(event);
}
