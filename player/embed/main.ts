import { isOnce, modeOf } from "./attributes.ts";
import { isAllowed } from "./consent.ts";
import { OpenQuiz } from "./open-quiz.ts";
import type { Overlay } from "./overlay.ts";
import { rememberClosed } from "./remembered.ts";
import type { Mounted, Place } from "./types.ts";

/** The main chunk: all that it takes to draw and run a quiz, once one is wanted. */
export function mount(place: Place): Mounted {
  const mode = modeOf(place.element);
  return mode === "popup" || mode === "drawer" ? new QuizInOverlay(place, mode) : new QuizInPage(place);
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

  async open(): Promise<void> {}
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

/** A quiz that is there when somebody wants it. Closed, it keeps its place until it is opened again. */
class QuizInOverlay implements Mounted {
  readonly #place: Place;
  readonly #mode: "popup" | "drawer";
  #overlay: Overlay | null = null;
  #quiz: OpenQuiz | null = null;
  #isWanted = false;

  constructor(place: Place, mode: "popup" | "drawer") {
    this.#place = place;
    this.#mode = mode;
  }

  async open(opener: Element | null): Promise<void> {
    if (this.#isWanted) return;
    this.#isWanted = true;
    const { element, root, page } = this.#place;
    if (this.#overlay === null) {
      const { makeOverlay } = await import("./overlay.ts");
      if (!this.#isWanted) return;
      this.#overlay ??= makeOverlay(root, this.#mode, () => this.#hidden());
    }
    const overlay = this.#overlay;
    page.open = element;
    overlay.show(opener);
    if (this.#quiz) this.#quiz.shown();
    else {
      const onNamed = overlay.label;
      this.#quiz = new OpenQuiz({ element, page, root: overlay.body, room: null, takesFocus: true, onNamed });
    }
  }

  #hidden(): void {
    const { element, page } = this.#place;
    this.#isWanted = false;
    if (page.open === element) page.open = null;
    const quiz = element.getAttribute("quiz") ?? "";
    page.closed.add(quiz);
    if (isOnce(element)) rememberClosed(quiz, isAllowed(element, page));
    this.#quiz?.hidden();
    if (this.#quiz?.isRunning === false) this.#endQuiz();
  }

  #endQuiz(): void {
    this.#quiz?.end();
    this.#quiz = null;
  }

  close(): void {
    if (this.#overlay?.isOpen) this.#overlay.hide();
    else this.#isWanted = false;
  }
  restart(): void {
    this.#quiz?.restart();
  }
  redraw(): void {
    this.#quiz?.redraw();
  }
  consent(): void {
    this.#quiz?.consent();
  }
  unmount(): void {
    this.#overlay?.remove();
    if (this.#isWanted) this.#hidden();
    this.#endQuiz();
    this.#overlay = null;
  }
}
