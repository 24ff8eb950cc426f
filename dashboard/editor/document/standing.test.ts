import { describe, expect, it } from "vitest";
import type { AnswerValue } from "../../../engine/document.ts";
import { choice, chosen, option, page, quizDocument } from "../../../testkit/document-parts.ts";
import { standingFor, toggled } from "./standing.ts";

const wins = (id: string) => ({ kind: "winner" as const, op: "in" as const, dimension_ids: [id] });
const feel = choice("feel", [option("a", { points: { dry: 1 } }), option("b", { points: { oily: 2, calm: 2 } })]);
const spots = choice("spots", [option("x", { points: { dry: 5 } }), option("y")], { multiple: true });
const quiz = quizDocument(
  [
    page("p", [feel]),
    page("q", [spots], { visible_when: chosen("feel", "a") }),
    page("d", [], { kind: "result", outcome: { dimension_id: "dry" }, visible_when: wins("dry") }),
    page("o", [], { kind: "result", outcome: { dimension_id: "oily" }, visible_when: wins("oily") }),
  ],
  { dimensions: ["dry", "calm", "oily"].map((id) => ({ dimension_id: id, name: id })) },
);
const at = (given: Record<string, string[]>) => {
  const {
    ranks,
    winner,
    page: shown,
  } = standingFor(quiz, new Map(Object.entries(given).map(([key, option_ids]) => [key, { option_ids }])));
  return { winner, shown: shown?.index ?? null, ranks: ranks.map(({ name, total }) => `${name} ${total}`).join(", ") };
};

describe("what wins for the preview's answers [editor.wins]", () => {
  it("follows the points of pages that are shown, and the order of results that are level", () => {
    expect(at({})).toEqual({ winner: null, shown: null, ranks: "dry 0, calm 0, oily 0" });
    expect(at({ feel: ["a"], spots: ["x"] })).toEqual({ winner: "dry", shown: 2, ranks: "dry 6, calm 0, oily 0" });
    // the second question is hidden, and calm, which has no page, is level with oily and stands before it
    expect(at({ feel: ["b"], spots: ["x"] })).toEqual({ winner: "calm", shown: null, ranks: "calm 2, oily 2, dry 0" });
  });

  it("changes by ticks as a shopper would answer", () => {
    const none = new Map<string, AnswerValue>();
    const one = toggled(none, feel, "a");
    expect(one.get("feel")).toEqual({ option_ids: ["a"] });
    expect(toggled(one, feel, "b").get("feel")).toEqual({ option_ids: ["b"] });
    expect([...toggled(one, feel, "a")]).toEqual([]);
    const two = toggled(toggled(none, spots, "x"), spots, "y");
    expect(two.get("spots")).toEqual({ option_ids: ["x", "y"] });
    expect(toggled(two, spots, "x").get("spots")).toEqual({ option_ids: ["y"] });
    expect(none.size).toBe(0);
  });
});
