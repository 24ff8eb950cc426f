#!/usr/bin/env node
// Runs the program with the Node that the lock file pins, whichever Node started this file [operations.start]. It may be linked to
// from any folder of a PATH, so that nobody needs npx to reach it [command-line.npx].
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "server/main/quizstore.ts");
const pinned = join(root, "node_modules/.bin/node");
const node = existsSync(pinned) ? pinned : process.execPath;
const given = process.argv.slice(2);
// V8's young generation: a larger one is collected less often, but each time holds every request up for longer
const [flags, memory] =
  given[0] === "work"
    ? [["--max-semi-space-size=16", "--max-old-space-size=1024"], { MALLOC_ARENA_MAX: "2" }]
    : [["--max-semi-space-size=16"], {}];
// a load of the columnar copy and two questions hold a thread each: four, the default, would leave files and DNS waiting
const env = { UV_THREADPOOL_SIZE: "8", ...memory, ...process.env };
const child = spawn(node, [...flags, program, ...given], { stdio: "inherit", env });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// npx that was ended without its shell leaves this one behind: nobody could stop it any more
const parent = process.ppid;
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 1_000).unref();
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exit(code ?? 1);
});
