import type { Command } from "commander";
import { type CommandDeps, type CommandRunner, withStoreOption } from "../platform/command-line/commands.ts";
import type { PayloadBuilders } from "../platform/event-payloads.ts";
import type { ListenOptions } from "./listen.ts";

/** @param builders loads the payload builders of every topic; called when the command runs */
export function addListen(
  program: Command,
  { run }: CommandRunner,
  builders: (deps: CommandDeps) => Promise<PayloadBuilders>,
): void {
  withStoreOption(program.command("listen"))
    .description("print a store's events as they happen, and forward them to a receiver that you are writing")
    .option("--forward <url>", "where to post them, signed, such as http://localhost:3000/hook")
    .option("--topics <list>", "only these, with commas between")
    .option("--include-pii", "with emails and phones")
    .action((options: ListenOptions) => {
      const stop = new AbortController();
      const work = async (deps: CommandDeps) => {
        const { listen } = await import("./listen.ts");
        await listen({ ...deps, builders: await builders(deps) }, options, stop.signal);
      };
      return run(options, work, stop);
    });
}
