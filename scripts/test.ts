import { spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, statfs } from "node:fs/promises";
import { availableParallelism, freemem, setPriority, tmpdir } from "node:os";
import { join, relative } from "node:path";

/**
 * `npm test`: types, style, imports, dead code, then every test except the hard ones. The last line counts them: `N
 * passed, N failed`. `npm test -- --suite` only runs the tests; further arguments, such as a path, are passed to
 * vitest.
 *
 * With CI=true, files with failures run once more, alone: CI machines stall for seconds at times. What passes then
 * counts as passed, and is reported as unsteady.
 */

interface Counts {
  passed: number;
  failed: number;
}

const bin = (name: string) => join(import.meta.dirname, "../node_modules/.bin", name);
const root = join(import.meta.dirname, "..");

interface How {
  /** runs at a lower priority */
  nice?: true;
  env?: NodeJS.ProcessEnv;
}

function run(command: string, args: readonly string[], { nice, env = {} }: How = {}): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(bin(command), args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
    if (nice && child.pid !== undefined) setPriority(child.pid, 10);
    child.on("error", (error) => {
      process.stderr.write(`${command}: ${error.message}\n`);
      resolve(1);
    });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

/** Several checkers would each analyse the shared files: twice the processor time, which the tests need. */
const oneChecker = (project: string): string[] => ["--checkers", "1", "-p", project];

/** For tsc: it collects garbage less often, a quarter less of its processor time for a tenth more memory. */
const checkerEnv = { GOGC: "400" };

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
  const passed = (await run(command, args, { nice: true, env: checkerEnv })) === 0;
  process.stdout.write(
    `${passed ? "ok    " : "FAILED"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`,
  );
  return passed;
}

/** Runs all at once: most use one processor only, and none prints anything unless it finds something. */
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

/**
 * They wait for leases, restarts and retries for minutes, so they only run by `npm run test:hard`, or if they or their
 * folder are named.
 */
const hardTests = "**/*.hard.test.ts";

const memory = "/dev/shm";
/** tests never need more than half of it */
const enoughMemory = 6 * 2 ** 30;

/**
 * Data directories and databases have more than a thousand files each, which take a tenth of the processor time if they
 * are in memory.
 */
async function temporaryFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  if (Math.min(bavail * bsize, freemem()) < enoughMemory) return tmpdir();
  // in containers it is often mounted noexec
  const mounts = (await readFile("/proc/mounts", "utf8")).split("\n").map((line) => line.split(" "));
  const options = mounts.findLast(([, place]) => place === memory)?.[3] ?? "noexec";
  return options.split(",").includes("noexec") ? tmpdir() : memory;
}

async function vitest(words: readonly string[]): Promise<Report> {
  const folder = await mkdtemp(join(await temporaryFolder(), "quizstore-tests-"));
  const file = join(folder, "report.json");
  // like any folder for temporary files: some programs of the tests run as another user
  await chmod(folder, 0o1777);
  try {
    // two more than there are processors: half of the time, tests wait for programs, clocks and the database
    const workers = String(availableParallelism() + 2);
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const env = { TMPDIR: folder, NODE_COMPILE_CACHE: join(root, "node_modules/.cache/quizstore-tests") };
    const left = words.length === 0 ? ["--exclude", hardTests] : [];
    await run("vitest", ["run", "--maxWorkers", workers, ...reporters, ...left, ...words], { env });
    return JSON.parse(await readFile(file, "utf8")) as Report;
  } finally {
    await removed(folder);
  }
}

/** A program that ends late may still write into it, which must not cost the report. */
async function removed(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
  } catch (error) {
    process.stderr.write(`the folder for temporary files is left behind: ${(error as Error).message}\n`);
  }
}

/** Every failed test, and every file that could not be loaded, with the first lines of the error. */
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
    // a file that could not be loaded has no failed test, yet fails the run
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

/** Prints failures at the end of the output, where people look for them. */
function told(counts: Counts, verdict: string, failures: readonly { file: string; text: string }[]): Counts {
  for (const { file, text } of failures) process.stdout.write(`${verdict}: ${relative(root, file)}: ${text}\n`);
  return counts;
}

const words = process.argv.slice(2);
const suiteOnly = words[0] === "--suite";
// the checks run alongside the tests, which start with those that mostly wait
const [checked, tested] = await Promise.all([
  suiteOnly ? { passed: 0, failed: 0 } : runChecks(),
  runSuite(suiteOnly ? words.slice(1) : words),
]);
const failed = checked.failed + tested.failed;
process.stdout.write(`${checked.passed + tested.passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
