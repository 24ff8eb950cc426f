import { describe, expect, it } from "vitest";
import { eventId, scriptedHistory } from "../../testkit/histories.ts";
import { at, choose, closed, enter, opened, reduceAt, reduced, restarted, say } from "../../testkit/session-scripts.ts";

describe("ended", () => {
  const answered = [opened({ min: 0 }), enter("skin", "start", { min: 0 }), choose("skin", "skin_type", 1, { min: 1 })];

  it("is in progress until it has been idle for 30 minutes, then left [sessions.idle]", () => {
    const events = scriptedHistory(...answered);
    const due = { idle_at: at(31), abandon_at: at(31) };
    expect(reduceAt(30, events).state).toMatchObject({
      status: "in_progress",
      end_reason: null,
      ended_at: null,
      ...due,
    });
    expect(reduceAt(31, events).state).toMatchObject({
      status: "left",
      end_reason: "timed_out",
      ended_at: at(31),
      idle_at: null,
      abandon_at: at(31),
      exit: { page_key: "skin", reason: "timed_out" },
    });
  });

  it("is never abandoned without an answer [sessions.abandoned]", () => {
    expect(reduced(...answered.slice(0, 2)).state).toMatchObject({ idle_at: at(30), abandon_at: null });
  });

  it("is closed while its last event is quiz_closed, and abandoned 30 minutes later all the same [sessions.closed, sessions.abandoned]", () => {
    expect(reduced(...answered, closed({ min: 2 })).state).toMatchObject({
      status: "left",
      end_reason: "closed",
      ended_at: at(2),
      idle_at: null,
      abandon_at: at(32),
      exit: { page_key: "skin", reason: "closed" },
    });
    expect(reduced(...answered, closed({ min: 2 }), opened({ min: 3 })).state).toMatchObject({
      status: "in_progress",
      idle_at: at(33),
    });
  });

  it("is restarted for good by the first quiz_restarted, and never abandoned then [sessions.restarted, sessions.abandoned]", () => {
    const { state } = reduced(...answered, restarted({ min: 2 }), closed({ min: 3 }), restarted({ min: 4 }));
    expect(state).toMatchObject({ status: "left", end_reason: "restarted", ended_at: at(2), abandon_at: null });
    expect(state.exit).toEqual({ page_key: "skin", reason: "restarted" });
    expect(state.moves).toEqual([]);
  });
});

describe("timed out", () => {
  const answered = [enter("skin", "start", { min: 0 }), choose("skin", "skin_type", 1, { min: 1 })];

  it("is left at the first gap of 30 minutes, frozen 30 minutes after the event before it [sessions.gap]", () => {
    const { state } = reduced(
      ...answered,
      enter("age", "next", { min: 31 }),
      closed({ min: 32 }),
      restarted({ min: 33 }),
    );
    expect(state).toMatchObject({ status: "left", end_reason: "timed_out", ended_at: at(31) });
    expect(reduced(...answered, enter("age", "next", { min: 30.99 })).state.status).toBe("in_progress");
  });

  it("rejects Back and Skip from then on and stores everything else [sessions.back-and-skip]", () => {
    const { state, rejections } = reduced(
      ...answered,
      enter("age", "next", { min: 2 }),
      enter("skin", "back", { min: 40 }),
      enter("contact", "skip", { min: 41 }),
      enter("contact", "next", { min: 42 }),
      say("contact", "remark", "late", { min: 43 }),
    );
    expect(rejections).toEqual(
      new Map([
        [eventId(3), "timed_out"],
        [eventId(4), "timed_out"],
      ]),
    );
    expect(state.moves.map((move) => move.cause)).toEqual(["next", "next"]);
    expect(state).toMatchObject({
      last_page_key: "contact",
      exit: { page_key: "contact", reason: "timed_out" },
      answered_count: 2,
    });
    expect(state.visits.every((visit) => !visit.went_back && !visit.skipped)).toBe(true);
  });

  it("takes Back and Skip again when a late event fills the gap [sessions.back-and-skip]", () => {
    const events = scriptedHistory(
      ...answered,
      say("skin", "skin_type", null),
      enter("age", "next", { min: 40 }),
      enter("skin", "back"),
    );
    const filler = { ...scriptedHistory(choose("skin", "skin_type", 2, { min: 20 }))[0]!, id: eventId(99), seq: 2 };
    const late = events.map((event) => (event.seq === 2 ? filler : event));
    expect([...reduceAt(40, events).rejections.values()]).toEqual(["timed_out"]);
    expect(reduceAt(41, late).rejections.size).toBe(0);
  });

  it("takes the gap by seq, and time that runs backwards for none [sessions.gap, sessions.order]", () => {
    expect(
      reduced(...answered, enter("age", "next", { min: -50 }), enter("contact", "next", { min: -49 })).state.status,
    ).toBe("left");
    const { state, rejections } = reduced(
      enter("skin", "start", { min: 50 }),
      enter("age", "next", { min: 10 }),
      enter("skin", "back", { min: 39 }),
    );
    expect(rejections.size).toBe(0);
    expect(state.visits[0]?.time_ms).toBe(0);
  });

  it("keeps a session closed that was closed when the gap began [sessions.gap]", () => {
    const { state } = reduced(...answered, closed({ min: 2 }), enter("age", "next", { min: 60 }));
    expect(state).toMatchObject({ status: "left", end_reason: "closed", ended_at: at(2) });
  });

  it("abandons a session that was first answered after a gap 30 minutes after that [sessions.abandoned]", () => {
    const { state } = reduced(opened({ min: 0 }), choose("skin", "skin_type", 1, { min: 60 }));
    expect(state).toMatchObject({ status: "left", ended_at: at(30), started_at: at(60), abandon_at: at(90) });
  });
});
