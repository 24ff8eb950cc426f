import { compileQuiz } from "../engine/compile-quiz.ts";
import type { Quiz } from "../engine/quiz.ts";
import { createRun } from "../player/run/create-run.ts";
import type { NewEvent, Notice, Run, SavedRun } from "../player/run/types.ts";
import { quizDocument } from "./document-parts.ts";

/** Runs of the player, for tests of their events and notices. */

export interface OpenedRun {
  run: Run;
  /** its events and notices since the last call */
  told: () => NewEvent[];
  heard: () => Notice[];
}

export function openedRun(
  quiz: Quiz,
  saved: SavedRun | null = null,
  sells?: (product_id: string) => boolean,
): OpenedRun {
  const run = createRun(quiz, saved, sells);
  const events: NewEvent[] = [];
  const notices: Notice[] = [];
  run.onEvent((event) => events.push(event));
  run.on((notice) => notices.push(notice));
  return { run, told: () => events.splice(0), heard: () => notices.splice(0) };
}

/** On its first page. */
export function startedRun(quiz: Quiz): OpenedRun {
  const opened = openedRun(quiz);
  opened.run.start();
  opened.told();
  opened.heard();
  return opened;
}

export const compiled = (...given: Parameters<typeof quizDocument>): Quiz => compileQuiz(quizDocument(...given));

export const pageOf = ({ run }: OpenedRun): string | null => run.view.page?.page_key ?? null;
