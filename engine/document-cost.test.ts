import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type BlockCounter, openBlockCounter } from "../testkit/count-blocks.ts";
import { dearDocuments, withFindings } from "../testkit/dear-documents.ts";
import type { Steps } from "./steps.ts";

let counter: BlockCounter;
let engine: typeof import("./check.ts") &
  typeof import("./lint.ts") &
  typeof import("./difference.ts") &
  typeof import("./compile-quiz.ts");
beforeAll(async () => {
  counter = await openBlockCounter("/engine/");
  vi.resetModules();
  engine = {
    ...(await import("./check.ts")),
    ...(await import("./lint.ts")),
    ...(await import("./difference.ts")),
    ...(await import("./compile-quiz.ts")),
  };
});
afterAll(() => counter.close());

/** The blocks that the longest step runs. */
async function longestStep(steps: Steps<unknown>): Promise<number> {
  let longest = 0;
  for (let isDone = false; !isDone; ) {
    const run = await counter.count(() => {
      isDone = steps.next().done === true;
    });
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Some 10 ns each: about 20 ms. */
const blocksAStep = 2_000_000;

describe.each([...dearDocuments])("%s", (_name, make) => {
  it("are checked, linted and compared in proportion to their size, in short steps [quiz-documents.cost]", async () => {
    const { checkDocument, compileQuiz, differenceOf, differenceSteps, lint, lintSteps } = engine;
    const works: Record<string, (document: object, changed: object) => unknown> = {
      check: (document) => checkDocument(document),
      lint: (document) => lint(document),
      difference: differenceOf,
    };
    for (const [work, run] of Object.entries(works)) {
      // the first time, functions are compiled
      run(make(0.1), make(0.1, "other"));
      const whole = await counter.count(() => run(make(1), make(1, "other")));
      const half = await counter.count(() => run(make(0.5), make(0.5, "other")));
      expect([work, whole / half, whole]).toEqual([work, expect.toSatisfy((times: number) => times < 2.3), whole]);
    }
    expect(await longestStep(lintSteps(make(1)))).toBeLessThan(blocksAStep);
    expect(await longestStep(differenceSteps(make(1), make(1, "other")))).toBeLessThan(blocksAStep);
    const checked = checkDocument(make(1));
    if (checked.ok) expect(await counter.count(() => compileQuiz(checked.document))).toBeLessThan(blocksAStep);
  });
});

it("lists no more findings and changes than an author reads [quiz-documents.cost]", () => {
  const { changesAtMost, differenceOf, findingsAtMost, lint } = engine;
  expect(lint(withFindings(1))).toHaveLength(findingsAtMost);
  expect(differenceOf(withFindings(1), withFindings(1, "other"))).toHaveLength(changesAtMost);
});
