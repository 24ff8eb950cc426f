import type { Command } from "commander";
import { type CommonOptions, withCommonOptions } from "../../platform/command-line/commands.ts";
import type { Opened } from "../foundations.ts";
import type { ListenOptions } from "../listen-work.ts";
import { runCommand } from "./with.ts";

export function addListen(program: Command): void {
  withCommonOptions(program.command("listen"))
    .description("print a store's events as they happen, and forward them to a receiver that you are writing")
    .requiredOption("--store <store>", "id or shop domain")
    .option("--forward <url>", "where to post them, signed, such as http://localhost:3000/hook")
    .option("--topics <list>", "only these, with commas between")
    .option("--include-pii", "with emails and phones")
    .action((options: CommonOptions & ListenOptions) => {
      const stop = new AbortController();
      const work = async (opened: Opened) => {
        const { listen } = await import("../listen-work.ts");
        await listen(opened, options, stop.signal);
      };
      return runCommand(options, work, stop);
    });
}
