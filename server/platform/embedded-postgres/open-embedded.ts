import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chooseAccount } from "./account.ts";
import { locatePackage } from "./binaries.ts";
import { prepareDataDirectory, SUPERUSER } from "./cluster.ts";
import { DATABASE, type Role } from "./cluster-locks.ts";
import { type ClusterRun, EmbeddedCluster, type UnexpectedExit } from "./embedded-cluster.ts";
import { forPeople } from "./errors.ts";
import { chooseSocketDirectory } from "./socket-directory.ts";

export interface EmbeddedOptions {
  /** The program's data directory, created if missing; the cluster is in its folder `postgres`. */
  dataDir: string;
  /** `server`: one at a time per data directory, restarts PostgreSQL when it ends; `command`: any number. */
  role: Role;
  log: (message: string, fields?: object) => void;
  /** PostgreSQL settings that override ours, such as `{ fsync: "off" }`; they apply if this call starts PostgreSQL. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  /** For pg: the socket's folder as host. It stays the same for the whole run, even if PostgreSQL restarts. */
  readonly connection: { host: string; port: number; user: string; database: string };
  /** Changes after a restart. */
  readonly postmasterPid: number;
  /** PostgreSQL was already running: left by a killed run, or started by a program that is still there. */
  readonly adopted: boolean;
  /** Stops PostgreSQL unless somebody else uses it. Close all other connections first: they are cut. */
  stop(): Promise<void>;
  /** For servers only. */
  onExit(listener: (exit: UnexpectedExit) => void): void;
}

/**
 * Starts the embedded PostgreSQL of a data directory, or joins the one that is running [operations.embedded,
 * operations.one-server].
 * @throws OperatorError worded for the person at the terminal
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  try {
    const pack = locatePackage(process.platform, process.arch);
    await prepareDataDirectory(dataDir);
    const cluster = new EmbeddedCluster(describeRun(options, dataDir, pack));
    const { postmaster, adopted } = await cluster.open();
    return {
      connection: { host: postmaster.socketDir, port: postmaster.port, user: SUPERUSER, database: DATABASE },
      get postmasterPid() {
        return cluster.postmasterPid;
      },
      adopted,
      stop: () => cluster.stop(),
      onExit: (listener) => cluster.onExit(listener),
    };
  } catch (error) {
    throw forPeople(error, dataDir);
  }
}

function describeRun(options: EmbeddedOptions, dataDir: string, pack: ClusterRun["pack"]): ClusterRun {
  const cluster = join(dataDir, "postgres");
  const account = chooseAccount(dataDir, cluster);
  const marker = markerOf(dataDir);
  return {
    place: { dataDir, cluster, account },
    pack,
    binaryHomes: [
      ...(account.switched ? ["/var/cache/quizstore"] : []),
      join(dataDir, "postgres-programs"),
      join(tmpdir(), `quizstore-${process.getuid?.() ?? 0}`),
    ],
    // /tmp before the user's own folder: it is short on every system, and the same for whoever starts the next command.
    socketDir: chooseSocketDirectory(["/tmp", tmpdir()], marker, account),
    marker,
    role: options.role,
    settings: options.settings ?? {},
    log: options.log,
  };
}

/** A short name for the directory, independent of the path that leads there. */
function markerOf(dataDir: string): string {
  const { dev, ino } = statSync(dataDir);
  const hash = createHash("sha256")
    .update(`${realpathSync(dataDir)}\n${dev}\n${ino}`)
    .digest("hex");
  return `qs-${hash.slice(0, 16)}`;
}
