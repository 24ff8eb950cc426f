import { Session } from "node:inspector/promises";
import type { Steps } from "../engine/steps.ts";
import { dearDocuments } from "./dear-documents.ts";

/**
 * Counts how often blocks of the engine's functions run for documents that are dear for their size: the same numbers on
 * every machine, where times differ. A process of its own, because only functions are counted block by block that are
 * compiled after counting began. Run with `--no-opt --no-flush-bytecode`; prints JSON.
 */
export interface DocumentCost {
  name: string;
  /** blocks by kind of work, for the document and for one half as large */
  blocks: Record<string, { whole: number; half: number }>;
  /** blocks of the longest step by kind of work */
  longestStep: Record<string, number>;
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const { checkDocument } = await import("../engine/check.ts");
const { compileQuiz } = await import("../engine/compile-quiz.ts");
const { differenceOf, differenceSteps } = await import("../engine/difference.ts");
const { lint, lintSteps } = await import("../engine/lint.ts");

async function take(): Promise<number> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ranges = result
    .filter(({ url }) => url.includes("/engine/"))
    .flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

async function count(work: () => unknown): Promise<number> {
  await take();
  work();
  return take();
}

async function longest(steps: Steps<unknown>): Promise<number> {
  let most = 0;
  for (let isDone = false; !isDone; ) {
    const run = await count(() => {
      isDone = steps.next().done === true;
    });
    most = Math.max(most, run);
  }
  return most;
}

const works: Record<string, (document: object, changed: object) => unknown> = {
  check: (document) => checkDocument(document),
  lint: (document) => lint(document),
  difference: differenceOf,
};
const costs: DocumentCost[] = [];
// A function's first calls are counted in more blocks than later ones, which would weigh on the first document alone.
const [first] = dearDocuments.values();
for (const run of Object.values(works)) run(first?.(0.5) ?? {}, first?.(0.5, "other") ?? {});
for (const [name, make] of dearDocuments) {
  const cost: DocumentCost = { name, blocks: {}, longestStep: {} };
  for (const [work, run] of Object.entries(works)) {
    const [whole, half] = [1, 0.5].map((size) => [make(size), make(size, "other")] as const);
    if (!whole || !half) continue;
    cost.blocks[work] = { whole: await count(() => run(...whole)), half: await count(() => run(...half)) };
  }
  cost.longestStep["lint"] = await longest(lintSteps(make(1)));
  cost.longestStep["difference"] = await longest(differenceSteps(make(1), make(1, "other")));
  const checked = checkDocument(make(1));
  if (checked.ok) cost.longestStep["compile"] = await count(() => compileQuiz(checked.document));
  costs.push(cost);
}
process.stdout.write(JSON.stringify(costs));
