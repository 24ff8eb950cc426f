import { api, openByClick } from "./api.ts";
import { QuizStoreElement } from "./element.ts";
import type { QueuedCall } from "./types.ts";

/** embed.js: what every page of the shop loads [player.twice]. A page that has it twice has it once. */
if (!customElements.get("quiz-store")) {
  const queued = window.quizstore;
  window.quizstore = api;
  customElements.define("quiz-store", QuizStoreElement);
  document.addEventListener("click", openByClick);
  api.push(...((queued ?? []) as QueuedCall[]));
}
