import type { AnswerValue } from "../../engine/document.ts";
import { missingRequired } from "../../engine/missing.ts";
import { isFinishPage } from "../../engine/path.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { readAnswer } from "./check.ts";
import { arrivalOf, moveTo, nowhere, type Position } from "./position.ts";
import type { Stored, StoredEvent } from "./state.ts";

export type Finish = Stored<"quiz_finished">;

/** What a finish depends on, as it stands after some event. */
interface Standing {
  position: Position;
  answers: Map<string, AnswerValue>;
  /** pages that were left by `skip` at least once: their questions are not required any more */
  skipped: Set<string>;
}

/** Follows one event; true when a finish that did not count before may count now. */
function follow(quiz: Quiz, event: StoredEvent, standing: Standing): boolean {
  const { position, answers, skipped } = standing;
  let mayCount = false;
  const arrival = arrivalOf(event, position);
  if (arrival !== null) {
    if (arrival.cause === "skip" && position.current !== null) {
      skipped.add(position.current);
      mayCount = true;
    }
    moveTo(position, arrival.page_key);
  }
  if (event.type === "answer_saved") {
    const answer = readAnswer(quiz, event);
    if (typeof answer === "string") return mayCount;
    if (answer.value === null) answers.delete(event.component_key);
    else answers.set(event.component_key, answer.value);
    mayCount = true;
  }
  return mayCount;
}

function counts(quiz: Quiz, finish: Finish, { position, answers, skipped }: Standing): boolean {
  if (answers.size === 0 || !isFinishPage(quiz, finish.page_key, answers)) return false;
  const required = [...position.entered, finish.page_key].filter((page_key) => !skipped.has(page_key));
  return missingRequired(quiz, answers, required).length === 0;
}

/**
 * The finish that completes a session, and those that do not (storefront 2, "Finished").
 *
 * The conditions are put after each event in turn, to the session as it was then: a finish that met them once stays
 * taken whatever follows, and one that did not is met later by an answer or a skip. Where several are met at the same
 * moment the first by `seq` is taken. Of several on one page only the first can ever be it, so the work is bounded by
 * the number of pages, not of finishes.
 */
export function findFinish(
  quiz: Quiz,
  events: readonly StoredEvent[],
): { finish: Finish | null; incomplete: Finish[] } {
  const finishes = events.filter((event) => event.type === "quiz_finished");
  if (finishes.length === 0) return { finish: null, incomplete: [] };
  const standing: Standing = { position: nowhere(), answers: new Map(), skipped: new Set() };
  const waiting = new Map<string, Finish>();
  for (const event of events) {
    let mayCount = follow(quiz, event, standing);
    if (event.type === "quiz_finished" && !waiting.has(event.page_key)) {
      waiting.set(event.page_key, event);
      mayCount = true;
    }
    const finish = mayCount ? [...waiting.values()].find((candidate) => counts(quiz, candidate, standing)) : undefined;
    if (finish) return { finish, incomplete: finishes.slice(0, finishes.indexOf(finish)) };
  }
  return { finish: null, incomplete: finishes };
}
