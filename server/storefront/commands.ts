import type { Command } from "commander";
import { type CommandRunner, withStoreOption } from "../platform/command-line/commands.ts";
import { runImport } from "../platform/command-line/import-lines.ts";
import type { EventImportOptions } from "./import-events.ts";

/** @param imports the command group `quizstore import` */
export function addEventImport(imports: Command, runner: CommandRunner): void {
  withStoreOption(imports.command("events").argument("<file>", "NDJSON: one batch of storefront events a line"))
    .description("take in shopper events with their own times; no webhooks unless --emit")
    .option("--emit", "let the events cause webhooks")
    .action((file: string, options: EventImportOptions) =>
      runImport(runner, options, async (deps) => {
        // loaded here because it imports the whole intake
        const { importEvents } = await import("./import-events.ts");
        return importEvents(deps, file, options);
      }),
    );
}
