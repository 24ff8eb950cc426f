import { type Static, Type } from "typebox";
import { dateTime } from "../common.ts";
import { resultFields } from "./session.ts";
import { completedAt, product, reached, results, soFar } from "./session-examples.ts";
import { topic } from "./topic.ts";

const last = { page_key: "result", title: "Your routine", position: 8 };

export const quizFinished = topic({
  meaning: "A minute after a session reached its end",
  about: "session",
  object: Type.Object({ ...resultFields, completed_at: dateTime() }, { title: "QuizFinished" }),
  example: {
    ...soFar,
    ended_at: completedAt,
    last_page: last,
    completed_at: completedAt,
    ...results,
    terminal_page: { ...last, page_count: 8, shown_products: [product], outcome: reached },
    outcome: reached,
    products_shown: [{ ...product, page_key: "result", position: 1, source: "winner" }],
  },
  created: completedAt,
});
export type QuizFinished = Static<typeof quizFinished.object>;
