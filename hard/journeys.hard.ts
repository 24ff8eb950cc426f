import { globSync } from "node:fs";
import type { HardRun, HardSuite } from "./suite.ts";
import { runTestFiles } from "./test-files.ts";

/**
 * Journeys about failures, which take minutes of waiting for leases, restarts and retries: `journeys/*.hard.test.ts`.
 */

export const suite: HardSuite = {
  name: "journeys",
  what: "programs, workers, databases, receivers and machines that are lost, releases beside each other, backups: each journey whole, at any scale",
  short: 1,
  run: runJourneys,
};

async function runJourneys(run: HardRun): Promise<readonly string[]> {
  const files = globSync("journeys/*.hard.test.ts", { cwd: run.program }).sort();
  if (files.length === 0) return ["there are none"];
  // as with `npm test`, files that fail on a CI machine run once more
  const { counts, failures } = await runTestFiles(run, files, { CI: process.env["CI"] ?? "" });
  run.say(`${files.length} journeys: ${counts}`);
  return failures;
}
