import { enableCompileCache } from "node:module";
import { join } from "node:path";

// caches compiled code between commands; a folder that cannot be written is ignored
enableCompileCache(join(import.meta.dirname, "../../node_modules/.cache/quizstore"));
const { runProgram } = await import("./program.ts");
await runProgram();
