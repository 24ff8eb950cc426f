import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type pg from "pg";
import { type Mailer, openMailer } from "../accounts/mail.ts";
import { SharedCalendar } from "../platform/clock.ts";
import type { CommandDeps } from "../platform/command-line/commands.ts";
import { type Config, readConfig } from "../platform/config.ts";
import { Database } from "../platform/database/database.ts";
import { suitableServer } from "../platform/database/external-server.ts";
import { migrate, readMigrations } from "../platform/database/migrate.ts";
import { ClusterNodes } from "../platform/database/nodes.ts";
import type { DueWork } from "../platform/database/sql.ts";
import { connectionAt, type NodeAddress, StoreHomes } from "../platform/database/store-homes.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { holdsCluster } from "../platform/embedded-postgres/cluster.ts";
import { openEmbedded } from "../platform/embedded-postgres/open-embedded.ts";
import { openFiles } from "../platform/files/open.ts";
import { type Log, openLog } from "../platform/log.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { StoreCalendars } from "../platform/store-calendars.ts";
import { WakeUp } from "../platform/wake-up.ts";
import { intakeConnections } from "../storefront/group-queue.ts";
import { Closers } from "./closers.ts";
import { openSecretKey } from "./secret-key.ts";
import { markServerDatabase, refuseMoved } from "./server-database-mark.ts";

/** Opens what commands and servers need, in order of dependency, and closes it in reverse. */

export const elapsed: ElapsedClock = () => performance.now();

