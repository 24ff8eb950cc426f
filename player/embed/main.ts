import { modeOf } from "./attributes.ts";
import { OpenQuiz } from "./open-quiz.ts";
import { ownKeys } from "./own-keys.ts";
import type { Mounted, Place } from "./types.ts";

/** The main chunk: everything needed to draw and run a quiz, loaded when one is needed. */
export async function mount(place: Place): Promise<Mounted> {
  const mode = modeOf(place.element);
  ownKeys(place.element);
  if (mode === "popup" || mode === "drawer") {
    // loaded only by pages that open a popup or drawer
    const { QuizInOverlay } = await import("./quiz-in-overlay.ts");
    return new QuizInOverlay(place, mode);
  }
  if (mode === "full") {
    place.room?.deleteRule(0);
    place.room?.insertRule(":host{--quizstore-height:100dvh;--quizstore-radius:0}");
  }
  return new OpenQuiz({ ...place, takesFocus: false, onNamed: () => {} });
}
