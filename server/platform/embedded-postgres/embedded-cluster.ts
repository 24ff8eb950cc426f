import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { type PackagedPostgres, prepareBinaries } from "./binaries.ts";
import { type ClusterPlace, prepareCluster } from "./cluster.ts";
import { acquireLocks, connectForLocks, isOnlyUser, prepareDatabase, type Role } from "./cluster-locks.ts";
import { AnotherServerError, codeOf, textOf } from "./errors.ts";
import { withLaunchLock } from "./launch-lock.ts";
import { endsSoon, type Launch, startPostmaster, stopPostmaster, untilOtherReady } from "./postmaster.ts";
import { type ClusterState, inspectCluster, type Postmaster } from "./postmaster-file.ts";
import { prepareSocketDirectory, removeSocketDirectory, SOCKET_FILE } from "./socket-directory.ts";

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 10_000;
// After this long without a failure, the next one counts as the first again.
const CALM_MS = 60_000;
const SOCKET_CHECK_MS = 10_000;

/** PostgreSQL ended, or its connection broke, without us asking for it. */
export interface UnexpectedExit {
  postmasterPid: number;
  /** False: another server has taken over the cluster, and this program should end. */
  restarting: boolean;
}

/** What stays the same for all starts of PostgreSQL in one run of the program. */
export interface ClusterRun {
  place: ClusterPlace;
  pack: PackagedPostgres;
  binaryHomes: string[];
  socketDir: string;
  marker: string;
  role: Role;
  settings: Record<string, string>;
  log: (message: string, fields?: object) => void;
}

interface Attachment {
  client: Client;
  /** Resolves when the connection is gone. */
  ended: Promise<void>;
  postmaster: Postmaster;
  started: boolean;
}

function endOf(client: Client): Promise<void> {
  return new Promise((resolve) => {
    client.once("end", () => resolve());
  });
}

/** Our use of a cluster: the connection that holds our locks, and for a server the supervision of PostgreSQL. */
export class EmbeddedCluster {
  readonly #run: ClusterRun;
  readonly #stopped = new AbortController();
  readonly #listeners: ((exit: UnexpectedExit) => void)[] = [];
  #attachment: Attachment | undefined;
  #socketDir: string;
  #recovering: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | undefined;
  #failures = 0;
  #calm: NodeJS.Timeout | undefined;
  #socketCheck: NodeJS.Timeout | undefined;

  constructor(run: ClusterRun) {
    this.#run = run;
    this.#socketDir = run.socketDir;
  }

  /** Starts or joins PostgreSQL; call once. */
  async open(): Promise<{ postmaster: Postmaster; adopted: boolean }> {
    const attachment = await this.#attach();
    this.#socketDir = attachment.postmaster.socketDir;
    if (this.#run.role === "server") {
      this.#socketCheck = setInterval(() => this.#requireSocket(), SOCKET_CHECK_MS);
      this.#socketCheck.unref();
    }
    return { postmaster: attachment.postmaster, adopted: !attachment.started };
  }

  get postmasterPid(): number {
    return this.#attachment?.postmaster.pid ?? 0;
  }

