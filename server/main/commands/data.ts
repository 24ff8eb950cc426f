import type { Command } from "commander";
import { type CommonOptions, withCommonOptions } from "../../platform/command-line/commands.ts";
import { OperatorError } from "../../platform/operator-error.ts";
import type { Opened } from "../foundations.ts";
import { runCommand } from "./with.ts";

interface StoreOption extends CommonOptions {
  store: string;
}

/** Loaded when one of the commands runs: it brings the whole intake with it. */
const work = () => import("../import-work.ts");

interface Imported {
  lines: { taken: number; refused: number };
  refused: readonly { line: number; detail: string }[];
}

/** Exit status 1 where a line was refused: what follows an import in a script has to know. */
async function importing(options: CommonOptions, run: (opened: Opened) => Promise<Imported>): Promise<void> {
  let refused = "";
  await runCommand(options, async (opened) => {
    const result = await run(opened);
    const { lines } = result;
    const [first] = result.refused;
    if (first) {
      const told = `${lines.refused} of ${lines.taken + lines.refused} lines were refused, the others were taken`;
      refused = `${told}; the first is line ${first.line}: ${first.detail}`;
    }
    return result;
  });
  if (refused !== "") throw new OperatorError(refused);
}

export function addDataCommands(program: Command): void {
  const imports = program.command("import").description("history and catalog from elsewhere");
  withCommonOptions(imports.command("events").argument("<file>", "NDJSON: one batch of storefront events a line"))
    .description("take in shopper events with their own times; no webhooks unless --emit")
    .requiredOption("--store <store>", "id or shop domain")
    .option("--emit", "let the events cause webhooks")
    .action((file: string, options: StoreOption & { emit?: boolean }) =>
      importing(options, async (opened) =>
        (await work()).importEvents(opened, file, options.store, options.emit ?? false),
      ),
    );
  withCommonOptions(imports.command("orders").argument("<file>", "NDJSON: one Shopify order payload a line"))
    .description("take in orders from before the connection; the newest of each counts")
    .requiredOption("--store <store>", "id or shop domain")
    .option("--emit", "as for events; orders cause no webhooks of their own")
    .action((file: string, options: StoreOption) =>
      importing(options, async (opened) => (await work()).importOrders(opened, file, options.store)),
    );
  withCommonOptions(imports.command("products").argument("<file>", "NDJSON: one Shopify product payload a line"))
    .description("fill the catalog from before the connection")
    .requiredOption("--store <store>", "id or shop domain")
    .action((file: string, options: StoreOption) =>
      importing(options, async (opened) => (await work()).importProducts(opened, file, options.store)),
    );
  withCommonOptions(program.command("demo"))
    .description("put the demo's quizzes into a store and send simulated shoppers through them")
    .requiredOption("--store <store>", "id or shop domain")
    .option("--days <n>", "days of history", "30")
    .option("--sessions <n>", "sessions in all", "3000")
    .option("--seed <n>", "the same seed gives the same shoppers", "1")
    .action((options: StoreOption & { days: string; sessions: string; seed: string }) =>
      runCommand(options, async (opened) => (await import("../data-work.ts")).runDemo(opened, options)),
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
    .action(async (options) => (await import("../simulate.ts")).simulate(options));
}
