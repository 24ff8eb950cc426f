import { Command, CommanderError } from "commander";
import { addUserCommands } from "../accounts/commands.ts";
import { addErasureCommands } from "../erasure/commands.ts";
import { addExportCommands } from "../exports/commands.ts";
import { addMcp } from "../mcp/public.ts";
import { addDataRequestCommands, addOrderImports } from "../orders/commands.ts";
import type { CommandRunner } from "../platform/command-line/commands.ts";
import { onOneLine, sentenceOf } from "../platform/command-line/print.ts";
import { UsageError } from "../platform/operator-error.ts";
import { addMergeCommands } from "../profiles/commands.ts";
import { addQuizCommands } from "../quizzes/commands.ts";
import { addEventImport } from "../storefront/commands.ts";
import { addStoreCommands } from "../stores/commands.ts";
import { addListen } from "../webhooks/commands.ts";
import { addMigrate } from "./commands/migrate.ts";
import { addServerCommands } from "./commands/start.ts";
import { runCommand, runInTransaction } from "./commands/with.ts";
import { addDemoCommands } from "./demo/commands.ts";
import { disconnect } from "./disconnect.ts";
import { addDoctor } from "./doctor/command.ts";
import { programVersion } from "./version.ts";

/**
 * The one program: `quizstore COMMAND`. Exit status 1 for a failure, 2 for wrong usage and for values that are wrong
 * whatever the database holds; either is told in one line on standard error.
 */

const wrongUsage = 2;

const tell = (sentence: string): void => void process.stderr.write(`quizstore: ${sentence}\n`);

/** commander says what is wrong in a line that begins with "error: ", and may suggest something in a second one */
const inOneLine = (text: string): string => onOneLine(text.trim().replace(/^error: /, ""));

function program(): Command {
  const command = new Command("quizstore")
    .description("Product quizzes for shops, and a REST API over their data")
    .version(programVersion)
    // the program's own --version stands before a command; behind one it is the command's, as of `quiz preview`
    .enablePositionalOptions()
    .exitOverride()
    // help that nobody asked for is a line of ours
    .configureOutput({ writeErr: () => undefined, outputError: (text) => tell(inOneLine(text)) });
  addServerCommands(command);
  addMigrate(command);
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

/** What each of these slices does with a person; none of them is loaded before its command runs. */
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
  const given = process.argv.slice(2);
  // called without a command it says what there is [command-line.help]
  if (given.length === 0) {
    process.stdout.write(command.helpInformation());
    return;
  }
  try {
    await command.parseAsync();
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? wrongUse(command, given, error) : failure(error);
  }
}

/** commander has told what is wrong already, unless it is that help was asked for or needed. */
function wrongUse(command: Command, given: readonly string[], { code, exitCode }: CommanderError): number {
  if (exitCode === 0) return 0;
  if (code === "commander.help") tell(onOneLine(whatIsMissing(command, given)));
  return wrongUsage;
}

/** Of a group of commands that was named alone, or of `help` for a command that is not there. */
function whatIsMissing(program: Command, given: readonly string[]): string {
  const path = given.includes("help") ? given.toSpliced(given.indexOf("help"), 1) : given;
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
  return error instanceof UsageError ? wrongUsage : 1;
}
