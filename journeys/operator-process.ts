import { runProgram } from "../server/main/program.ts";
import type { Asked, Done } from "./operator.ts";

/** The program's command line in a process that runs one command after another, which `operator.ts` sends. */

interface Printed {
  stdout: string;
  stderr: string;
}

/** Captures the output instead of writing it. */
async function printedBy(work: () => Promise<void>): Promise<Printed> {
  const printed: Printed = { stdout: "", stderr: "" };
  const streams = (["stdout", "stderr"] as const).map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (chunk: string | Uint8Array): boolean => {
      printed[name] += String(chunk);
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  try {
    await work();
  } finally {
    for (const restore of streams) restore();
  }
  return printed;
}

async function perform({ id, args, env }: Asked): Promise<Done> {
  process.env = { ...env };
  process.argv = [...process.argv.slice(0, 2), ...args];
  process.exitCode = 0;
  const printed = await printedBy(runProgram);
  return { id, status: Number(process.exitCode), ...printed };
}

// a command listens for signals for the lifetime of its process, which here runs many
process.setMaxListeners(0);

let last: Promise<unknown> = Promise.resolve();
process.on("message", (asked: Asked) => {
  last = last.then(async () => process.send?.(await perform(asked)));
});
process.on("disconnect", () => process.exit());
