import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { QuizDocument } from "../../../engine/document.ts";
import { jumpWhere } from "../../../testkit/document-parts.ts";
import { type EditorMove, editorMoves, type Rest } from "../../../testkit/editor-moves.ts";
import { sampleQuiz } from "../../../testkit/sample-quiz.ts";
import { newHistory, pause, perform, redo, undo } from "./history.ts";

/** With several of everything, so that everything can be moved. */
function richQuiz(): QuizDocument {
  const document = sampleQuiz();
  document.jump_rules.push(jumpWhere("fine", ["oil", "result"], "feel", "fine"));
  return document;
}

/** Undo and redo by copies of everything. */
class PlainEditor {
  document: QuizDocument = richQuiz();
  #before: QuizDocument[] = [];
  #after: QuizDocument[] = [];
  act(move: EditorMove, rest: Rest): void {
    const copy = structuredClone(this.document);
    move.plain(copy, rest);
    if (JSON.stringify(copy) === JSON.stringify(this.document)) return;
    this.#before.push(this.document);
    this.#after = [];
    this.document = copy;
  }
  undo(): void {
    const before = this.#before.pop();
    if (!before) return;
    this.#after.push(this.document);
    this.document = before;
  }
  redo(): void {
    const after = this.#after.pop();
    if (!after) return;
    this.#before.push(this.document);
    this.document = after;
  }
}

const small = fc.nat(40);
const names = Object.keys(editorMoves);
const step = fc.tuple(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    { weight: 2, arbitrary: fc.constant("undo") },
    { weight: 1, arbitrary: fc.constant("redo") },
  ),
  fc.tuple(small, small, small, small),
);

describe("edits", () => {
  it("end in the document that a plain model says, with undo and redo between them [editor.undo]", () => {
    const done = new Set<string>();
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        let history = newHistory<QuizDocument>(richQuiz());
        const plain = new PlainEditor();
        for (const [name, rest] of steps) {
          if (name === "undo") {
            history = undo(history);
            plain.undo();
          } else if (name === "redo") {
            history = redo(history);
            plain.redo();
          } else {
            const move = editorMoves[name]!;
            const before = history.document;
            const frozen = JSON.stringify(before);
            const edit = move.edit(before, rest);
            const next = perform(history, edit);
            // an edit that sets what is there already is a step of its own, which the plain model does not count
            const same = JSON.stringify(next.document) === frozen;
            if (!same) {
              history = pause(next);
              done.add(name);
            }
            plain.act(move, rest);
            expect(JSON.stringify(before)).toBe(frozen);
          }
          expect(history.document).toEqual(plain.document);
        }
        const end = history.document;
        const taken = history.done.length;
        for (let n = 0; n < taken; n += 1) history = undo(history);
        expect(history.document).toEqual(richQuiz());
        for (let n = 0; n < taken; n += 1) history = redo(history);
        expect(history.document).toEqual(end);
      }),
      { numRuns: 500 },
    );
    // every operation was done for once at least
    expect([...done].sort()).toEqual([...names].sort());
  });
});
