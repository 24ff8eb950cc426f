import type { Command } from "commander";
import type { IdPrefix } from "../../../contract/common.ts";
import type { Config } from "../config.ts";
import type { Database } from "../database/database.ts";
import type { Transaction } from "../database/sql.ts";
import type { StoreHomes } from "../database/store-homes.ts";
import type { ElapsedClock } from "../deadline.ts";
import type { FileStorage } from "../files/types.ts";
import { parseId, type RandomBytes } from "../ids.ts";
import type { Log } from "../log.ts";
import { UsageError } from "../operator-error.ts";
import type { Secrets } from "../secrets.ts";
import type { StoreCalendars } from "../store-calendars.ts";

/** The options of every command: where the data is, and how the result is printed. */
export interface CommonOptions {
  data?: string;
  json?: boolean;
}

export const withCommonOptions = (command: Command): Command =>
  command
    .option("--data <dir>", "data directory (default: DATA_DIR, else ./data)")
    .option("--json", "print the result as one JSON document");

/** What a slice's commands work with. */
export interface CommandDeps {
  config: Config;
  database: Database;
  intakeDatabase: Database;
  /** for the intake on a cluster */
  homes?: StoreHomes;
  calendar: StoreCalendars;
  elapsed: ElapsedClock;
  random: RandomBytes;
  secrets: Secrets;
  /** the storage for exports */
  files: FileStorage;
  log: Log;
}

/** For commands about one store. */
export interface StoreOption extends CommonOptions {
  store: string;
}

export const withStoreOption = (command: Command): Command =>
  withCommonOptions(command).requiredOption("--store <store>", "id or shop domain");

export interface CommandRunner {
  /**
   * Opens the database, runs a command's work, prints the result and closes again. Ctrl-C interrupts it.
   * @param ending for a command that ends by itself when this is aborted, which Ctrl-C then does
   */
  run(options: CommonOptions, work: (deps: CommandDeps) => Promise<unknown>, ending?: AbortController): Promise<void>;
  /** Runs a command as one transaction. */
  runInTransaction(
    options: CommonOptions,
    work: (tx: Transaction, deps: CommandDeps) => Promise<unknown>,
  ): Promise<void>;
}

/** The UUID of an id from the command line. `thing`: what the id is of, as in "a person". */
export function uuidArgument(prefix: IdPrefix, text: string, thing: string): string {
  const uuid = parseId(prefix, text);
  if (uuid === null)
    throw new UsageError(`${text} is not the id of ${thing}: ${prefix}_ and 32 hexadecimal characters`);
  return uuid;
}

/** The number that the option of this name was given. */
export function numberOption(name: string, text: string, high: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > high) throw new UsageError(`--${name} must be a whole number from 1 to ${high}`);
  return value;
}

/** The address of a running server, from the command line. */
export function serverArgument(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new UsageError("--url must be an address such as http://localhost:8080");
  return url;
}

/** An id from the command line, unchanged, after checking its form. */
export function idArgument(prefix: IdPrefix, text: string, thing: string): string {
  uuidArgument(prefix, text, thing);
  return text;
}
