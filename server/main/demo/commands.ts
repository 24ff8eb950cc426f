import type { Command } from "commander";
import { type StoreOption, withStoreOption } from "../../platform/command-line/commands.ts";
import { inStoreNamed } from "../../stores/public.ts";
import { runCommand } from "../commands/with.ts";

export function addDemoCommands(program: Command): void {
  withStoreOption(program.command("demo"))
    .description("put the demo's quizzes into a store and send simulated shoppers through them")
    .option("--days <n>", "days of history", "30")
    .option("--sessions <n>", "sessions in all", "3000")
    .option("--seed <n>", "the same seed gives the same shoppers", "1")
    .action((options: StoreOption & { days: string; sessions: string; seed: string }) =>
      runCommand(options, (opened) =>
        inStoreNamed(opened, options.store, async () => (await import("./run-demo.ts")).runDemo(opened, options)),
      ),
    );
  program
    .command("simulate")
    .description("send simulated shoppers over HTTP to a running server")
    .requiredOption("--url <url>", "such as http://localhost:8080")
    .requiredOption("--store <publishable key>", "pub_ and 32 hexadecimal characters")
    .option("--rate <n>", "sessions a second", "5")
    .option("--seconds <n>", "how long", "10")
    .option("--seed <n>", "the same seed gives the same shoppers", "1")
    .option("--data <dir>", "not used: everything goes over HTTP")
    .option("--json", "print the result as one JSON document")
    .action(async (options) => (await import("./simulate.ts")).simulate(options));
}
