import { describe, expect, it } from "vitest";
import { eventId, scriptedHistory } from "../../testkit/histories.ts";
import {
  at,
  choose,
  enter,
  finish,
  reduceAt,
  reduced,
  restarted,
  say,
  shortWay,
} from "../../testkit/session-scripts.ts";
import { surveyQuiz } from "../../testkit/small-quizzes.ts";

describe("finished", () => {
  it("is completed by quiz_finished on a result page, at its corrected time [sessions.finish]", () => {
    const { state, rejections } = reduced(...shortWay, finish("result", { min: 6 }));
    expect(state).toMatchObject({
      status: "completed",
      end_reason: "finished",
      completed_at: at(6),
      ended_at: at(6),
      idle_at: null,
      abandon_at: null,
      terminal_page_key: "result",
      exit: { page_key: "result", reason: "finished" },
    });
    expect(rejections.size).toBe(0);
  });

  it("is not completed by reaching the result page alone [sessions.finish]", () => {
    expect(reduced(...shortWay).state).toMatchObject({
      status: "in_progress",
      exit: { page_key: "result", reason: "still_here" },
    });
  });

  it("is completed on the last reachable page of a quiz without a result page, not before [sessions.finish]", () => {
    const way = [
      enter("taste", "start"),
      choose("taste", "sweet", 1),
      enter("day"),
      say("day", "when", "2026-03-01"),
      enter("thanks"),
    ];
    const onLast = scriptedHistory(...way, finish("thanks"));
    const early = scriptedHistory(...way.slice(0, 4), finish("day"));
    expect(reduceAt(1, onLast, surveyQuiz).state.status).toBe("completed");
    expect(reduceAt(1, early, surveyQuiz).rejections).toEqual(new Map([[eventId(4), "incomplete"]]));
  });

  it("needs at least one answer [sessions.finish-answers]", () => {
    const { state, rejections } = reduced(enter("contact", "start"), enter("result", "jump"), finish("result"));
    expect(state.status).toBe("in_progress");
    expect(rejections).toEqual(new Map([[eventId(2), "incomplete"]]));
  });

  it("needs every required question on the visited pages [sessions.finish-answers]", () => {
    const { state, rejections } = reduced(
      enter("skin", "start"),
      choose("skin", "skin_type", 1),
      enter("age"),
      enter("result"),
      finish("result"),
    );
    expect(state).toMatchObject({ status: "in_progress", terminal_page_key: null });
    expect([...rejections.values()]).toEqual(["incomplete"]);
  });

  it("asks nothing of pages that were not visited or are hidden [sessions.finish-answers]", () => {
    const notVisited = [
      enter("skin", "start"),
      choose("skin", "skin_type", 1),
      enter("result", "jump"),
      finish("result"),
    ];
    expect(reduced(...notVisited).state.status).toBe("completed");
    const nowHidden = [
      enter("serum", "start"),
      enter("skin"),
      choose("skin", "skin_type", 1),
      enter("result"),
      finish("result"),
    ];
    expect(reduced(...nowHidden).state.status).toBe("completed");
  });

  it("does not count pages left by skip [sessions.finish-answers]", () => {
    const way = [
      enter("skin", "start"),
      choose("skin", "skin_type", 1),
      enter("age"),
      enter("contact", "skip"),
      enter("result"),
    ];
    expect(reduced(...way, finish("result")).state.status).toBe("completed");
  });

  it("keeps an incomplete finish, and completes at its time once an answer meets it [sessions.waiting-finish]", () => {
    const way = [
      enter("skin", "start"),
      choose("skin", "skin_type", 1),
      enter("age"),
      enter("result"),
      finish("result", { min: 5 }),
    ];
    const { state, rejections } = reduced(
      ...way,
      enter("age", "back", { min: 6 }),
      say("age", "years", 30, { min: 7 }),
    );
    expect(state).toMatchObject({ status: "completed", completed_at: at(5), last_page_key: "age" });
    expect(rejections.size).toBe(0);
    expect(state.moves.some((move) => move.cause === "back")).toBe(false);
  });

  it("completes when the missing answer arrives late [sessions.waiting-finish]", () => {
    const events = scriptedHistory(...shortWay, finish("result", { min: 6 }));
    const without = events.filter((event) => event.type !== "answer_saved" || event.component_key !== "years");
    expect([...reduceAt(6, without).rejections.values()]).toEqual(["incomplete"]);
    expect(reduceAt(6, events).state.status).toBe("completed");
  });

  it("is not un-finished by going back or by clearing an answer [sessions.finish-stays]", () => {
    const { state } = reduced(
      ...shortWay,
      finish("result", { min: 6 }),
      enter("age", "back", { min: 7 }),
      say("age", "years", null, { min: 8 }),
    );
    expect(state).toMatchObject({ status: "completed", completed_at: at(6), last_page_key: "age", answered_count: 1 });
  });

  it("takes the first of several finishes that counts [sessions.finish]", () => {
    const { state, rejections } = reduced(
      finish("skin", { min: 0 }),
      ...shortWay,
      finish("result", { min: 6 }),
      finish("result", { min: 9 }),
    );
    expect(state.completed_at).toBe(at(6));
    expect(rejections).toEqual(new Map([[eventId(0), "incomplete"]]));
  });

  it("takes a finish as the arrival on a page that nobody reported [sessions.finish]", () => {
    const { state } = reduced(...shortWay.slice(0, -1), finish("result", { min: 6 }));
    expect(state.exit).toEqual({ page_key: "result", reason: "finished" });
    expect(state.moves.at(-1)).toMatchObject({ from_page_key: "contact", to_page_key: "result", cause: "next" });
  });

  it("is completed after a time-out or a restart too [sessions.finish]", () => {
    expect(reduced(...shortWay, finish("result", { min: 90 })).state).toMatchObject({
      status: "completed",
      ended_at: at(90),
    });
    expect(reduced(...shortWay, restarted(), finish("result")).state).toMatchObject({
      status: "completed",
      abandon_at: null,
    });
  });
});
