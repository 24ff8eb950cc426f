import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

/** What `npm test` tries a few times, tried often: files of tests by `propertyRuns`. */

const files = [
  "server/profiles/search/compile.property.test.ts",
  "server/profiles/cut-requests.property.test.ts",
  "server/columnar-copy/columnar-copies.test.ts",
];

export const suite: HardSuite = {
  name: "properties",
  what: "the properties of people, their search and the columnar copy, tried ten times as often as by npm test",
  short: 0.1,
  run: runProperties,
};

async function runProperties(run: HardRun): Promise<readonly string[]> {
  const times = sized(run, 10);
  const test = spawn(process.execPath, [join(run.program, "scripts/test.ts"), "--suite", ...files], {
    cwd: run.program,
    env: { ...process.env, TEST_RUNS: String(times), TEST_SLOWNESS: String(times), CI: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  run.atEnd(() => test.kill());
  let said = "";
  test.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const [status] = await once(test, "close");
  // the last line counts the tests
  run.say(`each ${times} times as often: ${said.trimEnd().split("\n").at(-1)}`);
  return status === 0 ? [] : [said.slice(-5_000)];
}
