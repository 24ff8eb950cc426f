import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, setPriority, tmpdir } from "node:os";
import { join, relative } from "node:path";

/**
 * `npm test`: types, style, imports, dead code, then every test. The last line counts them: `N passed, N failed`.
 * `npm test -- --suite` runs the tests alone; further words go to vitest, such as a path.
 *
 * With CI=true, files in which something failed run once more, by themselves: machines of CI stall for seconds at times.
 * What passes then counts as passed, and is named as unsteady.
 */

interface Counts {
  passed: number;
  failed: number;
}

const bin = (name: string) => join(import.meta.dirname, "../node_modules/.bin", name);
const root = join(import.meta.dirname, "..");

/** @param nice what is left of the processors is enough for it */
function run(command: string, args: readonly string[], nice = false): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(bin(command), args, { cwd: root, stdio: "inherit" });
    if (nice && child.pid !== undefined) setPriority(child.pid, 10);
    child.on("error", (error) => {
      process.stderr.write(`${command}: ${error.message}\n`);
      resolve(1);
    });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

/** Several at once would each look at what they share: twice the processor time, beside tests that want it. */
const oneChecker = (project: string): string[] => ["--checkers", "1", "-p", project];

const checks: readonly { name: string; command: string; args: readonly string[] }[] = [
  { name: "types", command: "tsc", args: oneChecker(".") },
  { name: "types with the DOM", command: "tsc", args: oneChecker("player") },
  { name: "types of the client", command: "tsc", args: oneChecker("client") },
  { name: "types of the dashboard", command: "tsc", args: oneChecker("dashboard") },
  { name: "style", command: "biome", args: ["check", "--error-on-warnings", "."] },
  {
    name: "imports",
    command: "depcruise",
    args: [
      "--config",
      ".dependency-cruiser.cjs",
      "contract",
      "engine",
      "client",
      "dashboard",
      "player",
      "server",
      "demo",
      "testkit",
      "journeys",
      "bench",
      "hard",
      "scripts",
    ],
  },
  { name: "dead code", command: "knip", args: [] },
];

async function runCheck({ name, command, args }: (typeof checks)[number]): Promise<boolean> {
  const started = performance.now();
  const passed = (await run(command, args, true)) === 0;
  process.stdout.write(
    `${passed ? "ok    " : "FAILED"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`,
  );
  return passed;
}

/** All at once: most use one processor only, and none prints anything unless it finds something. */
async function runChecks(): Promise<Counts> {
  const passed = (await Promise.all(checks.map(runCheck))).filter((held) => held).length;
  return { passed, failed: checks.length - passed };
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  success: boolean;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

async function vitest(words: readonly string[]): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), "quizstore-report-"));
  const file = join(folder, "report.json");
  try {
    // two more than there are processors: tests wait for programs, clocks and the database half of their time
    const workers = String(availableParallelism() + 2);
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    await run("vitest", ["run", "--maxWorkers", workers, ...reporters, ...words]);
    return JSON.parse(await readFile(file, "utf8")) as Report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every test that failed, and every file that could not even be loaded, with the first lines of why. */
function failuresIn({ testResults }: Report): { file: string; text: string }[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((result) => result.status === "failed");
    if (failed.length === 0 && status === "failed") return [{ file: name, text: firstLines(message) }];
    return failed.map((test) => ({
      file: name,
      text: `${test.fullName}\n${firstLines(test.failureMessages.join("\n"))}`,
    }));
  });
}

const firstLines = (text: string): string => text.split("\n", 6).join("\n");

async function runSuite(words: readonly string[]): Promise<Counts> {
  try {
    const report = await vitest(words);
    const failures = failuresIn(report);
    // a file that could not even be loaded has no failed test, yet fails the run
    const failed = report.numFailedTests || (report.success ? 0 : Math.max(1, report.numFailedTestSuites));
    const counts = { passed: report.numPassedTests, failed };
    if (failed === 0) return counts;
    const files = [...new Set(failures.map(({ file }) => file))];
    if (process.env["CI"] !== "true" || files.length === 0 || files.length > 3) return told(counts, "FAILED", failures);
    const again = await vitest(files);
    if (!again.success) return told(counts, "FAILED", [...failures, ...failuresIn(again)]);
    return told({ passed: counts.passed + failed, failed: 0 }, "unsteady: failed, then passed", failures);
  } catch (error) {
    process.stderr.write(`the tests left no report: ${(error as Error).message}\n`);
    return { passed: 0, failed: 1 };
  }
}

/** At the end of the output, where they are looked for. */
function told(counts: Counts, verdict: string, failures: readonly { file: string; text: string }[]): Counts {
  for (const { file, text } of failures) process.stdout.write(`${verdict}: ${relative(root, file)}: ${text}\n`);
  return counts;
}

const words = process.argv.slice(2);
const suiteOnly = words[0] === "--suite";
// the checks beside the tests, which begin with those that wait most
const [checked, tested] = await Promise.all([
  suiteOnly ? { passed: 0, failed: 0 } : runChecks(),
  runSuite(suiteOnly ? words.slice(1) : words),
]);
const failed = checked.failed + tested.failed;
process.stdout.write(`${checked.passed + tested.passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
