import { type Command, InvalidArgumentError } from "commander";
import { withCommonOptions } from "../../platform/command-line/commands.ts";
import type { Part, ServerOptions } from "../run-server.ts";

/** A server's modules take a while to load, so only the commands that serve load them. */
const run = async (options: ServerOptions, parts: readonly Part[], embedded: boolean): Promise<void> =>
  (await import("../run-server.ts")).runServer(options, parts, embedded);

function portNumber(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError("It must be a whole number from 0 to 65535.");
  return text;
}

export function addServerCommands(program: Command): void {
  withCommonOptions(program.command("start"))
    .description("API, storefront, worker and embedded database in one go")
    .option("--port <n>", "port to listen on, 0 picks one (default: PORT, else 8080)", portNumber)
    .option("--demo", "add the demo shop; an empty data directory gets it anyway")
    .option("--no-demo", "never add the demo shop")
    .action((options: ServerOptions) => run(options, ["api", "worker"], true));
  withCommonOptions(program.command("serve"))
    .description("API and storefront alone; needs DATABASE_URL")
    .option("--port <n>", "port to listen on, 0 picks one (default: PORT, else 8080)", portNumber)
    .action((options: ServerOptions) => run(options, ["api"], false));
  withCommonOptions(program.command("work"))
    .description("due work alone: idle sessions, webhooks, exports, retention; needs DATABASE_URL")
    .action((options: ServerOptions) => run(options, ["worker"], false));
}
