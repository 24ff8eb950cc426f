import { describe, it } from "vitest";
import { openBrowser } from "../testkit/browser.ts";
import { HandMadeQuizzes } from "./dashboard-by-hand.ts";

/** A quiz is made by mouse. By keyboard it takes hundreds of presses: `dashboard-by-keyboard.hard.test.ts`. */

describe.skipIf(!(await openBrowser()))("a quiz that is made by hand", () => {
  const quizzes = new HandMadeQuizzes();

  it(
    "goes from nothing to shoppers and their figures by mouse alone [editor.by-hand]",
    () => quizzes.goFromNothingToFigures("mouse"),
    300_000,
  );
});
