import type { Readable } from "node:stream";
import { LocalFiles } from "./local.ts";
import type { ByteRange, FileSink, FileStorage } from "./types.ts";

/**
 * The storage that `EXPORT_STORAGE` names: a directory, or `s3://bucket/prefix` [exports.storage]. Does not access it
 * yet.
 */
export function openFiles(exportStorage: string): FileStorage {
  const bucket = /^s3:\/\/([^/]+)\/?(.*)$/.exec(exportStorage);
  if (!bucket) return new LocalFiles(exportStorage);
  const prefix = (bucket[2] ?? "").replace(/\/+$/, "");
  return new LateFiles(async () => {
    const { S3Files } = await import("./s3.ts");
    return new S3Files({ bucket: bucket[1] ?? "", prefix: prefix === "" ? "" : `${prefix}/` });
  });
}

/** A storage that is loaded at its first use: the SDK takes time and memory, and few installations need it. */
class LateFiles implements FileStorage {
  readonly #load: () => Promise<FileStorage>;
  #loaded: Promise<FileStorage> | null = null;

  constructor(load: () => Promise<FileStorage>) {
    this.#load = load;
  }

  #get(): Promise<FileStorage> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  async write(name: string): Promise<FileSink> {
    return (await this.#get()).write(name);
  }

  async read(name: string, range?: ByteRange): Promise<Readable> {
    return (await this.#get()).read(name, range);
  }

  async remove(name: string): Promise<void> {
    return (await this.#get()).remove(name);
  }

  async *names(): AsyncGenerator<string> {
    yield* (await this.#get()).names();
  }

  close(): void {
    void this.#loaded?.then((files) => files.close());
  }
}
