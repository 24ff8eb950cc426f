import { stat } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Log } from "../platform/log.ts";
import { type CopiesFolder, deleteStoreFile, storePath } from "./copies-folder.ts";
import { read, runAll } from "./duck.ts";
import type { KnownKeys } from "./known-keys.ts";
import { createTable, schemaNumber, tables } from "./schema.ts";

/** The state of a store that a file is a copy of. */
export interface CopyState {
  revision: number;
  /** token of the newest change in it; null if there was none */
  token: string | null;
  /** the store's currency; orders in another one add no money */
  currency: string;
}

/** An attached file of a store. It stays attached while it has holders. */
export interface Copy {
  readonly storeId: string;
  readonly catalog: string;
  /** null during its first load */
  state: CopyState | null;
  holders: number;
  lastUse: number;
  /** changes applied since the last checkpoint */
  unwritten: number;
  /** the keys in it, if the last change was applied row by row */
  keys: KnownKeys | null;
}

interface Attached extends Copy {
  /** set when the file is to be deleted; nobody may take hold of it any more */
  leaving: Promise<void> | null;
  /** called when the last holder releases it */
  idle: (() => void) | null;
}

/**
 * The attached files of the single DuckDB instance: at most `limit`. The least recently used one is detached first, but
 * never one with holders [copy.open-files]. Attaching and detaching are serialized. One place is kept free, so that the
 * next store need not wait for another one's checkpoint.
 */
