import { type Deadline, Deadlines, type OpenDeadline } from "../../platform/deadline.ts";
import { eachDueStore } from "../../platform/each-store.ts";
import { fileName } from "../export-rows.ts";
import { buildFile, nameOf } from "./build-file.ts";
import { claimExport, completeClaim, dueExports, failClaim, failures, giveBack, renewClaim } from "./claims.ts";
import { type BuildDeps, type BuildLimits, type ClaimedExport, claimsAtMost, usualLimits } from "./deps.ts";
import { measureBuild, measureBuilds } from "./metrics.ts";
import type { Written } from "./output.ts";

/** How long a failed build waits before it is started again, in real ms, multiplied by the number of the attempt. */
const putOffMs = 10_000;

/**
 * Builds the requested files [exports.workers, exports.failure, exports.lost-worker]: one per store at a time, and two
 * in this process. A build that fails, or whose worker no longer renews its lease, is started again by any worker, up
 * to three times in all.
 */
export class ExportBuilds {
  readonly #deps: BuildDeps;
  readonly #limits: BuildLimits;
  readonly #running = new Map<Running, Promise<void>>();
  #stopped = false;

  constructor(deps: BuildDeps) {
    this.#deps = deps;
    this.#limits = { ...usualLimits, ...deps.limits };
    measureBuilds(() => this.#running.size);
  }

  /** Looks once for due exports; returns how many builds it started. It does not wait for them. */
  async sweep(): Promise<number> {
    const { database, calendar, log } = this.#deps;
    return eachDueStore(database, dueExports(calendar.now()), async (storeId) => {
      if (this.#stopped) return 0;
      const room = this.#running.size < this.#limits.atOnce;
      try {
        const claimed = await database.transaction((tx) =>
          claimExport(tx.forStore(storeId), this.#deps, this.#limits, room),
        );
        if (claimed) this.#begin(claimed);
        return claimed ? 1 : 0;
      } catch (error) {
        log.warn({ err: error, store: storeId }, "could not claim a store's exports; retrying in the next round");
        return 0;
      }
    });
  }

  /** Resolves when no build is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /**
   * Starts nothing new and gives back running builds, so that another worker starts them again at once [exports.stop].
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const running of this.#running.keys()) running.end("stopped");
    await this.idle();
  }

  #begin(claimed: ClaimedExport): void {
    const running = new Running(this.#deps, this.#limits);
    const work = this.#build(claimed, running)
      .catch((error: unknown) => {
        // its lease will expire, and then the build is started again
        this.#deps.log.error({ err: error, export_id: claimed.id }, "could not record the outcome of an export");
      })
      .finally(() => this.#running.delete(running));
    this.#running.set(running, work);
  }

  async #build(claimed: ClaimedExport, running: Running): Promise<void> {
    const { log } = this.#deps;
    running.keepLease(claimed);
    try {
      await this.#removeEarlier(claimed);
      const build = () => buildFile(this.#deps, this.#limits, claimed, running);
      const written = await measureBuild(claimed, build);
      await this.#complete(claimed, written);
    } catch (error) {
      log.warn(
        { err: error, export_id: claimed.id, claim: claimed.claim, ended: running.ended },
        "a build ended early",
      );
      await this.#giveUp(claimed, running);
    } finally {
      running.close();
    }
  }

  /** Removes unfinished files of lost workers. Otherwise they would stay until the next scan of the whole storage. */
  async #removeEarlier({ storeId, id, format, claim }: ClaimedExport): Promise<void> {
    const { storage, log } = this.#deps;
    for (let earlier = 1; earlier < claim; earlier += 1) {
      const removed = storage.remove(fileName(storeId, { id, format }, earlier));
      await removed.catch((error: unknown) =>
        log.warn({ err: error, export_id: id }, "could not remove an unfinished file"),
      );
    }
  }

  async #complete(claimed: ClaimedExport, written: Written): Promise<void> {
    const { database, storage, log } = this.#deps;
    const done = await database.transaction((tx) =>
      completeClaim(tx.forStore(claimed.storeId), this.#deps, claimed, written),
    );
    if (done) return;
    log.info({ export_id: claimed.id, claim: claimed.claim }, "removing a file whose build lost its claim");
    await storage.remove(nameOf(claimed));
  }

  /** Changes nothing if another worker has taken over the build. */
  async #giveUp(claimed: ClaimedExport, running: Running): Promise<void> {
    const { database, calendar } = this.#deps;
    const db = database.reader().forStore(claimed.storeId);
    const now = calendar.now();
    if (running.ended === "lost") return;
    if (running.ended === "stopped") await giveBack(db, claimed, now);
    // a second attempt would take just as long
    else if (running.timedOut) await failClaim(db, claimed, now, failures.tooLong);
    else if (claimed.claim >= claimsAtMost) await failClaim(db, claimed, now, failures.broken);
    else await giveBack(db, claimed, calendar.afterReal(putOffMs * claimed.claim));
  }
}

/** A running build, with its deadline and its lease on the export. */
class Running {
  readonly #deps: BuildDeps;
  readonly #limits: BuildLimits;
  readonly #deadlines: Deadlines;
  #deadline: OpenDeadline | null = null;
  #renewing: NodeJS.Timeout | undefined;
  /** why it has to end early */
  ended: "lost" | "stopped" | null = null;

  constructor(deps: BuildDeps, limits: BuildLimits) {
    this.#deps = deps;
    this.#limits = limits;
    this.#deadlines = new Deadlines(deps.elapsed);
  }

  get timedOut(): boolean {
    return this.#deadline?.remaining() === 0;
  }

  /** Opens a deadline for a snapshot, replacing the previous one. */
  open(): Deadline {
    if (this.#deadline) this.#deadlines.close(this.#deadline);
    const deadline = this.#deadlines.open(this.#limits.snapshotMs);
    this.#deadline = deadline;
    if (this.ended !== null) deadline.expire();
    return deadline;
  }

  end(why: "lost" | "stopped"): void {
    this.ended ??= why;
    this.#deadline?.expire();
  }

  /** Renews the lease periodically. Ends the build if renewal fails for too long or another worker has the export. */
  keepLease(claimed: ClaimedExport): void {
    const { database, calendar, elapsed, log } = this.#deps;
    const { leaseMs, renewMs } = this.#limits;
    const db = database.reader().forStore(claimed.storeId);
    let renewed = elapsed();
    const renew = async () => {
      const began = elapsed();
      // a build past its deadline that still hangs, in a storage that does not respond, is left to other workers
      if (this.timedOut) return;
      try {
        if (await renewClaim(db, claimed, calendar.afterReal(leaseMs))) renewed = began;
        else this.end("lost");
      } catch (error) {
        log.warn({ err: error, export_id: claimed.id }, "could not renew the lease of an export");
        if (elapsed() - renewed > leaseMs - 2 * renewMs) this.end("lost");
      }
    };
    this.#renewing = setInterval(() => void renew(), renewMs);
  }

  close(): void {
    clearInterval(this.#renewing);
    if (this.#deadline) this.#deadlines.close(this.#deadline);
    this.#deadlines.stop();
  }
}

/** Builds everything that is due and waits for it; returns the number of builds. */
export async function buildDueExports(deps: BuildDeps): Promise<number> {
  const builds = new ExportBuilds(deps);
  let built = 0;
  for (let begun = await builds.sweep(); begun > 0; begun = await builds.sweep()) {
    built += begun;
    await builds.idle();
  }
  return built;
}
