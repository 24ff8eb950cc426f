import { type Static, Type } from "typebox";
import { optionalText, sessionFields } from "./session.ts";
import { session } from "./session-examples.ts";
import { topic } from "./topic.ts";

export const quizStarted = topic({
  meaning: "The first answer of a session",
  about: "session",
  object: Type.Object(
    { ...sessionFields, placement: optionalText(), region: optionalText() },
    { title: "QuizStarted" },
  ),
  example: { ...session, placement: "header", region: "CA" },
  created: session.started_at,
});
export type QuizStarted = Static<typeof quizStarted.object>;
