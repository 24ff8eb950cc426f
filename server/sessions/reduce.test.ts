import { describe, expect, it } from "vitest";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { eventId, scriptedHistory } from "../../testkit/histories.ts";
import { at, enter, finish, minute, opened, reduceAt, reduced, say, shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";

describe("times", () => {
  it("opens with the event of lowest seq, whatever arrived or happened first [sessions.opened]", () => {
    const { state } = reduced(enter("skin", "start", { seq: 7, min: 0 }), opened({ seq: 2, min: 1 }));
    expect(state.opened_at).toBe(at(1));
  });

  it("starts with the first answer, clearing is none [sessions.started]", () => {
    const { state } = reduced(
      opened({ min: 0 }),
      say("contact", "remark", null, { min: 1 }),
      say("contact", "remark", "hm", { min: 2 }),
      say("contact", "remark", null, { min: 3 }),
    );
    expect(state).toMatchObject({ started_at: at(2), answered_count: 0, answers: [] });
  });

  it("takes time to complete from the first answer to the finish, never negative [figures.time-to-complete]", () => {
    expect(reduced(...shortWay, finish("result", { min: 6 })).state.time_to_complete_ms).toBe(5 * minute);
    expect(reduced(...shortWay, finish("result", { min: -1 })).state.time_to_complete_ms).toBe(0);
    expect(reduced(...shortWay).state.time_to_complete_ms).toBeNull();
  });

  it("refuses to reduce nothing", () => {
    expect(() => reduceAt(0, [])).toThrow(RangeError);
  });
});

it("rejects events of pages that the version lacks, and reduces the others [storefront.bad-events]", () => {
  const document: QuizDocument = { ...finderDocument, pages: finderDocument.pages.slice(0, 2) };
  const events = scriptedHistory(...shortWay);
  const { state, rejections } = reduceAt(5, events, compileQuiz(document));
  expect(rejections).toEqual(
    new Map([
      [eventId(5), "unknown_page"],
      [eventId(6), "unknown_page"],
    ]),
  );
  expect(state).toMatchObject({ last_page_key: "age", last_event_at: at(3) });
});
