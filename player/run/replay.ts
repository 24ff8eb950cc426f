import { firstStep, type Step, stepFrom } from "../../engine/path.ts";
import type { Quiz } from "../../engine/quiz.ts";
import type { Visibility } from "../../engine/visibility.ts";
import { answerEvent, arrivalEvent, type Way } from "./events.ts";
import type { RunState } from "./run-state.ts";
import type { NewEvent } from "./types.ts";

/**
 * A run's way, reported anew to a session that begins now: the pages that Back knows, and all answers [player.retold].
 */
export interface ReplayedWay {
  events: NewEvent[];
  entered: Set<string>;
  skipped: Set<string>;
}

export function wayOf(quiz: Quiz, state: RunState, seen: Visibility): ReplayedWay {
  const { trail, page_key, answers, skipped } = state;
  const way = page_key === null ? trail : [...trail, page_key];
  const replayed: ReplayedWay = { events: [{ type: "quiz_opened" }], entered: new Set(), skipped: new Set() };
  let from: string | undefined;
  for (const key of way) {
    const step: Step = from === undefined ? firstStep(quiz, answers) : stepFrom(quiz, from, seen);
    const here = step.kind === "page" && step.page_key === key ? step : { ...plain(key), cause: "next" as const };
    const isSkip = from !== undefined && skipped.has(from);
    replayed.events.push(arrivalEvent(here, from === undefined ? "start" : isSkip ? "skip" : here.cause));
    if (from !== undefined && isSkip) replayed.skipped.add(from);
    if (!replayed.entered.has(key)) replayAnswers(quiz, state, replayed, (page) => page === key);
    // Answers on pages outside this way count as entering those pages, so return to where the way continues.
    if (from === undefined && replayAnswers(quiz, state, replayed, (page) => !way.includes(page))) {
      replayed.events.push(arrivalEvent(plain(key), "back"));
    }
    replayed.entered.add(key);
    from = key;
  }
  return replayed;
}

const plain = (page_key: string): Way => ({ page_key, jump_rule_key: null, hidden_page_keys: [] });

/** Reports the answers on the selected pages; returns whether there are any. */
function replayAnswers(
  quiz: Quiz,
  { answers, consents }: RunState,
  { events, entered }: ReplayedWay,
  isMeant: (page_key: string) => boolean,
): boolean {
  const before = events.length;
  for (const [key, { component, placed }] of quiz.questions) {
    const answer = answers.get(key);
    const { page_key } = placed.page;
    if (answer === undefined || !isMeant(page_key)) continue;
    events.push(answerEvent(page_key, component, answer, consents.get(key) ?? null));
    entered.add(page_key);
  }
  return events.length > before;
}
