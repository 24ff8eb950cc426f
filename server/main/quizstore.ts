import { enableCompileCache } from "node:module";
import { join } from "node:path";

// what was compiled once need not be compiled at every command; a folder that cannot be written is passed over
enableCompileCache(join(import.meta.dirname, "../../node_modules/.cache/quizstore"));
const { runProgram } = await import("./program.ts");
await runProgram();
