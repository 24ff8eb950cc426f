import { describe, it } from "vitest";
import { openBrowser } from "../testkit/browser.ts";
import { HandMadeQuizzes } from "./dashboard-by-hand.ts";

/** A quiz is made by keyboard alone, as by mouse in `dashboard-by-hand.test.ts`. */

describe.skipIf(!(await openBrowser()))("a quiz that is made by hand", () => {
  const quizzes = new HandMadeQuizzes();

  it(
    "goes from nothing to shoppers and their figures by keyboard alone [editor.by-hand]",
    () => quizzes.goFromNothingToFigures("keyboard"),
    300_000,
  );
});
