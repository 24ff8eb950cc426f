import type { Locator } from "playwright-core";

/** A shopper in a browser who takes a quiz by reading its pages. */

/** What to do on a page, by its title; it has to lead to another page. */
export type Ways = Readonly<Record<string, (quiz: Locator) => Promise<unknown>>>;

const waitMs = 20_000;
/** more than any quiz of the demo has */
const mostPages = 40;

export const pick = (quiz: Locator, label: string): Promise<void> => quiz.getByText(label, { exact: true }).click();

export const press = (quiz: Locator, name: string | RegExp): Promise<void> =>
  quiz.getByRole("button", { name }).first().click();

export const goOn = (quiz: Locator): Promise<void> => quiz.locator("button[type=submit]").click();

/** Moves a slider by some steps from its current position. */
export const slide = async (quiz: Locator, steps: number): Promise<void> => {
  const slider = quiz.getByRole("slider");
  await slider.focus();
  for (let step = 0; step < Math.abs(steps); step++) await slider.press(steps > 0 ? "ArrowRight" : "ArrowLeft");
};

const titleOf = (quiz: Locator): Promise<string> => quiz.getByRole("heading").first().innerText({ timeout: waitMs });

/**
 * Continues until a page comes for which there is nothing in `ways`; returns its title.
 *
 * @param seen called before anything is done on a page
 */
export async function takeQuiz(
  quiz: Locator,
  ways: Ways,
  seen: (title: string) => Promise<unknown> = async () => undefined,
): Promise<string> {
  for (let pages = 0; pages < mostPages; pages++) {
    const title = await titleOf(quiz);
    await seen(title);
    const way = Object.hasOwn(ways, title) ? ways[title] : undefined;
    if (way === undefined) return title;
    await way(quiz);
    const left = quiz
      .getByRole("heading", { name: title, exact: true })
      .waitFor({ state: "detached", timeout: waitMs });
    await left.catch((cause: unknown) => {
      throw new Error(`"${title}" leads nowhere`, { cause });
    });
  }
  throw new Error(`the quiz has no end: ${mostPages} pages were taken`);
}

/** Goes through every kind of page of the demo's routine, up to its result. */
export const wholeRoutine = (email: string | null): Ways => ({
  "Two minutes to calmer skin": goOn,
  "Your skin": (quiz) => pick(quiz, "Warm, itchy or pink"),
  "What you would change": async (quiz) => {
    for (const concern of ["Breakouts", "Redness", "Fine lines"]) await pick(quiz, concern);
    await goOn(quiz);
  },
  "How your skin reacts": async (quiz) => {
    await slide(quiz, 1);
    await goOn(quiz);
  },
  "About those breakouts": async (quiz) => {
    await pick(quiz, "Jaw and chin");
    await goOn(quiz);
  },
  "What feels good": (quiz) => pick(quiz, "A soft cream"),
  "A little about you": async (quiz) => {
    await quiz.getByLabel("How old are you?").fill("34");
    await quiz.getByLabel("Roughly when did you last change your routine?").fill("2026-03-01");
    await goOn(quiz);
  },
  "Time and money": async (quiz) => {
    await pick(quiz, "Three or four");
    await slide(quiz, 2);
    await goOn(quiz);
  },
  "Anything to leave out?": async (quiz) => {
    await quiz.getByRole("textbox").fill("Lavender, and most perfumes");
    await goOn(quiz);
  },
  "Keep your routine": async (quiz) => {
    if (email === null) return press(quiz, "Skip this page");
    await quiz.getByLabel("Where should we send your routine?").fill(email);
    await pick(quiz, "Send me skincare notes and the odd offer. Unsubscribe any time.");
    await goOn(quiz);
  },
});
