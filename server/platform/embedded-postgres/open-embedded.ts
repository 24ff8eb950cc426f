import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chooseAccount } from "./account.ts";
import { locatePackage, prepareBinaries } from "./binaries.ts";
import { type ClusterPlace, prepareCluster, prepareDataDirectory, SUPERUSER } from "./cluster.ts";
import { DATABASE, type Role } from "./cluster-locks.ts";
import { EmbeddedCluster } from "./embedded-cluster.ts";
import { forPeople } from "./errors.ts";

export interface EmbeddedOptions {
  /** The program's data directory, made when missing; the cluster lies in its folder `postgres`. */
  dataDir: string;
  /** `server`: one at a time on a data directory, restarts PostgreSQL when it ends; `command`: any number. */
  role: Role;
  log: (message: string, fields?: object) => void;
  /** PostgreSQL settings that go before ours, as `{ fsync: "off" }`; in force when this call starts PostgreSQL. */
  settings?: Record<string, string>;
}

/** PostgreSQL ended, or its connection broke, without our asking. */
export interface UnexpectedExit {
  postmasterPid: number;
  /** False: another server has taken the cluster over, and this program should end. */
  restarting: boolean;
}

export interface EmbeddedPostgres {
  /** For pg: the folder of the socket as host. The same for the whole run, over restarts of PostgreSQL too. */
  readonly connection: { host: string; port: number; user: string; database: string };
  /** Another one after a restart. */
  readonly postmasterPid: number;
  /** PostgreSQL was running already: the orphan of a killed run, or started by a program that is still there. */
  readonly adopted: boolean;
  /** Ends PostgreSQL unless somebody else uses it. Close all other connections first: they are cut. */
  stop(): Promise<void>;
  /** Servers only. */
  onExit(listener: (exit: UnexpectedExit) => void): void;
}

/**
 * Starts the embedded PostgreSQL of a data directory, or joins the one that runs on it.
 * @throws EmbeddedPostgresError worded for the person at the terminal
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  try {
    await prepareDataDirectory(dataDir);
    const pack = locatePackage(process.platform, process.arch);
    const place: ClusterPlace = { dataDir, cluster: join(dataDir, "postgres"), account: undefined as never };
    void [pack, place, chooseAccount, prepareBinaries, prepareCluster, createHash, realpathSync, statSync, tmpdir];
    void [SUPERUSER, DATABASE, EmbeddedCluster];
    throw new Error("sketch");
  } catch (error) {
    throw forPeople(error, dataDir);
  }
}
