import { modeOf } from "./attributes.ts";
import { OpenQuiz } from "./open-quiz.ts";
import type { Mounted, Place } from "./types.ts";

/** The main chunk: all that it takes to draw and run a quiz, once one is wanted. */
export async function mount(place: Place): Promise<Mounted> {
  const mode = modeOf(place.element);
  if (mode !== "popup" && mode !== "drawer") return new QuizInPage(place);
  // only pages that open one fetch it
  const { QuizInOverlay } = await import("./quiz-in-overlay.ts");
  return new QuizInOverlay(place, mode);
}

/** A quiz that stands in the page, or is the page. */
class QuizInPage implements Mounted {
  readonly #quiz: OpenQuiz;

  constructor(place: Place) {
    if (modeOf(place.element) === "full") {
      place.room?.deleteRule(0);
      place.room?.insertRule(":host{--quizstore-height:100dvh;--quizstore-radius:0}");
    }
    this.#quiz = new OpenQuiz({ ...place, takesFocus: false, onNamed: () => {} });
  }

  open(): void {}
  close(): void {}
  restart(): void {
    this.#quiz.restart();
  }
  redraw(): void {
    this.#quiz.redraw();
  }
  consent(): void {
    this.#quiz.consent();
  }
  unmount(): void {
    this.#quiz.hidden();
    this.#quiz.end();
  }
}
