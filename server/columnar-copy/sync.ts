import { join } from "node:path";
import type pg from "pg";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { databaseProblem } from "../platform/database/failures.ts";
import { together } from "../platform/database/together.ts";
import type { FairQueue } from "../platform/fair-queue.ts";
import type { Log } from "../platform/log.ts";
import { type Change, readParts, roomOfAll } from "./changes.ts";
import type { CopiesFolder } from "./copies-folder.ts";
import { applyFiles, type FileDeps, loadFiles } from "./copy-by-files.ts";
import { inTransaction, literal, WriteConnection } from "./duck.ts";
import { BrokenCopy, duckProblem, isUnfit } from "./failures.ts";
import { applyRows } from "./insert-rows.ts";
import { KnownKeys } from "./known-keys.ts";
import { logLeftOut } from "./left-out.ts";
import type { SyncNote } from "./metrics.ts";
import { type CopyPlace, findPosition, recordCopy, type StorePosition } from "./records.ts";
import { schemaNumber } from "./schema.ts";
import { closeSnapshot, openSnapshot } from "./snapshot.ts";
import { type Extent, wholeLiteral } from "./source.ts";
import type { Copy, CopyState, StoreFiles } from "./store-files.ts";

export interface SyncDeps {
  database: Database;
  calendar: Calendar;
  log: Log;
  folder: CopiesFolder;
  files: StoreFiles;
  /**
   * two concurrent writers to copies: with two questions and as many file reads this leaves some of libuv's 8 threads
   * for files and DNS
   */
  writing: FairQueue;
  /** size in bytes at which a file of rows is inserted */
  partBytes: number;
  /** if more sessions, people and orders changed, they are copied through files */
  fewAtMost: number;
}

export interface Synced {
  revision: number;
  /** calendar ms just before the store's revision was read */
  asOf: number;
}

/** a copy is checkpointed after this many changes */
const writeEvery = 50_000;
/** how often a copy's revision is recorded in `facts_copies` at most, in calendar ms */
const recordEveryMs = 60_000;

