import type { Page } from "playwright-core";

/** What a quiz in a page currently shows, read only from what is drawn. */
export interface DrawnPage {
  title: string;
  /** different for each heading element, which distinguishes a page that follows itself from one that stays */
  mark: number;
  /** inputs in order */
  fields: { name: string; type: string; value: string; checked: boolean }[];
  /** labels of the buttons, in order */
  buttons: string[];
  /** products in order; `variant`: its title if the card shows only one; `button`: its index among the buttons */
  cards: { title: string; variant: string | null; button: number }[];
  /** values of formulas */
  facts: string[];
}

interface Marked {
  quizstoreMarks?: number;
}

/** Waits until the quiz has drawn what happened, then reads it. */
export async function readDrawn(page: Page): Promise<DrawnPage> {
  await page.locator("quiz-store h2").waitFor();
  return page.evaluate(async () => {
    // a press is drawn after it, and a message for screen readers one frame later
    for (let at = 0; at < 2; at += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    const root = document.querySelector("quiz-store")?.shadowRoot;
    const heading = root?.querySelector<HTMLElement & { quizstoreMark?: number }>("h2");
    if (!root || !heading) throw new Error("nothing is drawn");
    const marks = window as Marked;
    marks.quizstoreMarks ??= Math.floor(performance.timeOrigin) * 1000;
    heading.quizstoreMark ??= ++marks.quizstoreMarks;
    const words = (element: Element) => (element.textContent ?? "").trim();
    const buttons = [...root.querySelectorAll("button")];
    return {
      title: words(heading),
      mark: heading.quizstoreMark,
      fields: [...root.querySelectorAll<HTMLInputElement>("input, textarea")].map(({ name, type, value, checked }) => {
        return { name, type, value, checked };
      }),
      buttons: buttons.map(words),
      cards: [...root.querySelectorAll("li.product")].map((card) => {
        const variant = card.querySelector(".hint");
        const button = card.querySelector("button");
        const title = words(card.querySelector("h3") ?? card);
        return { title, variant: variant && words(variant), button: button ? buttons.indexOf(button) : -1 };
      }),
      facts: [...root.querySelectorAll(".fact output")].map(words),
    };
  });
}