  onExit(listener: (exit: UnexpectedExit) => void): void {
    this.#listeners.push(listener);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #attach(): Promise<Attachment> {
    const attachment = await this.#underLock(() => this.#attachNow());
    this.#attachment = attachment;
    void attachment.ended.then(() => this.#lost(attachment));
    return attachment;
  }

  async #attachNow(): Promise<Attachment> {
    const launch = this.#launch(null);
    const found = await this.#joinable(launch, await this.#inspect());
    const started = found.postmaster === undefined;
    const postmaster = found.postmaster ?? (await this.#start(found.stalePid));
    let client: Client | undefined;
    try {
      client = await connectForLocks(postmaster, this.#run.role);
      const ended = endOf(client);
      await acquireLocks(client, this.#run.role);
      await prepareDatabase(client);
      return { client, ended, postmaster, started };
    } catch (error) {
      await client?.end().catch(() => undefined);
      if (started) await this.#end(launch, postmaster);
      // A PostgreSQL that was shutting down when we joined is no obstacle: once it is gone, we start our own.
      else if (!(error instanceof AnotherServerError) && (await endsSoon(launch, postmaster.pid))) {
        return this.#attachNow();
      }
      throw error;
    }
  }

  async #joinable(launch: Launch, state: ClusterState): Promise<{ postmaster?: Postmaster; stalePid: number | null }> {
    if (state.kind === "none") return { stalePid: null };
    if (state.kind === "stale") return { stalePid: state.pid };
    const postmaster = await untilOtherReady(launch, state.postmaster.pid);
    return postmaster ? { postmaster, stalePid: null } : this.#joinable(launch, await this.#inspect());
  }

  async #start(stalePid: number | null): Promise<Postmaster> {
    const { place, pack, binaryHomes, settings } = this.#run;
    const binaries = await prepareBinaries(pack, place.account, binaryHomes);
    await prepareCluster(place, binaries, pack.version, settings["fsync"] !== "off");
    prepareSocketDirectory(this.#socketDir, place.account);
    return startPostmaster({ ...this.#launch(stalePid), binaries });
  }

  #launch(stalePid: number | null): Launch {
    const { place, marker, settings, log } = this.#run;
    const signal = this.#stopped.signal;
    return { place, binaries: "", socketDir: this.#socketDir, marker, settings, stalePid, signal, log };
  }

  #inspect(): Promise<ClusterState> {
    return inspectCluster(this.#run.place.cluster, this.#run.marker);
  }

  #underLock<T>(work: () => Promise<T>): Promise<T> {
    const { place, log } = this.#run;
    return withLaunchLock({ dataDir: place.dataDir, owner: place.account, log }, work);
  }

  async #end(launch: Launch, postmaster: Postmaster): Promise<void> {
    await stopPostmaster(launch, postmaster.pid);
    removeSocketDirectory(postmaster.socketDir);
  }

  #lost(attachment: Attachment): void {
    if (this.#stopped.signal.aborted || this.#run.role === "command") return;
    clearTimeout(this.#calm);
    this.#recovering = this.#recover(attachment.postmaster.pid);
  }

  /**
   * The single recovery path for every loss: PostgreSQL killed, restarted after a backend crash, or stopped by somebody
   * [operations.embedded-restart].
   */
  async #recover(lostPid: number): Promise<void> {
    const { log } = this.#run;
    log("PostgreSQL has ended or dropped its connections", { pid: lostPid });
    this.#tell({ postmasterPid: lostPid, restarting: true });
    while (!this.#stopped.signal.aborted) {
      try {
        if (this.#failures > 0) await this.#pause();
        this.#failures += 1;
        const { postmaster } = await this.#attach();
        log("PostgreSQL is back", { pid: postmaster.pid });
        this.#calm = setTimeout(() => {
          this.#failures = 0;
        }, CALM_MS);
        this.#calm.unref();
        return;
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        log("PostgreSQL could not be brought back yet", { error: textOf(error) });
        if (error instanceof AnotherServerError) {
          this.#tell({ postmasterPid: lostPid, restarting: false });
          return;
        }
      }
    }
  }

  async #pause(): Promise<void> {
    const milliseconds = Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LONGEST_RETRY_MS);
    await sleep(milliseconds, undefined, { signal: this.#stopped.signal });
  }

  #tell(exit: UnexpectedExit): void {
    for (const listener of this.#listeners) listener(exit);
  }

  /** A cleaner of temporary files can remove the socket; only restarting PostgreSQL creates a new one. */
  #requireSocket(): void {
    const pid = this.#attachment?.postmaster.pid;
    if (pid === undefined || existsSync(join(this.#socketDir, SOCKET_FILE))) return;
    this.#run.log("the socket of PostgreSQL has been removed; PostgreSQL is restarted", { directory: this.#socketDir });
    void this.#underLock(async () => {
      const state = await this.#inspect();
      if (state.kind === "live" && state.postmaster.pid === pid) await stopPostmaster(this.#launch(null), pid);
    }).catch((error: unknown) => this.#run.log("PostgreSQL could not be stopped", { error: textOf(error) }));
  }

  async #stop(): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#socketCheck);
    clearTimeout(this.#calm);
    await this.#recovering;
    await this.#underLock(async () => {
      const state = await this.#inspect();
      const client = this.#attachment?.client;
      if (state.kind !== "live") {
        await client?.end().catch(() => undefined);
        return;
      }
      const last = await this.#isLast(state.postmaster);
      await client?.end().catch(() => undefined);
      if (last) await this.#end(this.#launch(null), state.postmaster);
    });
  }

  /** The last user stops PostgreSQL, even if it was started by somebody who has left or was killed. */
  async #isLast(postmaster: Postmaster): Promise<boolean> {
    const attached = this.#attachment?.client;
    try {
      if (attached) return await isOnlyUser(attached);
    } catch {
      // The connection is lost; a new one can answer too.
    }
    try {
      const client = await connectForLocks(postmaster, "command");
      const last = await isOnlyUser(client);
      await client.end();
      return last;
    } catch (error) {
      // While it recovers or stops, nobody can be using it.
      return error instanceof Error && codeOf(error.cause) === "57P03";
    }
  }
}
