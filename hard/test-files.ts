import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { HardRun } from "./suite.ts";

/**
 * Runs test files like `npm test -- --suite FILES`, each once; returns the last line, and the end of the output if one
 * failed.
 */
export async function runTestFiles(
  run: HardRun,
  files: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ counts: string; failures: readonly string[] }> {
  const test = spawn(process.execPath, [join(run.program, "scripts/test.ts"), "--suite", ...files], {
    cwd: run.program,
    env: { ...process.env, CI: "", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  run.atEnd(() => test.kill());
  let said = "";
  test.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const [status] = await once(test, "close");
  // the last line counts the tests
  const counts = said.trimEnd().split("\n").at(-1) ?? "";
  return { counts, failures: status === 0 ? [] : [said.slice(-5_000)] };
}
