import type { EnterCause } from "../contract/storefront.ts";
import type { Quiz } from "../engine/quiz.ts";
import type { KeptEvent } from "../server/sessions/kept-event.ts";
import { reduceSession } from "../server/sessions/reduce.ts";
import type { Reduction } from "../server/sessions/state.ts";
import { historyStart, type ScriptedEvent, scriptedHistory } from "./histories.ts";
import { finderQuiz } from "./small-quizzes.ts";

/** Short functions for the events of a scripted session, and for the result of reducing them. */

export const minute = 60_000;
/** The time this many minutes after the start of a scripted history. */
export const at = (min: number): number => historyStart + min * minute;

/** Other fields of an event; `min` and `seq` set its time and position. */
interface Place {
  min?: number;
  seq?: number;
}

export const opened = (place: Place = {}): ScriptedEvent => ({ type: "quiz_opened", ...place });

export const enter = (
  page_key: string,
  cause: EnterCause = "next",
  more: Place & { jump_rule_key?: string; hidden_page_keys?: string[] } = {},
): ScriptedEvent => ({ type: "page_entered", page_key, cause, ...more });

/** Chooses an option of small-quizzes.ts by its number. */
export const choose = (page_key: string, component_key: string, option: number, place: Place = {}): ScriptedEvent => {
  return { type: "answer_saved", page_key, component_key, option_ids: [`${component_key}_${option}`], ...place };
};

export const say = (
  page_key: string,
  component_key: string,
  value: string | number | null,
  more: Place & { consent?: boolean | null } = {},
): ScriptedEvent => ({ type: "answer_saved", page_key, component_key, value, ...more });

export const finish = (page_key: string, place: Place = {}): ScriptedEvent => {
  return { type: "quiz_finished", page_key, ...place };
};

export const closed = (place: Place = {}): ScriptedEvent => ({ type: "quiz_closed", ...place });

export const restarted = (place: Place = {}): ScriptedEvent => {
  return { type: "quiz_restarted", next_session_id: `sess_${"1".repeat(32)}`, ...place };
};

/** For the finder quiz: answers skin and age, and reaches the result in minute 5. */
export const shortWay: readonly ScriptedEvent[] = [
  opened({ min: 0 }),
  enter("skin", "start", { min: 0 }),
  choose("skin", "skin_type", 1, { min: 1 }),
  enter("age", "next", { min: 2 }),
  say("age", "years", 30, { min: 3 }),
  enter("contact", "next", { min: 4 }),
  enter("result", "next", { min: 5 }),
];

export function reduceAt(min: number, events: readonly KeptEvent[], quiz: Quiz = finderQuiz): Reduction {
  return reduceSession({ quiz, events, country: null, now: at(min) });
}

/** Reduces a scripted session of the finder quiz, as of its latest event. */
export function reduced(...script: ScriptedEvent[]): Reduction {
  const events = scriptedHistory(...script);
  return reduceSession({
    quiz: finderQuiz,
    events,
    country: null,
    now: Math.max(...events.map((event) => event.time)),
  });
}
