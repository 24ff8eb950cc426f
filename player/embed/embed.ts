import { api, openByClick } from "./api.ts";
import { QuizStoreElement } from "./element.ts";
import type { QueuedCall } from "./types.ts";

/** embed.js: loaded by every page of the shop [player.twice]. Loading it twice has no further effect. */
if (!customElements.get("quiz-store")) {
  const queued = window.quizstore;
  window.quizstore = api;
  customElements.define("quiz-store", QuizStoreElement);
  document.addEventListener("click", openByClick);
  api.push(...((queued ?? []) as QueuedCall[]));
}
