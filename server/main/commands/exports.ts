import { type Command, Option } from "commander";
import { exportDatasets, exportFormats } from "../../../contract/exports.ts";
import { type CommonOptions, withCommonOptions } from "../../platform/command-line/commands.ts";
import type { CreateOptions, DownloadOptions } from "../export-work.ts";
import { runCommand } from "./with.ts";

/** Loaded when one of the commands runs. */
const work = () => import("../export-work.ts");

export function addExportCommands(program: Command): void {
  const exports = program
    .command("export")
    .description("files of people, responses and analytics: create, list, download");
  withCommonOptions(exports.command("create"))
    .description("request a file; a running server or worker builds it")
    .requiredOption("--store <store>", "id or shop domain")
    .addOption(new Option("--dataset <dataset>").choices(exportDatasets).makeOptionMandatory())
    .addOption(new Option("--format <format>").choices(exportFormats).default("csv"))
    .option("--from <day>", "first day, YYYY-MM-DD")
    .option("--to <day>", "last day")
    .option("--tz <zone>", "IANA zone of these days (default: UTC)")
    .option("--quiz <quiz_id>", "of this quiz alone")
    .option("--search <file>", "JSON of a people search: of these people alone")
    .option("--wait", "return when the file is there; progress goes to standard error")
    .action((options: CommonOptions & CreateOptions) =>
      runCommand(options, async (opened) => (await work()).createExport(opened, options)),
    );
  withCommonOptions(exports.command("list"))
    .description("the 100 newest exports of a store, expired ones too")
    .requiredOption("--store <store>", "id or shop domain")
    .action((options: CommonOptions & { store: string }) =>
      runCommand(options, async (opened) => (await work()).listNewest(opened, options.store)),
    );
  withCommonOptions(exports.command("download").argument("<export_id>"))
    .description("save a completed export's file and check it; progress goes to standard error")
    .requiredOption("--store <store>", "id or shop domain")
    .option("--out <file>", "where to (default: dataset and day, here)")
    .option("--force", "replace a file that is there")
    .action((exportId: string, options: CommonOptions & DownloadOptions) =>
      runCommand(options, async (opened) => (await work()).downloadExport(opened, exportId, options)),
    );
}
