import { Command, CommanderError } from "commander";
import { addDataCommands } from "./commands/data.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addExportCommands } from "./commands/exports.ts";
import { addListen } from "./commands/listen.ts";
import { addMigrate } from "./commands/migrate.ts";
import { addPeopleCommands } from "./commands/people.ts";
import { addQuizCommands } from "./commands/quizzes.ts";
import { addServerCommands } from "./commands/start.ts";
import { addStoreCommands } from "./commands/stores.ts";
import { sentenceOf } from "./commands/with.ts";
import { programVersion } from "./version.ts";

/** The one program: `quizstore COMMAND`. Exit status 1 for a failure, 2 for wrong usage. */

const wrongUsage = 2;

function program(): Command {
  const command = new Command("quizstore")
    .description("Product quizzes for shops, and a REST API over their data")
    .version(programVersion)
    .exitOverride();
  addServerCommands(command);
  addMigrate(command);
  addStoreCommands(command);
  addQuizCommands(command);
  addPeopleCommands(command);
  addDataCommands(command);
  addExportCommands(command);
  addListen(command);
  addDoctor(command);
  return command;
}

export async function runProgram(): Promise<void> {
  try {
    await program().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has said what is wrong already
      process.exitCode = error.exitCode === 0 ? 0 : wrongUsage;
    } else {
      process.stderr.write(`quizstore: ${sentenceOf(error)}\n`);
      process.exitCode = 1;
    }
  }
}
