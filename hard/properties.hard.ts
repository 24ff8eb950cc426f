import { type HardRun, type HardSuite, sized } from "./suite.ts";
import { runTestFiles } from "./test-files.ts";

/** Tries often what `npm test` tries a few times: test files with `propertyRuns`. */

const files = [
  "server/profiles/search/compile.property.test.ts",
  "server/profiles/cut-requests.property.test.ts",
  "server/columnar-copy/columnar-copies.test.ts",
  "server/columnar-copy/both-ways.test.ts",
  "server/analytics/model.property.test.ts",
];

export const suite: HardSuite = {
  name: "properties",
  what: "the properties of people, their search, figures and the columnar copy, tried twenty times as often as by npm test",
  short: 0.1,
  run: runProperties,
};

async function runProperties(run: HardRun): Promise<readonly string[]> {
  const times = sized(run, 20);
  const settings = { TEST_RUNS: String(times), TEST_SLOWNESS: String(times) };
  const { counts, failures } = await runTestFiles(run, files, settings);
  run.say(`each ${times} times as often: ${counts}`);
  return failures;
}
