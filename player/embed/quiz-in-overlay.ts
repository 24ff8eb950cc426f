import { consentOf } from "./consent.ts";
import { OpenQuiz } from "./open-quiz.ts";
import { makeOverlay, type Overlay } from "./overlay.ts";
import { isOnce, keyOfClosed, rememberClosed } from "./remembered.ts";
import type { Mounted, Place } from "./types.ts";

/** A quiz that is opened on demand. When closed, it keeps its state until it is opened again. */
export class QuizInOverlay implements Mounted {
  readonly #place: Place;
  readonly #overlay: Overlay;
  #quiz: OpenQuiz | null = null;
  /** true until the page was told that it closed, which a dialog reports a moment later */
  #isShown = false;

  constructor(place: Place, mode: "popup" | "drawer") {
    this.#place = place;
    this.#overlay = makeOverlay(
      place.root,
      mode,
      () => this.#hidden(),
      () => this.open(null),
    );
  }

  open(opener: Element | null): void {
    const overlay = this.#overlay;
    if (this.#isShown) return;
    this.#isShown = true;
    const { element, page } = this.#place;
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
    this.#isShown = false;
    if (page.open === element) page.open = null;
    const key = keyOfClosed(element);
    page.closed.add(key);
    if (isOnce(element)) rememberClosed(key, consentOf(element, page));
    this.#quiz?.hidden();
    if (this.#quiz?.isRunning === false) this.#endQuiz();
  }

  #endQuiz(): void {
    this.#quiz?.end();
    this.#quiz = null;
  }

  close(): void {
    this.#overlay.hide();
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
    this.#overlay.remove();
    if (this.#isShown) this.#hidden();
    this.#endQuiz();
  }
}
