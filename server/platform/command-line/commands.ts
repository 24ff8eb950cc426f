import type { Command } from "commander";
import type { Calendar } from "../clock.ts";
import type { Database } from "../database/database.ts";
import type { Transaction } from "../database/sql.ts";
import type { RandomBytes } from "../ids.ts";
import type { Secrets } from "../secrets.ts";

/** What every command has in common: where the data lies, and how the result is printed. */
export interface CommonOptions {
  data?: string;
  json?: boolean;
}

export const withCommonOptions = (command: Command): Command =>
  command
    .option("--data <dir>", "data directory (default: DATA_DIR, else ./data)")
    .option("--json", "print the result as one JSON document");

/** What the commands of a slice work with. */
export interface CommandDeps {
  config: { baseUrl: string };
  database: Database;
  calendar: Calendar;
  random: RandomBytes;
  secrets: Secrets;
}

/** Opens the database, runs a command's work, prints what it returns and closes again. */
export interface CommandRunner {
  run(options: CommonOptions, work: (deps: CommandDeps) => Promise<unknown>): Promise<void>;
  /** A command that is one transaction. */
  runInTransaction(
    options: CommonOptions,
    work: (tx: Transaction, deps: CommandDeps) => Promise<unknown>,
  ): Promise<void>;
}