export class StoreFiles {
  readonly #folder: CopiesFolder;
  readonly #limit: number;
  readonly #connection: DuckDBConnection;
  readonly #log: Log;
  readonly #attached = new Map<string, Attached>();
  #uses = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(folder: CopiesFolder, limit: number, log: Log, connection: DuckDBConnection) {
    this.#folder = folder;
    this.#log = log;
    this.#limit = limit;
    this.#connection = connection;
  }

  static async open(folder: CopiesFolder, limit: number, log: Log): Promise<StoreFiles> {
    return new StoreFiles(folder, limit, log, await folder.connect());
  }

  get attachedCount(): number {
    return this.#attached.size;
  }

  /**
   * Takes hold of a store's copy; returns null if there is no usable one. An unusable file is deleted [copy.restart].
   */
  async hold(storeId: string): Promise<Copy | null> {
    for (;;) {
      const copy = this.#attached.get(storeId);
      if (copy?.leaving) await copy.leaving;
      else if (copy) return this.#acquire(copy);
      else {
        const found = await this.#alone(() => this.#attachExisting(storeId));
        if (found !== "again") return found;
      }
    }
  }

  /** Creates an empty file, replacing any other. The caller holds it. */
  async create(storeId: string): Promise<Copy> {
    await this.remove(storeId);
    return this.#alone(async () => {
      await deleteStoreFile(this.#folder.path, storeId);
      const copy = await this.#attach(storeId);
      await runAll(
        this.#connection,
        tables.map((table) => createTable(table, `"${copy.catalog}".main`)),
      );
      return this.#acquire(copy);
    });
  }

  release(copy: Copy): void {
    copy.holders -= 1;
    if (copy.holders === 0) this.#attached.get(copy.storeId)?.idle?.();
  }

  /** Deletes a store's file once it has no holders. */
  async remove(storeId: string): Promise<void> {
    const copy = this.#attached.get(storeId);
    if (!copy) {
      await this.#alone(async () => {
        if (!this.#attached.has(storeId)) await deleteStoreFile(this.#folder.path, storeId);
      });
      return;
    }
    copy.leaving ??= this.#leave(copy);
    await copy.leaving;
  }

  async #leave(copy: Attached): Promise<void> {
    if (copy.holders > 0) {
      await new Promise<void>((resolve) => {
        copy.idle = resolve;
      });
    }
    await this.#alone(async () => {
      await this.#connection.run(`DETACH "${copy.catalog}"`).catch(() => undefined);
      this.#attached.delete(copy.storeId);
      await deleteStoreFile(this.#folder.path, copy.storeId);
    });
  }

  /** Checkpoints the file, so that less has to be replayed after a kill [copy.killed-process]. */
  async write(copy: Copy): Promise<void> {
    copy.unwritten = 0;
    await this.#connection.run(`CHECKPOINT "${copy.catalog}"`);
  }

  /** The size of a store's file in bytes. */
  async size(storeId: string): Promise<number> {
    const found = await stat(storePath(this.#folder.path, storeId)).catch(() => null);
    return found?.size ?? 0;
  }

  /** Sequence number of its last use in this process; 0 if it was not used. */
  lastUse(storeId: string): number {
    return this.#attached.get(storeId)?.lastUse ?? 0;
  }

  isInUse(storeId: string): boolean {
    return (this.#attached.get(storeId)?.holders ?? 0) > 0;
  }

  async close(): Promise<void> {
    await this.#alone(async () => {
      for (const copy of [...this.#attached.values()]) await this.#detach(copy).catch(() => undefined);
      this.#connection.closeSync();
    });
  }

  #acquire(copy: Attached): Attached {
    copy.holders += 1;
    copy.lastUse = ++this.#uses;
    return copy;
  }

  async #attachExisting(storeId: string): Promise<Attached | null | "again"> {
    if (this.#attached.has(storeId)) return "again";
    const path = storePath(this.#folder.path, storeId);
    if ((await stat(path).catch(() => null)) === null) return null;
    try {
      const copy = await this.#attach(storeId);
      copy.state = await this.#readState(copy.catalog);
      return this.#acquire(copy);
    } catch (error) {
      // another schema, an unfinished load or a damaged file: delete it, since it is only a copy
      this.#log.warn({ err: error, store: storeId }, "a columnar copy is unusable; deleting it");
      const copy = this.#attached.get(storeId);
      if (copy) await this.#connection.run(`DETACH "${copy.catalog}"`).catch(() => undefined);
      this.#attached.delete(storeId);
      await deleteStoreFile(this.#folder.path, storeId);
      return null;
    }
  }

  async #attach(storeId: string): Promise<Attached> {
    await this.#makeRoom(this.#limit - 1);
    const catalog = `s_${storeId.replaceAll("-", "")}`;
    const path = storePath(this.#folder.path, storeId).replaceAll("'", "''");
    await this.#connection.run(`ATTACH '${path}' AS "${catalog}" (RECOVERY_MODE no_wal_writes, BLOCK_SIZE 16384)`);
    const copy = {
      storeId,
      catalog,
      state: null,
      holders: 0,
      lastUse: 0,
      unwritten: 0,
      keys: null,
      leaving: null,
      idle: null,
    };
    this.#attached.set(storeId, copy);
    this.#keepOneFree();
    return copy;
  }

  #keepOneFree(): void {
    if (this.#attached.size < this.#limit || this.#limit === 1) return;
    this.#alone(() => this.#makeRoom(this.#limit - 1)).catch((error) =>
      this.#log.warn({ err: error }, "could not close a columnar copy; retrying when the next one is opened"),
    );
  }

  async #readState(catalog: string): Promise<CopyState> {
    const [row, ...more] = await read<CopyState & { schema: number }>(
      this.#connection,
      `SELECT schema, revision, token, currency FROM "${catalog}".main.meta WHERE revision IS NOT NULL`,
    );
    if (!row || more.length > 0 || row.schema !== schemaNumber) throw new Error("not a finished copy");
    const { revision, token, currency } = row;
    return { revision, token, currency };
  }

  async #makeRoom(atMost: number): Promise<void> {
    while (this.#attached.size > atMost) {
      const free = [...this.#attached.values()].filter((copy) => copy.holders === 0 && copy.leaving === null);
      const oldest = free.reduce<Attached | null>(
        (old, copy) => (old && old.lastUse < copy.lastUse ? old : copy),
        null,
      );
      if (oldest === null) return;
      await this.#detach(oldest);
    }
  }

  async #detach(copy: Attached): Promise<void> {
    // from now on nobody finds it; the next caller waits and attaches it again
    this.#attached.delete(copy.storeId);
    // a checkpoint takes ten ms or more, even if there is nothing to write
    if (copy.unwritten > 0) await this.#connection.run(`CHECKPOINT "${copy.catalog}"`).catch(() => undefined);
    await this.#connection.run(`DETACH "${copy.catalog}"`);
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
