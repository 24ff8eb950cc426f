import { enableCompileCache } from "node:module";
import { join } from "node:path";

// caches compiled code between commands; a folder that cannot be written is ignored
enableCompileCache(join(import.meta.dirname, "../../node_modules/.cache/quizstore"));
const { watchOutput } = await import("../platform/command-line/output.ts");
const outputFailure = watchOutput([process.stdout, process.stderr]);
const { runProgram } = await import("./program.ts");
await runProgram();
const failure = await outputFailure();
if (failure !== null) {
  process.stderr.write(`quizstore: the output could not be written: ${failure.message}\n`);
  process.exitCode = 1;
}
