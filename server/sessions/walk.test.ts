import { describe, expect, it } from "vitest";
import type { ScriptedEvent } from "../../testkit/histories.ts";
import {
  choose,
  closed,
  enter,
  finish,
  minute,
  opened,
  reduced,
  restarted,
  say,
  shortWay,
} from "../../testkit/session-scripts.ts";

describe("pages", () => {
  it("counts an answer on a page not entered as entering it, first as start, then as next [sessions.pages]", () => {
    const { state } = reduced(choose("skin", "skin_type", 1), say("age", "years", 30), say("skin", "skin_type", null));
    expect(state.visits.map((visit) => [visit.page_key, visit.first_cause, visit.entries])).toEqual([
      ["skin", "start", 1],
      ["age", "next", 1],
    ]);
    expect(state.moves).toMatchObject([{ from_page_key: "skin", to_page_key: "age", cause: "next" }]);
  });

  it("accepts an existing page where the engine would go elsewhere [sessions.pages]", () => {
    const { state, rejections } = reduced(
      enter("result", "start"),
      enter("serum", "jump", { jump_rule_key: "straight" }),
    );
    expect(rejections.size).toBe(0);
    expect(state.last_page_key).toBe("serum");
  });

  it("sums the time on a page up to the next page or the finish; a last page gives no sample [funnel.page-time]", () => {
    const times = (script: readonly ScriptedEvent[]) =>
      Object.fromEntries(reduced(...script).state.visits.map((visit) => [visit.page_key, visit.time_ms]));
    expect(times(shortWay)).toEqual({ skin: 2 * minute, age: 2 * minute, contact: minute, result: null });
    expect(times([...shortWay, closed({ min: 9 })])).toMatchObject({ result: null });
    expect(times([...shortWay, finish("result", { min: 8 }), enter("age", "back", { min: 9 })])).toMatchObject({
      result: 3 * minute,
    });
    expect(
      times([...shortWay, enter("contact", "back", { min: 7 }), enter("result", "next", { min: 10 })]),
    ).toMatchObject({ contact: 4 * minute, result: 2 * minute });
  });

  it("marks the page left by Skip and by Back [funnel.page-counts]", () => {
    const { state } = reduced(enter("skin", "start"), enter("age"), enter("contact", "skip"), enter("age", "back"));
    const marks = state.visits.map(({ page_key, skipped, went_back }) => [page_key, skipped, went_back]);
    expect(marks).toEqual([
      ["skin", false, false],
      ["age", true, false],
      ["contact", false, true],
    ]);
  });

  it("tells the first arrival by jump from later ones [funnel.page-counts]", () => {
    const jump = { jump_rule_key: "straight" };
    const { state } = reduced(
      enter("skin", "start"),
      enter("contact", "jump", jump),
      enter("skin", "back"),
      enter("age"),
      enter("contact", "jump", jump),
      enter("age", "jump", jump),
    );
    expect(state.visits.find((visit) => visit.page_key === "contact")).toMatchObject({
      first_cause: "jump",
      first_jump_rule_key: "straight",
      entries: 2,
      entries_by_jump: 2,
    });
    expect(state.visits.find((visit) => visit.page_key === "age")).toMatchObject({
      first_cause: "next",
      entries_by_jump: 1,
    });
  });

  it("takes a jump by a rule that the version lacks, or by none, as next, so that each jump has its rule [sessions.jump-without-rule]", () => {
    const { state } = reduced(
      enter("skin", "start"),
      enter("contact", "jump", { jump_rule_key: "gone" }),
      enter("age", "next", { jump_rule_key: "straight" }),
      enter("skin", "jump"),
      enter("contact", "jump", { jump_rule_key: "straight" }),
    );
    expect(state.moves.map((move) => [move.cause, move.jump_rule_key])).toEqual([
      ["next", null],
      ["next", null],
      ["next", null],
      ["jump", "straight"],
    ]);
    expect(state.visits.map((visit) => [visit.page_key, visit.first_cause, visit.entries_by_jump])).toEqual([
      ["skin", "start", 0],
      ["contact", "next", 1],
      ["age", "next", 0],
    ]);
  });

  it("leaves a page that was entered after the close as the last event says, not closed [sessions.exit]", () => {
    const way = [opened({ min: 0 }), enter("skin", "start", { min: 1 }), choose("skin", "skin_type", 1, { min: 2 })];
    const back = enter("age", "next", { min: 60 });
    const exits = (...more: ScriptedEvent[]) => {
      const { state } = reduced(...way, closed({ min: 3 }), ...more);
      return [state.end_reason, state.exit];
    };
    expect(exits()).toEqual(["closed", { page_key: "skin", reason: "closed" }]);
    expect(exits(back)).toEqual(["closed", { page_key: "age", reason: "timed_out" }]);
    expect(exits(back, closed({ min: 61 }))).toEqual(["closed", { page_key: "age", reason: "closed" }]);
    const bought: ScriptedEvent = { type: "product_added", product_id: "p", variant_id: null, quantity: 1, min: 60 };
    expect(exits(bought)).toEqual(["closed", { page_key: "skin", reason: "closed" }]);
  });

  it("moves with cause restart inside a session, and without an edge on quiz_restarted [sessions.pages]", () => {
    const { state } = reduced(
      enter("skin", "start"),
      enter("age"),
      enter("skin", "restart"),
      enter("age"),
      restarted(),
    );
    expect(state.moves.map((move) => [move.cause, move.times])).toEqual([
      ["next", 2],
      ["restart", 1],
    ]);
    expect(state.exit).toEqual({ page_key: "age", reason: "restarted" });
  });

  it("ignores the open page being loaded again, and takes a start elsewhere for a start over [sessions.reload]", () => {
    const { state } = reduced(enter("skin", "start"), enter("age"), enter("age", "start"), enter("skin", "start"));
    expect(state.moves.map((move) => move.cause)).toEqual(["next", "restart"]);
  });

  it("counts hidden pages that were passed over, once an event, up to the finish [paths.hidden-pages]", () => {
    const passing = { hidden_page_keys: ["serum", "serum", "gone"] };
    const { state } = reduced(
      ...shortWay,
      enter("contact", "next", passing),
      enter("result", "next", passing),
      finish("result"),
      enter("contact", "back", passing),
    );
    expect(state.hidden).toEqual([{ page_key: "serum", times: 2 }]);
  });

  it("counts distinct pages, and the last one by seq [sessions.last-page, sessions.order]", () => {
    const { state } = reduced(
      enter("age", "back", { seq: 9 }),
      enter("skin", "start", { seq: 1 }),
      enter("age", "next", { seq: 2 }),
      enter("contact", "next", { seq: 3 }),
    );
    expect(state).toMatchObject({ pages_visited: 3, last_page_key: "age" });
  });
});
