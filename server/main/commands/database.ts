import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type pg from "pg";
import { ledgerPath } from "../../erasure/ledger.ts";
import { type CommonOptions, withCommonOptions } from "../../platform/command-line/commands.ts";
import { printResult } from "../../platform/command-line/print.ts";
import type { Config } from "../../platform/config.ts";
import { type CopiedTable, copyDatabase } from "../../platform/database/copy-database.ts";
import { Database } from "../../platform/database/database.ts";
import { suitableServer } from "../../platform/database/external-server.ts";
import { migrate, readMigrations } from "../../platform/database/migrate.ts";
import type { Log } from "../../platform/log.ts";
import { OperatorError } from "../../platform/operator-error.ts";
import {
  elapsed,
  migrationsDirectory,
  type OpenedConnection,
  openConnection,
  openProgramLog,
  settingsOf,
} from "../foundations.ts";
import { openSecretKey } from "../secret-key.ts";
import { stopRequests } from "../stop-signal.ts";

/** `quizstore database copy`, and `quizstore database open` for what reads or fills an embedded database from outside. */

interface CopyOptions extends CommonOptions {
  to: string;
}

interface OpenOptions extends CommonOptions {
  create?: boolean;
}

export function addDatabaseCommands(program: Command): void {
  const database = program.command("database").description("the database as a whole: copy, open");
  withCommonOptions(database.command("copy"))
    .description("copy everything of this database into an empty one; run again, it continues where it was interrupted")
    .requiredOption(
      "--to <url>",
      "the empty database, such as postgres://user:password@host:5432/quizstore",
      postgresUrl,
    )
    .action(copy);
  withCommonOptions(database.command("open"))
    .description("run the embedded database alone until Ctrl-C, and print its address for psql and database copy")
    .option("--create", "create an empty one if there is none, as the target of a copy")
    .action(open);
}

function postgresUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  if (protocol === "postgres:" || protocol === "postgresql:") return text;
  throw new InvalidArgumentError("It must be an address such as postgres://user:password@host:5432/quizstore.");
}

const interrupted = 130;

async function withConnection<Result>(
  { data }: CommonOptions,
  how: { role: "server" | "command"; creates: boolean },
  work: (opened: OpenedConnection, config: Config, log: Log, asked: Promise<void>) => Promise<Result>,
): Promise<Result> {
  const config = settingsOf({ DATA_DIR: data, LOG_LEVEL: process.env["LOG_LEVEL"] ?? "warn" });
  const stop = stopRequests({ source: process, elapsed, leave: () => process.exit(interrupted) });
  const log = openProgramLog(config);
  const opened = await openConnection(config, how, log);
  try {
    return await work(opened, config, log, stop.graceful);
  } finally {
    await opened.stopDatabase();
    stop.release();
  }
}

function copy(options: CopyOptions): Promise<void> {
  // like a server, so that no other one starts on an embedded database meanwhile
  const how = { role: "server", creates: false } as const;
  return withConnection(options, how, async ({ connection, stopDatabase }, config, log, asked) => {
    void asked.then(() => stopDatabase().finally(() => process.exit(interrupted)));
    const migrations = await readMigrations(migrationsDirectory);
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    await migrate(connection, migrations, say);
    await assertKey(connection, config, log);
    const { connection: target } = await suitableServer(options.to, "--to");
    const tables = await copyDatabase({ source: connection, target, migrations, say });
    report(tables, config, options);
  });
}

/** The secrets are copied as they are: who cannot decrypt them here could not there either. */
async function assertKey(connection: pg.ClientConfig, config: Config, log: Log): Promise<void> {
  const database = new Database({ connection, size: 1, log });
  try {
    await openSecretKey(config, database.reader(), randomBytes);
  } finally {
    await database.close();
  }
}

function report(copied: readonly CopiedTable[], { secretKey, dataDir }: Config, { json }: CommonOptions): void {
  const tables = copied.map(({ table, rows, bytes, digest, earlier }) => ({ table, rows, bytes, digest, earlier }));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  printResult({ rows, tables }, json ?? false);
  const key = secretKey === null ? `what is in ${join(dataDir, "secret.key")}` : "the same as here";
  process.stderr.write(
    `The copy is complete. Its programs need SECRET_KEY (${key}), the ledger ${ledgerPath(dataDir)}, and the export files.\n`,
  );
}

/** [operations.database-open] */
function open(options: OpenOptions): Promise<void> {
  const how = { role: "command", creates: options.create ?? false } as const;
  return withConnection(options, how, async ({ connection }, { databaseUrl }, _log, asked) => {
    if (databaseUrl !== null) throw new OperatorError("DATABASE_URL is set: this command is for an embedded database");
    const url = addressOf(connection);
    if (options.json) printResult({ url }, true);
    else process.stdout.write(`${url}\nIt is open until Ctrl-C.\n`);
    await asked;
  });
}

/** An address in the form of DATABASE_URL, of a socket in a folder. */
function addressOf({ host = "", port, user = "", database = "" }: pg.ClientConfig): string {
  const where = new URLSearchParams({ host, port: String(port), user });
  return `postgres:///${database}?${where}`;
}
