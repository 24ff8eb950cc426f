import { describe, expect, it } from "vitest";
import { checkDocument } from "../../../engine/check.ts";
import { circles } from "../../../engine/check-circles.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import { choice, chosen, option, page, quizDocument } from "../../../testkit/document-parts.ts";
import { applyChange } from "./change.ts";
import { setPageKind } from "./edits.ts";
import type { Edit } from "./history.ts";
import { keysFor } from "./keys.ts";
import { addResult, addResultPages, resultsWithoutPage, setOutcome } from "./results.ts";

const done = (document: QuizDocument, { changes }: Edit): QuizDocument =>
  changes.reduce((now, change) => applyChange(now, change).document, document);
const dry = { dimension_id: "dry", name: "Dry" };
const oily = { dimension_id: "oily", name: "Oily" };
const wins = (id: string) => ({ kind: "winner", op: "in", dimension_ids: [id] });
const asks = page("skin", [
  choice("feel", [option("a", { points: { dry: 1 } }), option("b", { points: { oily: 1 } })]),
]);
const quiz = quizDocument([asks, page("all", [], { kind: "result" })], { dimensions: [dry, oily] });
const keys = keysFor(quiz, [], Math.random);
const isSound = (document: QuizDocument): void => {
  expect(checkDocument(document)).toEqual({ ok: true, document });
  expect(circles(document)).toEqual([]);
};

describe("pages of results [editor.result-pages]", () => {
  it("come with a new result in one step, before the page for everybody", () => {
    const after = done(quiz, addResult(quiz, keys));
    isSound(after);
    const [, , added] = after.dimensions;
    expect(after.pages.map(({ kind, outcome }) => [kind, outcome?.dimension_id])).toEqual([
      ["question", undefined],
      ["result", added?.dimension_id],
      ["result", undefined],
    ]);
    expect(after.pages[1]?.visible_when).toEqual(wins(added?.dimension_id ?? ""));
  });

  it("are added for the results that have none", () => {
    const some = { ...quiz, pages: [asks, page("d", [], { kind: "result", outcome: { dimension_id: "dry" } })] };
    expect(resultsWithoutPage(some)).toEqual([oily]);
    const after = done(quiz, addResultPages(quiz, keys));
    isSound(after);
    expect(after.pages.slice(1, 3).map(({ title, visible_when }) => [title, visible_when])).toEqual([
      ["Dry", wins("dry")],
      ["Oily", wins("oily")],
    ]);
    expect(resultsWithoutPage(after)).toEqual([]);
  });

  it("follow the result that is chosen, unless their condition says something else", () => {
    const chose = done(quiz, setOutcome(quiz, 1, "dry"));
    isSound(chose);
    expect(chose.pages[1]).toMatchObject({ outcome: { dimension_id: "dry" }, visible_when: wins("dry") });
    const other = done(chose, setOutcome(chose, 1, "oily"));
    expect(other.pages[1]?.visible_when).toEqual(wins("oily"));
    const none = done(other, setOutcome(other, 1, null));
    expect(none.pages[1]).toMatchObject({ outcome: null, visible_when: null });
    const own = { ...quiz, pages: [asks, page("r", [], { kind: "result", visible_when: chosen("feel", "a") })] };
    expect(done(own, setOutcome(own, 1, "dry")).pages[1]?.visible_when).toEqual(chosen("feel", "a"));
  });

  it("lose their result with their kind", () => {
    const chose = done(quiz, setOutcome(quiz, 1, "dry"));
    const turned = done(chose, setPageKind(chose, 1, "content", null));
    isSound(turned);
    expect(turned.pages[1]).not.toHaveProperty("outcome");
  });
});
