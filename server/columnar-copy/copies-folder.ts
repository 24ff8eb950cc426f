import { mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type RandomBytes, uuidFromBytes } from "../platform/ids.ts";
import type { CopyPlace } from "./records.ts";

/**
 * The folder of a process's copies: `facts/<n>/`, locked through DuckDB's own lock on `slot.duckdb` in it
 * [copy.places]. The next process takes over the folder of a killed one, including its copies.
 */

export interface FolderSettings {
  directory: string;
  memoryLimitMb: number;
  threads: number;
  random: RandomBytes;
}

/**
 * DuckDB refuses to open a file in a second process, but a second instance in the same process may open it and corrupt
 * it.
 */
const lockedHere = new Set<string>();
const foldersAtMost = 256;

export class CopiesFolder {
  /** UUID of the directory, under which copies are recorded */
  readonly node: string;
  readonly number: number;
  readonly path: string;
  readonly instance: DuckDBInstance;
  #spare: Promise<DuckDBConnection> | null = null;

  private constructor(node: string, number: number, path: string, instance: DuckDBInstance) {
    this.node = node;
    this.number = number;
    this.path = path;
    this.instance = instance;
  }

  /** Locks the first free folder. */
  static async open(settings: FolderSettings): Promise<CopiesFolder> {
    await mkdir(settings.directory, { recursive: true, mode: 0o700 });
    const directory = await realpath(settings.directory);
    const node = await nodeOf(directory, settings.random);
    for (let number = 1; number <= foldersAtMost; number++) {
      const folder = join(directory, String(number));
      const instance = await tryOpen(folder, settings);
      if (instance === null) continue;
      await clearLeftOvers(folder);
      return new CopiesFolder(node, number, folder, instance);
    }
    throw new Error(`all ${foldersAtMost} places for columnar copies in ${directory} are taken`);
  }

  /** The folder's key in `facts_copies`. */
  get place(): CopyPlace {
    return { node: this.node, slot: this.number };
  }

  /** Opens a connection. The next one is opened in advance, since each question waits for its own. */
  connect(): Promise<DuckDBConnection> {
    const next = this.#spare ?? this.instance.connect();
    const spare = this.instance.connect();
    this.#spare = spare;
    // the next caller tries again, and learns why if that fails too
    spare.catch(() => {
      if (this.#spare === spare) this.#spare = null;
    });
    return next;
  }

  /** Calls `work` for each folder of this directory whose process is gone, holding its lock; `work` empties it. */
  async eachDead(settings: FolderSettings, work: (number: number, storeIds: string[]) => Promise<void>): Promise<void> {
    const directory = join(this.path, "..");
    for (const name of await readdir(directory)) {
      const number = /^\d{1,3}$/.test(name) ? Number(name) : 0;
      const folder = join(directory, name);
      if (number === 0 || number === this.number || (await storeIdsIn(folder)).length === 0) continue;
      const instance = await tryOpen(folder, { ...settings, memoryLimitMb: 64, threads: 1 });
      if (instance === null) continue;
      try {
        await work(number, await storeIdsIn(folder));
      } finally {
        instance.closeSync();
        lockedHere.delete(folder);
      }
    }
  }

  async close(): Promise<void> {
    const spare = await this.#spare?.catch(() => null);
    spare?.closeSync();
    this.instance.closeSync();
    lockedHere.delete(this.path);
  }
}

const storeFile = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.duckdb$/;

export const storePath = (folder: string, storeId: string): string => join(folder, `${storeId}.duckdb`);

/** The stores that have a file in a folder. */
export async function storeIdsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => storeFile.exec(name)?.[1] ?? []);
}

export async function deleteStoreFile(folder: string, storeId: string): Promise<void> {
  const path = storePath(folder, storeId);
  await rm(`${path}.wal`, { force: true });
  await rm(path, { force: true });
}

/** Returns null if another process holds the lock. */
async function tryOpen(folder: string, settings: FolderSettings): Promise<DuckDBInstance | null> {
  if (lockedHere.has(folder)) return null;
  lockedHere.add(folder);
  const path = join(folder, "slot.duckdb");
  const options = {
    memory_limit: `${settings.memoryLimitMb}MB`,
    threads: String(settings.threads),
    temp_directory: join(folder, "temp"),
    max_temp_directory_size: "16GB",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    preserve_insertion_order: "false",
    // A checkpoint rewrites the last, unfinished row group of each table. With the default threshold of 16 MB this took
    // a third of a first load.
    checkpoint_threshold: "128MB",
  };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      return await DuckDBInstance.create(path, options);
    } catch (error) {
      if (isLocked(error)) throw error;
      // the file contains nothing but the lock
      await rm(path, { force: true });
      await rm(`${path}.wal`, { force: true });
      return await DuckDBInstance.create(path, options);
    }
  } catch (error) {
    lockedHere.delete(folder);
    if (isLocked(error)) return null;
    throw error;
  }
}

const isLocked = (error: unknown): boolean => error instanceof Error && /Could not set lock/i.test(error.message);

async function clearLeftOvers(folder: string): Promise<void> {
  await rm(join(folder, "temp"), { recursive: true, force: true });
  for (const name of await readdir(folder)) {
    if (name.endsWith(".csv")) await rm(join(folder, name), { force: true });
  }
}

async function nodeOf(directory: string, random: RandomBytes): Promise<string> {
  const path = join(directory, "node");
  const bytes = Buffer.from(random(16));
  try {
    await writeFile(path, uuidFromBytes(bytes), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  // another process may have created the file first, without having written to it yet
  for (let attempt = 0; attempt < 50; attempt++) {
    const text = await readFile(path, "utf8");
    if (text.length === 36) return text;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${path} contains no id; delete the folder of columnar copies`);
}
