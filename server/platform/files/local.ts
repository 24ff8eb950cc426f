import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Readable } from "node:stream";
import { syncFolder } from "../sync-folder.ts";
import {
  assertFileName,
  type ByteRange,
  FileMissing,
  type FileSink,
  type FileStorage,
  guarded,
  storageFailed,
} from "./types.ts";

/** Files in a directory, readable only by the program's own user: they may hold personal data [exports.storage]. */
export class LocalFiles implements FileStorage {
  readonly #directory: string;

  /** @param directory created at the first write */
  constructor(directory: string) {
    this.#directory = directory;
  }

  write(name: string): Promise<FileSink> {
    const path = this.#pathOf(name);
    return guarded(async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return new LocalSink(path, await open(path + unfinished, "w", 0o600));
    });
  }

  async read(name: string, range?: ByteRange): Promise<Readable> {
    const path = this.#pathOf(name);
    const file = await open(path, "r").catch((error) => {
      throw isMissing(error) ? new FileMissing(name) : storageFailed(error);
    });
    return file.createReadStream({ ...range, highWaterMark: pieceBytes });
  }

  remove(name: string): Promise<void> {
    const path = this.#pathOf(name);
    return guarded(async () => {
      for (const each of [path, path + unfinished]) await rm(each, { force: true });
    });
  }

  async *names(): AsyncGenerator<string> {
    for (const folder of await entriesOf(this.#directory)) {
      if (!folder.isDirectory()) continue;
      for (const file of await entriesOf(join(this.#directory, folder.name))) {
        if (!file.isFile()) continue;
        const path = relative(this.#directory, join(file.parentPath, file.name)).replaceAll(sep, "/");
        yield path.endsWith(unfinished) ? path.slice(0, -unfinished.length) : path;
      }
    }
  }

  close(): void {
    // nothing stays open between calls
  }

  #pathOf(name: string): string {
    assertFileName(name);
    return join(this.#directory, name);
  }
}

const unfinished = ".part";
const pieceBytes = 256 * 1024;

class LocalSink implements FileSink {
  readonly #path: string;
  readonly #file: FileHandle;
  #open = true;

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  write(bytes: Uint8Array): Promise<void> {
    // writes all bytes at the current position, unlike the handle's own `write`
    return guarded(() => this.#file.writeFile(bytes));
  }

  finish(): Promise<void> {
    return guarded(async () => {
      await this.#file.sync();
      await this.#close();
      await rename(this.#path + unfinished, this.#path);
      await syncFolder(dirname(this.#path));
    });
  }

  abort(): Promise<void> {
    return guarded(async () => {
      await this.#close();
      await rm(this.#path + unfinished, { force: true });
    });
  }

  async #close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#file.close();
  }
}

const entriesOf = (path: string) =>
  readdir(path, { withFileTypes: true }).catch((error) => {
    if (isMissing(error)) return [];
    throw storageFailed(error);
  });

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
