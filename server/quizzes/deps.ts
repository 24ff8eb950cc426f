import type { Caller } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";

/** The dependencies of every change of a quiz. */
export interface QuizDeps {
  calendar: Calendar;
  random: RandomBytes;
}

/** Additional dependencies of the routes. */
export interface QuizRouteDeps extends QuizDeps {
  secrets: Secrets;
  baseUrl: string;
}

export interface SaveVersionDeps extends QuizDeps {
  log: Log;
}

/** Who a change is recorded for [quizzes.history]. */
export interface Actor {
  admin: string;
  source: "api" | "dashboard" | "operator" | "assistant";
  /** UUID of the API key; null: no key was used */
  keyId: string | null;
}

export function actorOf({ admin, by }: Caller): Actor {
  const program = by.kind === "key" ? by : by.token;
  const source = program === undefined ? "dashboard" : program.isAssistant ? "assistant" : "api";
  return { admin, source, keyId: by.kind === "key" ? by.keyId : null };
}
