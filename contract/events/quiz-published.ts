import { Type } from "typebox";
import { count, dateTime, id } from "../common.ts";
import { text } from "./session.ts";
import { session } from "./session-examples.ts";
import { topic } from "./topic.ts";

const created = "2026-09-01T08:16:30.000Z";

export const quizPublished = topic({
  meaning: "A version went live",
  about: "shop",
  object: Type.Object(
    {
      quiz_id: id("quiz"),
      quiz_name: text(),
      version_id: id("ver"),
      version_number: count(),
      published_at: dateTime(),
    },
    { title: "QuizPublished" },
  ),
  example: {
    quiz_id: session.quiz_id,
    quiz_name: session.quiz_name,
    version_id: session.version_id,
    version_number: session.version_number,
    published_at: created,
  },
  created,
});
