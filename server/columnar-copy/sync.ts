import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { databaseProblem } from "../platform/database/failures.ts";
import type { FairQueue } from "../platform/fair-queue.ts";
import type { Log } from "../platform/log.ts";
import { copyOut } from "./copy-out.ts";
import { BrokenCopy, duckProblem, isUnfit } from "./failures.ts";
import { takeFew } from "./few-changes.ts";
import { type Change, fetchChanges, fetchChangesInParts, fitsFiles } from "./few-rows.ts";
import { type LeftOut, tellLeftOut } from "./left-out.ts";
import { type Changed, type Taken, takeMany } from "./many-changes.ts";
import type { SyncNote } from "./metrics.ts";
import { type CopyPlace, findPosition, recordCopy, type StorePosition } from "./records.ts";
import { schemaNumber } from "./schema.ts";
import { SessionLoad } from "./session-load.ts";
import { inTransaction, type Slot } from "./slot.ts";
import { type CopiedRows, linesOf, ordersOf, peopleOf, sessionsOf } from "./source.ts";
import type { Copy, CopyState, StoreFiles } from "./store-files.ts";
import { markAllLatest, takeLines, takeOrders, takePeople } from "./take-over.ts";

export interface SyncDeps {
  database: Database;
  calendar: Calendar;
  log: Log;
  slot: Slot;
  files: StoreFiles;
  /** two at once write to copies: with two questions and as many readings of files that leaves libuv threads (8) to files and DNS */
  writing: FairQueue;
  /** how large a file of rows grows before it is taken over */
  partBytes: number;
  /** more changed sessions, people and orders at once are taken over by way of files */
  fewAtMost: number;
}

export interface Synced {
  revision: number;
  /** the calendar's ms before the store's present was looked up */
  asOf: number;
}

/** a copy is written to its file when this many rows were taken over since */
const writeEvery = 50_000;
/** `facts_copies` is told at most this often how far a copy is, in the calendar's ms */
const recordEveryMs = 60_000;
const copyTimeoutMs = 600_000;