/** Brings copies up to date. The caller must not run it twice at the same time for a store. */
export class Sync {
  readonly #deps: SyncDeps;
  readonly #place: CopyPlace;
  readonly #recordedAt = new Map<string, number>();
  #files = 0;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#place = deps.folder.place;
  }

  /**
   * Brings a store's copy up to date, from its recorded changes if possible, otherwise by loading everything.
   *
   * @param note receives the result
   */
  async bringUpToDate(storeId: string, note: SyncNote): Promise<Synced> {
    const synced = await this.#bringUpToDate(storeId, note);
    logLeftOut(this.#deps.log, storeId, note.leftOut);
    return synced;
  }

  async #bringUpToDate(storeId: string, note: SyncNote): Promise<Synced> {
    const { files, calendar, database, log } = this.#deps;
    const asOf = calendar.now();
    const copy = await files.hold(storeId);
    try {
      const state = copy?.state ?? null;
      const position = await findPosition(database.reader().forStore(storeId), this.#place, state?.revision ?? 0);
      if (!position) throw new Error("a store has no revision row");
      if (copy && state && !position.discard) {
        const step = stepFrom(state, position);
        note.behind = position.revision - state.revision;
        if (step === "none") {
          await this.#record(storeId, state.revision, false);
          note.step = step;
          return { revision: state.revision, asOf };
        }
        if (step === "changes") {
          const revision = await this.#applyChanges(copy, state, note);
          await this.#record(storeId, revision, false);
          note.step = step;
          return { revision, asOf };
        }
        const { revision, recorded, own } = position;
        const found = { revision, copied: state.revision, recorded, sameChange: own === state.token };
        log.info(
          { store: storeId, ...found },
          "changes between a columnar copy and its store are missing; it is rebuilt",
        );
        note.reason = "unconnected";
      } else if (position.discard) {
        note.reason = "discarded";
      }
    } catch (error) {
      if (!(error instanceof BrokenCopy)) throw error;
      log.warn({ err: error, store: storeId }, "a columnar copy is damaged; it is rebuilt");
      note.reason = "damaged";
    } finally {
      if (copy) files.release(copy);
    }
    const revision = await this.#load(storeId, note);
    note.step = "everything";
    return { revision, asOf };
  }

  /**
   * Loads everything into a new file. If the statements over files meet a value they cannot process, it loads row by
   * row.
   */
  async #load(storeId: string, note: SyncNote): Promise<number> {
    const extent = { storeId, since: null };
    try {
      const { fewAtMost } = this.#deps;
      return await this.#loadBy({ extent, listed: fewAtMost + 1, note }, async (work) => {
        if (isFew(work.changes, fewAtMost)) await this.#applyRows(work, extent, [work.changes]);
        else await loadFiles(this.#fileDeps(work));
      });
    } catch (error) {
      if (!isUnfit(error)) throw error;
      this.#noteUnfit(storeId, note, error);
      return this.#loadBy({ extent, listed: 0, note }, (work) => this.#applyInParts(work, extent));
    }
  }

  async #loadBy(what: Listing, load: (work: Work) => Promise<void>): Promise<number> {
    const { files, database } = this.#deps;
    const { storeId } = what.extent;
    await files.remove(storeId);
    await recordCopy(database.reader().forStore(storeId), this.#place, null, this.#now());
    const copy = await files.create(storeId);
    try {
      const state = await this.#copying(copy, what, load);
      await this.#write(storeId, () => files.write(copy));
      copy.state = state;
      await this.#record(storeId, state.revision, true);
      return state.revision;
    } finally {
      files.release(copy);
      if (copy.state === null) await files.remove(storeId);
    }
  }

  async #applyChanges(copy: Copy, before: CopyState, note: SyncNote): Promise<number> {
    const extent = { storeId: copy.storeId, since: before.revision };
    const state = await this.#copying(copy, { extent, listed: filedAtMost + 1, note }, async (work) => {
      const { changes } = work;
      if (isFew(changes, this.#deps.fewAtMost)) return this.#applyRows(work, extent, [changes]);
      if (changes.length > filedAtMost || roomOfAll(changes) > fileBytesAtMost) return this.#applyInParts(work, extent);
      try {
        await applyFiles(this.#fileDeps(work), extent, changes);
      } catch (error) {
        if (!isUnfit(error)) throw error;
        this.#noteUnfit(copy.storeId, note, error);
        await this.#applyInParts(work, extent);
      }
    });
    copy.state = state;
    copy.unwritten += state.revision - before.revision;
    if (copy.unwritten >= writeEvery) await this.#write(copy.storeId, () => this.#deps.files.write(copy));
    return state.revision;
  }

  /**
   * Applies all changes in parts of a few thousand rows. Used if files would take too much memory, or if a row cannot
   * be processed by statements over files; this way leaves that row out.
   */
  #applyInParts(work: Work, extent: Extent): Promise<void> {
    const parts = readParts(work.client, extent, rowsAtOnce, rowBytesAtOnce);
    // an order of an empty copy also arrives with its session, so every part replaces existing rows as for changes
    return this.#applyRows(work, { ...extent, since: extent.since ?? 0 }, parts);
  }

  /**
   * Fetches rows while holding permission to write: only a few ms, during which DuckDB removes the rows they replace.
   */
  async #applyRows(
    { client, duck, note, finish, keys, keep }: Work,
    extent: Extent,
    parts: Iterable<readonly Change[]> | AsyncIterable<readonly Change[]>,
  ): Promise<void> {
    await this.#write(extent.storeId, () =>
      inTransaction(
        duck,
        async () => {
          for await (const part of parts) note.leftOut.push(...(await applyRows({ duck, keys, client, extent }, part)));
        },
        finish,
      ),
    );
    keep();
  }

  #fileDeps({ storeId, catalog, client, duck, note, finish }: Work): FileDeps {
    const { folder, database, partBytes } = this.#deps;
    return {
      storeId,
      client,
      duck,
      finish,
      partBytes,
      secondDuck: () => this.#connect(catalog),
      documents: () => database.dedicated(),
      nextPath: () => join(folder.path, `rows-${++this.#files}.csv`),
      write: (change) => this.#write(storeId, change),
      leave: (left) => void note.leftOut.push(left),
    };
  }

  #noteUnfit(storeId: string, note: SyncNote, error: unknown): void {
    const text = "a columnar copy cannot hold a value; copying row by row";
    this.#deps.log.warn({ err: error, store: storeId }, text);
    note.leftOut = [];
  }

  /** Runs `copyAll` with a snapshot of PostgreSQL and a connection to the copy. */
  async #copying(
    copy: Copy,
    { extent, listed, note }: Listing,
    copyAll: (work: Work) => Promise<void>,
  ): Promise<CopyState> {
    const { storeId, catalog } = copy;
    const { database, calendar } = this.#deps;
    const keys = copy.keys ?? new KnownKeys();
    copy.keys = null;
    const keep = () => {
      copy.keys = keys;
    };
    const connecting = this.#connect(catalog);
    // thrown below, unless something else fails first
    connecting.catch(() => undefined);
    try {
      const client = await database.dedicated();
      let whole = false;
      try {
        const [{ state, changes }, duck] = await together([openSnapshot(client, extent, listed), connecting]);
        const finish = () => writeState(state, calendar.now(), copy.state === null);
        await copyAll({ storeId, catalog, client, duck, changes, note, keys, keep, finish });
        whole = true;
        return state;
      } finally {
        if (whole) closeSnapshot(client);
        else client.release(true);
      }
    } catch (error) {
      throw databaseProblem(error, false) ?? duckProblem(error);
    } finally {
      await connecting.then(
        (duck) => duck.close(),
        () => undefined,
      );
    }
  }

  /** Opens a connection on which a copy's file is selected. */
  async #connect(catalog: string): Promise<WriteConnection> {
    const duck = new WriteConnection(await this.#deps.folder.connect());
    try {
      await duck.run(`USE "${catalog}"`);
      return duck;
    } catch (error) {
      duck.close();
      throw error;
    }
  }

  #write<Result>(storeId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#deps.writing.run(storeId, work);
  }

  async #record(storeId: string, revision: number, always: boolean): Promise<void> {
    const now = this.#deps.calendar.now();
    if (!always && now - (this.#recordedAt.get(storeId) ?? 0) < recordEveryMs) return;
    await recordCopy(this.#deps.database.reader().forStore(storeId), this.#place, revision, new Date(now));
    this.#recordedAt.set(storeId, now);
  }

  #now(): Date {
    return new Date(this.#deps.calendar.now());
  }
}

/** What is to be copied. */
interface Listing {
  extent: Extent;
  /** how many of the changes to list at most */
  listed: number;
  note: SyncNote;
}

/** One sync of a copy: a snapshot of PostgreSQL, and a connection on which the store's file is selected. */
interface Work {
  storeId: string;
  catalog: string;
  client: pg.PoolClient;
  duck: WriteConnection;
  /** what changed, up to the limit of the listing */
  changes: readonly Change[];
  note: SyncNote;
  /** the keys of the copy that are known already */
  keys: KnownKeys;
  /** keeps them for the next sync; only after a commit of everything that used them */
  keep: () => void;
  /** the statements that record the state that the copy now has */
  finish: () => readonly string[];
}

/** sessions, people and orders applied row by row in one part */
const rowsAtOnce = 2_000;
/** uncompressed bytes of sessions per part, so that nothing else is held up; 2,000 ordinary sessions take half */
const rowBytesAtOnce = 2 << 20;
/** changes listed at once, all of which DuckDB replaces with a few statements */
const filedAtMost = 100_000;
/** limit for files that DuckDB reads as a whole; the same as in a first load */
const fileBytesAtMost = 32 << 20;

const isFew = (changes: readonly Change[], fewAtMost: number): boolean =>
  changes.length <= fewAtMost && roomOfAll(changes) <= rowBytesAtOnce;

/**
 * How to bring a copy up to date: nothing to do, apply the changes since, or only load everything again
 * [copy.restored-database, copy.missing-changes].
 */
export function stepFrom(state: CopyState, position: StorePosition): "none" | "changes" | "everything" {
  // rare, and it changes for every order whether its money counts [copy.currency]
  if (position.currency !== state.currency) return "everything";
  const sameRow = state.revision === 0 ? state.token === null : position.own === state.token;
  if (position.revision === state.revision) {
    // a store without changes until its old ones were pruned is still the same
    return sameRow || position.own === null ? "none" : "everything";
  }
  const connected = position.revision > state.revision && position.recorded === position.revision - state.revision;
  return connected && sameRow ? "changes" : "everything";
}

/** Literals, so that they run in one call with the commit. An empty copy has no state yet. */
function writeState({ revision, token, currency }: CopyState, asOf: number, isFirst: boolean): string[] {
  const state = {
    schema: schemaNumber,
    revision: wholeLiteral(revision),
    token: token === null ? "NULL" : literal(token),
    currency: literal(currency),
    as_of: wholeLiteral(Math.round(asOf)),
  };
  if (isFirst)
    return [`INSERT INTO meta (${Object.keys(state).join(", ")}) VALUES (${Object.values(state).join(", ")})`];
  const columns = Object.entries(state).map(([column, value]) => `${column} = ${value}`);
  return [`UPDATE meta SET ${columns.join(", ")}`];
}
