import type { Command } from "commander";
import { type CommandRunner, type StoreOption, withStoreOption } from "../platform/command-line/commands.ts";
import { runImport } from "../platform/command-line/import-lines.ts";
import { inStoreNamed, storeNamed } from "../stores/public.ts";

/** Loaded when one of the commands runs. */
const work = () => import("./import-files.ts");

/** @param imports the command group `quizstore import` */
export function addOrderImports(imports: Command, runner: CommandRunner): void {
  withStoreOption(imports.command("orders").argument("<file>", "NDJSON: one Shopify order payload a line"))
    .description("take in orders from before the connection; the newest of each counts")
    .option("--emit", "as for events; orders cause no webhooks of their own")
    .action((file: string, options: StoreOption) =>
      runImport(runner, options, (deps) =>
        inStoreNamed(deps, options.store, async () => (await work()).importOrderFile(deps, file, options.store)),
      ),
    );
  withStoreOption(imports.command("products").argument("<file>", "NDJSON: one Shopify product payload a line"))
    .description("fill the catalog from before the connection")
    .action((file: string, options: StoreOption) =>
      runImport(runner, options, (deps) =>
        inStoreNamed(deps, options.store, async () => (await work()).importProductFile(deps, file, options.store)),
      ),
    );
  withStoreOption(
    imports
      .command("collections")
      .argument("<file>", "NDJSON: {collection_id, handle, title, product_ids}, one collection a line"),
  )
    .description("take in collections; each gets the products of its line instead of those that it had")
    .action((file: string, options: StoreOption) =>
      runImport(runner, options, (deps) =>
        inStoreNamed(deps, options.store, async () => (await work()).importCollectionFile(deps, file, options.store)),
      ),
    );
}

/** @param person the command group `quizstore person` */
export function addDataRequestCommands(person: Command, { run }: CommandRunner): void {
  const request = person
    .command("data-request")
    .description("customers' requests for the data stored about them: list, answer");
  withStoreOption(request.command("list"))
    .description("list the requests, answered or not; the newest 1,000")
    .action((options: StoreOption) =>
      run(options, async ({ database }) => {
        const { id } = await storeNamed(database.reader(), options.store);
        return (await import("./requests.ts")).listDataRequests(database.reader().forStore(id));
      }),
    );
  withStoreOption(request.command("answer").argument("<request_id>"))
    .description("write everything that is stored about a customer into a new file, and close the request")
    .requiredOption("--out <file>", "JSON; for the customer's eyes only")
    .action((requestId: string, options: StoreOption & { out: string }) =>
      run(options, (deps) =>
        inStoreNamed(deps, options.store, async (store) => {
          const { answerDataRequest } = await import("./data-requests.ts");
          return answerDataRequest(deps, store, { requestId, out: options.out });
        }),
      ),
    );
}