/** Brings copies up to date; the caller sees to it that a store is in work once at a time. */
export class Sync {
  readonly #deps: SyncDeps;
  readonly #place: CopyPlace;
  readonly #recordedAt = new Map<string, number>();
  #files = 0;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#place = { node: deps.slot.node, slot: deps.slot.number };
  }

  /**
   * Brings a store's copy to the present, by its changes where it can, else by loading it all.
   *
   * @param note is told what that came to
   */
  async bringUpToDate(storeId: string, note: SyncNote): Promise<Synced> {
    const synced = await this.#bringUpToDate(storeId, note);
    tellLeftOut(this.#deps.log, storeId, note.leftOut);
    return synced;
  }

  async #bringUpToDate(storeId: string, note: SyncNote): Promise<Synced> {
    const { files, calendar, database, log } = this.#deps;
    const asOf = calendar.now();
    const copy = await files.hold(storeId);
    try {
      const state = copy?.state ?? null;
      const position = await findPosition(database.reader(), storeId, this.#place, state?.revision ?? 0);
      if (!position) throw new Error("a store has no revision row");
      if (copy && state && !position.discard) {
        const step = stepFrom(state, position);
        note.behind = position.revision - state.revision;
        if (step === "none") {
          await this.#record(storeId, state.revision, false);
          note.step = step;
          return { revision: state.revision, asOf };
        }
        if (step === "changes" && (await this.#takeChanges(copy, state, note))) {
          await this.#record(storeId, copy.state?.revision ?? 0, false);
          note.step = step;
          return { revision: copy.state?.revision ?? 0, asOf };
        }
        const { revision, told, own } = position;
        const found = { revision, copied: state.revision, told, sameChange: own === state.token };
        log.info({ store: storeId, ...found }, "a columnar copy does not follow from its store; it is built anew");
        note.reason = "unconnected";
      } else if (position.discard) {
        note.reason = "discarded";
      }
    } catch (error) {
      if (!(error instanceof BrokenCopy)) throw error;
      log.warn({ err: error, store: storeId }, "a columnar copy is damaged; it is built anew");
      note.reason = "damaged";
    } finally {
      if (copy) files.release(copy);
    }
    const revision = await this.#load(storeId, note);
    note.step = "everything";
    return { revision, asOf };
  }

  /** Everything, into a new file: row by row, where the statements over files meet a value that they cannot take. */
  async #load(storeId: string, note: SyncNote): Promise<number> {
    try {
      return await this.#loadBy(storeId, (...on) => this.#takeEverything(...on, note));
    } catch (error) {
      if (!isUnfit(error)) throw error;
      this.#deps.log.warn({ err: error, store: storeId }, unfitFound);
      note.leftOut = [];
      return this.#loadBy(storeId, (...on) => this.#takeEveryRow(...on, note));
    }
  }

  async #loadBy(storeId: string, take: Loading): Promise<number> {
    const { files, database } = this.#deps;
    await files.remove(storeId);
    await recordCopy(database.reader(), storeId, this.#place, null, this.#now());
    const copy = await files.create(storeId);
    try {
      const state = await this.#copying(copy, (client, duck) => take(copy, client, duck));
      await this.#write(storeId, () => files.write(copy));
      copy.state = state;
      await this.#record(storeId, state.revision, true);
      return state.revision;
    } finally {
      files.release(copy);
      if (copy.state === null) await files.remove(storeId);
    }
  }

  async #takeEveryRow(
    { storeId }: Copy,
    client: pg.PoolClient,
    duck: DuckDBConnection,
    note: SyncNote,
  ): Promise<CopyState> {
    const state = await readState(client, storeId);
    const settle = () => writeState(duck, state, this.#deps.calendar.now());
    await this.#takeRows(client, duck, { extent: { storeId, since: null }, settle, note });
    return state;
  }

  async #takeEverything(copy: Copy, client: pg.PoolClient, duck: DuckDBConnection, note: SyncNote): Promise<CopyState> {
    const { storeId } = copy;
    const extent = { storeId, since: null };
    const state = await readState(client, storeId);
    const settle = () => writeState(duck, state, this.#deps.calendar.now());
    const few = await fetchChanges(client, extent, this.#deps.fewAtMost);
    if (few) {
      await this.#takeFew(client, duck, { extent, few, settle, note });
      return state;
    }
    // each file in a transaction of its own: until the last one the copy has no revision, so nobody takes it for one
    const take = (rows: CopiedRows, into: Take) =>
      this.#transfer(client, rows, (path) =>
        this.#write(storeId, () => inTransaction(duck, () => into(duck, path, rows))),
      );
    await take(peopleOf(extent), takePeople);
    await this.#takeAllSessions(copy, client, duck, note);
    await take(ordersOf(extent), takeOrders);
    await take(linesOf(extent), takeLines);
    await this.#write(storeId, () =>
      inTransaction(duck, async () => {
        await markAllLatest(duck);
        await settle();
      }),
    );
    return state;
  }

  async #takeAllSessions(copy: Copy, client: pg.PoolClient, duck: DuckDBConnection, note: SyncNote): Promise<void> {
    const { storeId, catalog } = copy;
    const second = await this.#deps.slot.connect();
    const documents = await this.#deps.database.dedicated();
    const write = (work: () => Promise<void>) => this.#write(storeId, work);
    const leave = (left: LeftOut) => note.leftOut.push(left);
    const load = new SessionLoad({ storeId, ducks: [duck, second], documents, write, leave });
    try {
      await second.run(`USE "${catalog}"`);
      const rows = sessionsOf({ storeId, since: null });
      await this.#transfer(client, rows, (path) => load.take(path, rows));
    } finally {
      // also after a failure: nothing may use a connection that is closed
      await load.finish().finally(() => {
        second.closeSync();
        documents.release();
      });
    }
  }

  /** false: the changes do not connect to the copy after all. */
  async #takeChanges(copy: Copy, before: CopyState, note: SyncNote): Promise<boolean> {
    const { storeId } = copy;
    const state = await this.#copying(copy, async (client, duck) => {
      const next = await readState(client, storeId);
      const extent = { storeId, since: before.revision };
      const few = await fetchChanges(client, extent, this.#deps.fewAtMost);
      const settle = () => writeState(duck, next, this.#deps.calendar.now());
      if (few) await this.#takeFew(client, duck, { extent, few, settle, note });
      else if (await fitsFiles(client, extent)) await this.#takeMany(client, duck, { extent, settle, note });
      else await this.#takeRows(client, duck, { extent, settle, note });
      return next;
    });
    copy.state = state;
    copy.unwritten += state.revision - before.revision;
    if (copy.unwritten >= writeEvery) await this.#write(storeId, () => this.#deps.files.write(copy));
    return true;
  }

  /** Their rows are fetched within the turn at writing: a few ms, in which DuckDB takes out what they replace. */
  #takeFew(client: pg.PoolClient, duck: DuckDBConnection, { extent, few, settle, note }: TakenFew) {
    return this.#write(extent.storeId, () =>
      inTransaction(duck, async () => {
        note.leftOut.push(...(await takeFew(duck, { client, extent }, few)));
        await settle();
      }),
    );
  }

  async #takeMany(client: pg.PoolClient, duck: DuckDBConnection, taken: Taken<Changed>): Promise<void> {
    try {
      const write = (work: () => Promise<void>) => this.#write(taken.extent.storeId, work);
      await takeMany({ client, duck, write, nextPath: () => this.#nextPath() }, taken);
    } catch (error) {
      if (!isUnfit(error)) throw error;
      this.#deps.log.warn({ err: error, store: taken.extent.storeId }, unfitFound);
      taken.note.leftOut = [];
      await this.#takeRows(client, duck, taken);
    }
  }

  /**
   * Everything row by row, a few thousand at a time: where statements over files would take too much memory, or met a row that
   * they cannot take, which this way leaves out.
   */
  async #takeRows(client: pg.PoolClient, duck: DuckDBConnection, { extent, settle, note }: Taken): Promise<void> {
    const parts = await fetchChangesInParts(client, extent, rowsAtOnce);
    // also of an empty copy: an order comes in with its session, and again with its own part
    const changed = { storeId: extent.storeId, since: extent.since ?? 0 };
    await this.#write(extent.storeId, () =>
      inTransaction(duck, async () => {
        for (const few of parts) note.leftOut.push(...(await takeFew(duck, { client, extent: changed }, few)));
        await settle();
      }),
    );
  }

  async #transfer(client: pg.PoolClient, rows: CopiedRows, into: (path: string) => Promise<void>): Promise<void> {
    const paths: string[] = [];
    const nextPath = () => {
      const path = this.#nextPath();
      paths.push(path);
      return path;
    };
    const take = async (path: string) => {
      await into(path);
      await rm(path, { force: true });
    };
    try {
      await copyOut(client, rows.query, { partBytes: this.#deps.partBytes, nextPath, take });
    } finally {
      for (const path of paths) await rm(path, { force: true });
    }
  }

  /** One snapshot of PostgreSQL on one side, a connection to the copy on the other. */
  async #copying<Result>(
    copy: Copy,
    work: (client: pg.PoolClient, duck: DuckDBConnection) => Promise<Result>,
  ): Promise<Result> {
    const { database, slot } = this.#deps;
    const duck = await slot.connect();
    try {
      await duck.run(`USE "${copy.catalog}"`);
      const client = await database.dedicated();
      let whole = false;
      try {
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        await client.query(`SET LOCAL statement_timeout = ${copyTimeoutMs}`);
        const result = await work(client, duck);
        await client.query("COMMIT");
        whole = true;
        return result;
      } finally {
        client.release(!whole);
      }
    } catch (error) {
      throw databaseProblem(error, false) ?? duckProblem(error);
    } finally {
      duck.closeSync();
    }
  }

  #write<Result>(storeId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#deps.writing.run(storeId, work);
  }

  async #record(storeId: string, revision: number, always: boolean): Promise<void> {
    const now = this.#deps.calendar.now();
    if (!always && now - (this.#recordedAt.get(storeId) ?? 0) < recordEveryMs) return;
    await recordCopy(this.#deps.database.reader(), storeId, this.#place, revision, new Date(now));
    this.#recordedAt.set(storeId, now);
  }

  #now(): Date {
    return new Date(this.#deps.calendar.now());
  }

  #nextPath(): string {
    this.#files += 1;
    return join(this.#deps.slot.folder, `rows-${this.#files}.csv`);
  }
}

type TakenFew = Taken & { few: readonly Change[] };

type Loading = (copy: Copy, client: pg.PoolClient, duck: DuckDBConnection) => Promise<CopyState>;

const unfitFound = "a columnar copy met a value that it cannot hold; it is taken over row by row";
/** sessions, people and orders that are taken over as rows at once */
const rowsAtOnce = 2_000;

type Take = (duck: DuckDBConnection, path: string, rows: CopiedRows) => Promise<void>;

/** What leads from a copy to the present: nothing, the changes since, or only a new copy. */
export function stepFrom(state: CopyState, position: StorePosition): "none" | "changes" | "everything" {
  // rare, and it says of every order anew whether its money counts
  if (position.currency !== state.currency) return "everything";
  const sameRow = state.revision === 0 ? state.token === null : position.own === state.token;
  if (position.revision === state.revision) {
    // a store that was quiet until its changes were pruned is still the same
    return sameRow || position.own === null ? "none" : "everything";
  }
  const connected = position.revision > state.revision && position.told === position.revision - state.revision;
  return connected && sameRow ? "changes" : "everything";
}

async function readState(client: pg.PoolClient, storeId: string): Promise<CopyState> {
  const { rows } = await client.query<CopyState>(
    `SELECT r.revision, (SELECT c.token FROM changes c WHERE c.store_id = $1 AND c.revision = r.revision LIMIT 1) AS token,
       (SELECT s.currency FROM stores s WHERE s.id = $1) AS currency
     FROM store_revisions r WHERE r.store_id = $1`,
    [storeId],
  );
  const [row] = rows;
  if (!row) throw new Error("a store has no revision row");
  return row;
}

async function writeState(
  duck: DuckDBConnection,
  { revision, token, currency }: CopyState,
  asOf: number,
): Promise<void> {
  await duck.run("DELETE FROM meta");
  await duck.run("INSERT INTO meta VALUES ($1, $2, $3, $4, $5)", [schemaNumber, revision, token, currency, asOf]);
}
