import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { dearDocuments, withFindings } from "../testkit/dear-documents.ts";
import type { DocumentCost } from "../testkit/document-cost-process.ts";
import { changesAtMost, differenceOf } from "./difference.ts";
import { findingsAtMost, lint } from "./lint.ts";

/** Some 10 ns each: about 20 ms. */
const blocksAStep = 2_000_000;

describe("documents that are dear for their size", () => {
  let costs: readonly DocumentCost[];
  beforeAll(() => {
    const script = join(import.meta.dirname, "../testkit/document-cost-process.ts");
    const options = { encoding: "utf8", maxBuffer: 1e8 } as const;
    costs = JSON.parse(execFileSync(process.execPath, ["--no-opt", "--no-flush-bytecode", script], options));
  }, 240_000);

  it.each([...dearDocuments.keys()])(
    "are checked, linted and compared in proportion to their size, in short steps: %s [quiz-documents.cost]",
    (name) => {
      const cost = costs.find((each) => each.name === name);
      for (const [work, { whole, half }] of Object.entries(cost?.blocks ?? {}))
        expect([work, whole / half]).toEqual([work, expect.toSatisfy((times: number) => times < 2.3)]);
      expect(Object.keys(cost?.blocks ?? {})).toHaveLength(3);
      for (const blocks of Object.values(cost?.longestStep ?? {})) expect(blocks).toBeLessThan(blocksAStep);
    },
  );
});

it("lists no more findings and changes than an author reads [quiz-documents.cost]", () => {
  expect(lint(withFindings(1))).toHaveLength(findingsAtMost);
  expect(differenceOf(withFindings(1), withFindings(1, "other"))).toHaveLength(changesAtMost);
});
