import { type Static, Type } from "typebox";
import { soFarFields } from "./session.ts";
import { soFar } from "./session-examples.ts";
import { topic } from "./topic.ts";

const created = "2026-09-14T18:50:00.000Z";

export const quizAbandoned = topic({
  meaning: "30 minutes without an event in a session that has an answer",
  about: "session",
  object: Type.Object(soFarFields, { title: "QuizAbandoned" }),
  example: { ...soFar, ended_at: created },
  created,
});
export type QuizAbandoned = Static<typeof quizAbandoned.object>;
