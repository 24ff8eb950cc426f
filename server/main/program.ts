import { Command, CommanderError } from "commander";
import { addUserCommands } from "../accounts/commands.ts";
import { addErasureCommands } from "../erasure/commands.ts";
import { addExportCommands } from "../exports/commands.ts";
import { addMcp } from "../mcp/public.ts";
import { addDataRequestCommands, addOrderImports } from "../orders/commands.ts";
import type { CommandRunner } from "../platform/command-line/commands.ts";
import { onOneLine, sentenceOf } from "../platform/command-line/print.ts";
import { LastingError, UsageError } from "../platform/operator-error.ts";
import { addMergeCommands } from "../profiles/commands.ts";
import { addQuizCommands } from "../quizzes/commands.ts";
import { addEventImport } from "../storefront/commands.ts";
import { addStoreCommands } from "../stores/commands.ts";
import { addListen } from "../webhooks/commands.ts";
import { addDatabaseCommands } from "./commands/database.ts";
import { addMigrate } from "./commands/migrate.ts";
import { addServerCommands } from "./commands/start.ts";
import { runCommand, runInTransaction } from "./commands/with.ts";
import { addDemoCommands } from "./demo/commands.ts";
import { disconnect } from "./disconnect.ts";
import { addDoctor } from "./doctor/command.ts";
import { programVersion } from "./version.ts";

/**
 * The single program: `quizstore COMMAND`. Exits with status 1 for a failure, 78 for one that starting again cannot end,
 * 2 for wrong usage and for values that are wrong whatever the database contains; each is reported in one line on
 * standard error.
 */

const wrongUsage = 2;
/** sysexits.h calls it EX_CONFIG; the systemd units do not start the program again after it [operations.start] */
const lasting = 78;

const tell = (sentence: string): void => void process.stderr.write(`quizstore: ${sentence}\n`);

/** commander's messages begin with "error: " and may add a suggestion on a second line */
const inOneLine = (text: string): string => onOneLine(text.trim().replace(/^error: /, ""));

function program(): Command {
  const command = new Command("quizstore")
    .description("Product quizzes for shops, and a REST API over their data")
    .version(programVersion)
    // the program's own --version comes before a command; after a command it is the command's own option, as in `quiz
    // preview`
    .enablePositionalOptions()
    .exitOverride()
    // help that nobody requested is replaced by our own line
    .configureOutput({ writeErr: () => undefined, outputError: (text) => tell(inOneLine(text)) });
  addServerCommands(command);
  addMigrate(command);
  addDatabaseCommands(command);
  const runner = { run: runCommand, runInTransaction };
  addStoreCommands(command, runner, disconnect);
  addUserCommands(command, runner);
  addQuizCommands(command, runner);
  addPeopleCommands(command, runner);
  const imports = command.command("import").description("history and catalog from elsewhere");
  addEventImport(imports, runner);
  addOrderImports(imports, runner);
  addDemoCommands(command);
  addExportCommands(command, runner);
  addListen(command, runner, async ({ config: { baseUrl } }) => {
    const [{ eventPayloads }, { VersionCache }] = await Promise.all([
      import("./event-payloads.ts"),
      import("../quizzes/public.ts"),
    ]);
    return eventPayloads({ baseUrl, versions: new VersionCache() });
  });
  addMcp(command, { key: process.env["QUIZSTORE_KEY"], version: programVersion });
  addDoctor(command);
  return command;
}

/** Commands of these slices for people; none of the slices is loaded before its command runs. */
function addPeopleCommands(command: Command, runner: CommandRunner): void {
  const person = command
    .command("person")
    .description("shoppers: erase, verify-erased, replay-erasures, merges, unmerge, data-request");
  addErasureCommands(person, runner, async (deps) => (await import("./erasure.ts")).erasureDeps(deps));
  addMergeCommands(person, runner, async () => (await import("../orders/ingest.ts")).rematchOrders);
  addDataRequestCommands(person, runner);
}

export async function runProgram(): Promise<void> {
  const command = program();
  const args = process.argv.slice(2);
  // without a command, it lists the commands [command-line.help]
  if (args.length === 0) {
    process.stdout.write(command.helpInformation());
    return;
  }
  try {
    await command.parseAsync();
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? wrongUse(command, args, error) : failure(error);
  }
}

/** commander has already reported the error, unless help was requested or is needed. */
function wrongUse(command: Command, args: readonly string[], { code, exitCode }: CommanderError): number {
  if (exitCode === 0) return 0;
  if (code === "commander.help") tell(onOneLine(whatIsMissing(command, args)));
  return wrongUsage;
}

/** For a group of commands named alone, or `help` for an unknown command. */
function whatIsMissing(program: Command, args: readonly string[]): string {
  const path = args.includes("help") ? args.toSpliced(args.indexOf("help"), 1) : args;
  let group = program;
  for (const name of path) {
    const next = group.commands.find((each) => each.name() === name);
    if (next === undefined) return `unknown command '${name}'`;
    group = next;
  }
  const [written, names] = [path.join(" "), group.commands.map((each) => each.name())];
  return `${written} needs one of ${names.join(", ")}; quizstore ${written} --help tells more`;
}

function failure(error: unknown): number {
  tell(inOneLine(sentenceOf(error)));
  if (error instanceof LastingError) return lasting;
  return error instanceof UsageError ? wrongUsage : 1;
}
