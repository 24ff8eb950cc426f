import { type Command, Option } from "commander";
import { csvStyles, exportDatasets, exportFormats, exportHeaders } from "../../contract/exports.ts";
import { type CommandRunner, type StoreOption, withStoreOption } from "../platform/command-line/commands.ts";
import { inStoreNamed } from "../stores/public.ts";
import type { CreateOptions, DownloadOptions } from "./command-work.ts";

/** Loaded when one of the commands runs. */
const work = () => import("./command-work.ts");

export function addExportCommands(program: Command, { run }: CommandRunner): void {
  const exports = program
    .command("export")
    .description("files of people, responses and analytics: create, list, download");
  withStoreOption(exports.command("create"))
    .description("request a file; a running server or worker builds it")
    .addOption(new Option("--dataset <dataset>").choices(exportDatasets).makeOptionMandatory())
    .addOption(new Option("--format <format>").choices(exportFormats).default("csv"))
    .addOption(new Option("--csv-style <style>", "plain: for programs, every value exactly").choices(csvStyles))
    .addOption(new Option("--headers <headers>", "texts: columns named by the questions").choices(exportHeaders))
    .option("--from <day>", "first day, YYYY-MM-DD")
    .option("--to <day>", "last day")
    .option("--tz <zone>", "IANA zone of these days (default: UTC)")
    .option("--quiz <quiz_id>", "of this quiz alone")
    .option("--search <file>", "JSON of a people search: of these people alone")
    .option("--wait", "return when the file is there; progress goes to standard error")
    .action((options: CreateOptions) =>
      run(options, (deps) => inStoreNamed(deps, options.store, async () => (await work()).createExport(deps, options))),
    );
  withStoreOption(exports.command("list"))
    .description("the 100 newest exports of a store, expired ones too")
    .action((options: StoreOption) =>
      run(options, (deps) =>
        inStoreNamed(deps, options.store, async () => (await work()).listNewest(deps, options.store)),
      ),
    );
  withStoreOption(exports.command("download").argument("<export_id>"))
    .description("save a completed export's file and check it; progress goes to standard error")
    .option("--out <file>", "where to (default: dataset and day, here)")
    .option("--force", "replace a file that is there")
    .action((exportId: string, options: DownloadOptions) =>
      run(options, (deps) =>
        inStoreNamed(deps, options.store, async () => (await work()).downloadExport(deps, exportId, options)),
      ),
    );
}
