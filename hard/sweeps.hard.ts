import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HardRun, HardSuite } from "./suite.ts";
import { runTestFiles } from "./test-files.ts";

/**
 * Every screen in every look, every field and every hostile text, other people's runtimes and tools: `*.hard.test.ts` outside of
 * `journeys/`, and the cases of other test files that `npm test` leaves out (`testkit/sweeps.ts`).
 */

export const suite: HardSuite = {
  name: "sweeps",
  what: "every screen in every look and with extreme names, every field of the editor, every hostile text in every field, other runtimes and tools: each whole, at any scale",
  short: 1,
  run: runSweeps,
};

async function runSweeps(run: HardRun): Promise<readonly string[]> {
  const all = globSync("{dashboard,journeys,player,server}/**/*.test.ts", { cwd: run.program }).sort();
  const isSwept = (file: string): boolean =>
    file.endsWith(".hard.test.ts")
      ? !file.startsWith("journeys/")
      : readFileSync(join(run.program, file), "utf8").includes("/testkit/sweeps.ts");
  const files = all.filter(isSwept);
  if (files.length === 0) return ["there are none"];
  // as with `npm test`, files that fail on a CI machine run once more
  const settings = { CI: process.env["CI"] ?? "", TEST_SWEEPS: "others" };
  const { counts, failures } = await runTestFiles(run, files, settings);
  run.say(`${files.length} files: ${counts}`);
  return failures;
}