/** What commands and servers need. */
export interface Opened extends CommandDeps {
  homes: StoreHomes;
  /** the shared one, on which `calendar` is based */
  sharedCalendar: SharedCalendar;
  /** notifies of due work at once */
  wakeUp: WakeUp;
  /** for invitations and links; null: no mail is sent */
  mailer: Mailer | null;
  migrationsApplied: readonly string[];
  /** the number of migrations in this program */
  migrationsKnown: number;
  /** the database's nodes, if it is a cluster */
  nodes: ClusterNodes;
  connection: pg.ClientConfig;
  /**
   * Stops the embedded PostgreSQL, if there is one and nobody else uses it, and with it everything that waits for it
   * here.
   */
  stopDatabase(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /**
   * `server`: the single program of a data directory, which sets the calendar's speed; `command`: joins a running one
   * [command-line.beside]
   */
  role: "server" | "command";
  /** whether it may create the embedded database; by default servers may */
  creates?: boolean;
  /** false: leaves no mark in the data directory, where nothing may be changed */
  marks?: boolean;
  /** maximum number of database connections */
  connections: number;
}

/** @param overrides replace single environment variables, like command-line flags */
export const settingsOf = (overrides: Readonly<Record<string, string | undefined>> = {}): Config => {
  const overridden = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return readConfig({ ...process.env, ...Object.fromEntries(overridden) });
};

/** Logs to standard error, because standard output is for commands' results. */
export const openProgramLog = ({ logLevel }: Config): Log =>
  openLog(logLevel, { write: (line) => void process.stderr.write(line) });

export async function openFoundations(
  config: Config,
  options: OpenOptions,
  log = openProgramLog(config),
): Promise<Opened> {
  const closers = new Closers();
  try {
    const { connection, stopDatabase } = await openConnection(config, options, log);
    closers.add(stopDatabase);
    const migrations = await readMigrations(migrationsDirectory);
    const migrationsApplied = await migrate(connection, migrations, (message) => log.warn({}, message));
    const { nodes, closeNodes } = openNodes(connection, { elapsed, log });
    closers.add(closeNodes);
    const database = new Database({ connection, size: options.connections, log, nodes });
    closers.add(() => database.close());
    const secrets = await openSecretKey(config, database.reader(), randomBytes);
    const intakeDatabase = new Database({ ...intakePool, connection, log });
    closers.add(() => intakeDatabase.close());
    const hear = (work: DueWork) => wakeUp.signal(work);
    const homes = openHomes(connection, { coordinator: intakeDatabase, log, hear });
    closers.add(() => homes.close());
    const speed = options.role === "server" ? config.clockSpeed : null;
    const sharedCalendar = await SharedCalendar.open(database, elapsed, speed);
    closers.add(() => sharedCalendar.stop());
    const wakeUp = new WakeUp({ database, elapsed, random: randomBytes, log });
    closers.add(() => wakeUp.stop());
    for (const each of [database, intakeDatabase]) each.onAnnounced(hear);
    const files = openFiles(config.exportStorage);
    closers.add(() => files.close());
    const mailer = await mailerFor(config, log);
    if (mailer) closers.add(() => mailer.close());
    return {
      config,
      database,
      intakeDatabase,
      homes,
      nodes,
      connection,
      calendar: new StoreCalendars(sharedCalendar),
      sharedCalendar,
      elapsed,
      random: randomBytes,
      secrets,
      wakeUp,
      files,
      mailer,
      log,
      migrationsApplied,
      migrationsKnown: migrations.length,
      stopDatabase,
      close: () => closers.close(),
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** The mail sender; null: no mail is sent. */
const mailerFor = async ({ smtpUrl, mailFrom }: Config, log: Log): Promise<Mailer | null> =>
  smtpUrl === null ? null : openMailer({ smtpUrl, from: mailFrom, log });

/**
 * Each check uses a new connection: the coordinator keeps one to each node for each of its own, which goes on answering
 * where a node accepts no other [operations.node-away].
 */
export function openNodes(connection: pg.PoolConfig, { elapsed, log }: { elapsed: ElapsedClock; log: Log }) {
  const database = new Database({ connection: { ...connection, maxUses: 1 }, size: 4, log });
  return { nodes: new ClusterNodes({ database, elapsed, log }), closeNodes: () => database.close() };
}

/** Connections of the intake to the nodes that have the stores, opened for those that there are. */
function openHomes(
  connection: pg.PoolConfig,
  { coordinator, log, hear }: { coordinator: Database; log: Log; hear: (work: DueWork) => void },
): StoreHomes {
  const open = (address: NodeAddress) => {
    const node = new Database({ ...intakePool, connection: connectionAt(connection, address), log });
    node.onAnnounced(hear);
    return node;
  };
  return new StoreHomes({ coordinator, open, elapsed, log });
}

const intakePool = { size: intakeConnections, pipelined: true };

/** The program's folder. */
export const checkout = join(import.meta.dirname, "../..");
export const migrationsDirectory = join(checkout, "migrations");

export interface OpenedConnection {
  connection: pg.ClientConfig;
  /** see `Opened` */
  stopDatabase: () => Promise<void>;
}

/** The server database of DATABASE_URL, or else the embedded one [operations.no-database, operations.moved-database]. */
export async function openConnection(
  config: Config,
  { role, creates = role === "server", marks = true }: Omit<OpenOptions, "connections">,
  log: Log,
): Promise<OpenedConnection> {
  if (config.databaseUrl !== null) {
    const { connection } = await suitableServer(config.databaseUrl);
    if (marks) await markServerDatabase(config, creates);
    return { connection, stopDatabase: async () => undefined };
  }
  await refuseMoved(config);
  if (!creates) await requireCluster(config);
  const embedded = await openEmbedded({
    dataDir: config.dataDir,
    role,
    log: (message, fields) => log.info(fields ?? {}, message),
  });
  if (role === "server") {
    embedded.onExit(({ restarting }) => {
      if (restarting) return;
      log.fatal("another quizstore has taken over the embedded database; stopping");
      process.kill(process.pid, "SIGTERM");
    });
  }
  return { connection: embedded.connection, stopDatabase: () => embedded.stop() };
}

async function requireCluster({ dataDir }: Config): Promise<void> {
  try {
    if (await holdsCluster(dataDir)) return;
  } catch (error) {
    throw new OperatorError(
      `${dataDir} cannot be entered by this user (${(error as NodeJS.ErrnoException).code ?? "unknown reason"}): run the command as the user that runs the program`,
      { cause: error },
    );
  }
  throw new OperatorError(`no database in ${dataDir}: set DATABASE_URL or run quizstore start`);
}
