import { expect } from "vitest";
import type { ReportedSession } from "../contract/storefront.ts";
import type { TestApp, TestStore } from "./app.ts";
import type { ScriptedEvent } from "./histories.ts";
import { type GivenQuiz, makeQuiz, type TestQuiz } from "./quizzes.ts";
import { choose, enter, opened } from "./session-scripts.ts";
import { finderDocument } from "./small-quizzes.ts";
import { recently, send, sessionId, visitorId } from "./storefront.ts";

/** A store with the published finder quiz of small-quizzes.ts, and shoppers who take it. */

interface Taken {
  /** the visitor's number; by default the session's own */
  visitor?: number;
  /** age of the session's first event */
  minutesAgo?: number;
  /** distinguishes the ids of a session's later events, which then start with the script's first */
  part?: number;
  session?: Partial<ReportedSession>;
}

export interface FinderShop {
  store: TestStore;
  quiz: TestQuiz;
  /** Sends a session that opens, answers its first question, and continues with the script. */
  take(number: number, script: readonly ScriptedEvent[], given?: Taken): Promise<void>;
}

const start = [opened({ min: 0 }), enter("skin", "start", { min: 0 }), choose("skin", "skin_type", 1, { min: 0 })];

/** @param given differences from the quiz; its keys must stay the finder quiz's */
export async function openFinderShop(t: TestApp, given: GivenQuiz = {}): Promise<FinderShop> {
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true, ...given });
  return {
    store,
    quiz,
    take: async (number, script, { visitor = number, minutesAgo = 60, part = 0, session = {} } = {}) => {
      const whole = part === 0 ? [...start, ...script] : script;
      const events = recently(t, whole, { minutesAgo, firstId: number * 100 + part * 10 });
      const given = { id: sessionId(number), visitor_id: visitorId(visitor), ...session };
      const { body } = await send(t, store, quiz, events, { session: given });
      expect(body).toEqual({ accepted: whole.length, duplicates: 0, rejected: [] });
    },
  };
}
