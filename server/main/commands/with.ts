import type { CommonOptions } from "../../platform/command-line/commands.ts";
import { printResult } from "../../platform/command-line/print.ts";
import type { Transaction } from "../../platform/database/sql.ts";
import { elapsed, type Opened, openFoundations, settingsOf } from "../foundations.ts";
import { atLastAddress } from "../last-address.ts";
import { stopRequests } from "../stop-signal.ts";

const interrupted = 130;

/**
 * Opens the database, runs the command, prints its result and closes again. Ctrl-C interrupts it, and leaves no
 * PostgreSQL behind that was started for it.
 * @param ending for a command that ends by itself when it is aborted
 */
export async function runCommand(
  options: CommonOptions,
  work: (opened: Opened) => Promise<unknown>,
  ending?: AbortController,
): Promise<void> {
  const settings = settingsOf({ DATA_DIR: options.data, LOG_LEVEL: process.env["LOG_LEVEL"] ?? "warn" });
  const config = await atLastAddress(settings);
  const stop = stopRequests({ source: process, elapsed, leave: () => process.exit(interrupted) });
  let isOpen = false;
  // a server database that hangs must not keep a command that was told to end
  void stop.graceful.then(() => isOpen || config.databaseUrl === null || process.exit(interrupted));
  const opened = await openFoundations(config, { role: "command", connections: 4 });
  isOpen = true;
  const cutOff = () => opened.stopDatabase().finally(() => process.exit(interrupted));
  void stop.graceful.then(() => (ending ? ending.abort() : cutOff()));
  void stop.immediate.then(cutOff);
  // a command that runs until it is stopped, such as listen, ends when nobody reads its output any more
  if (ending) process.stdout.once("error", () => ending.abort());
  let result: unknown;
  try {
    result = await work(opened);
  } finally {
    await opened.close();
    stop.release();
  }
  if (result !== undefined) printResult(result, options.json ?? false);
}

/** Runs a command as one transaction. */
export const runInTransaction = (
  options: CommonOptions,
  work: (tx: Transaction, opened: Opened) => Promise<unknown>,
): Promise<void> => runCommand(options, (opened) => opened.database.transaction((tx) => work(tx, opened)));
