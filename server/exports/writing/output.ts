import { createHash } from "node:crypto";
import type { FileSink } from "../../platform/files/types.ts";
import type { ByteOutput } from "./table.ts";

/** What became of a build's file. */
export interface Written {
  rows: number;
  bytes: number;
  /** SHA-256 */
  digest: Buffer;
}

/** Passes a file's bytes to its sink, and counts and hashes them [exports.digest]. */
export class Output implements ByteOutput {
  readonly #sink: FileSink;
  readonly #hash = createHash("sha256");
  #bytes = 0;

  constructor(sink: FileSink) {
    this.#sink = sink;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#sink.write(bytes);
  }

  /** The size and SHA-256 of what was written; call it once, at the end. */
  finished(): Pick<Written, "bytes" | "digest"> {
    return { bytes: this.#bytes, digest: this.#hash.digest() };
  }
}

const chunkLength = 128 * 1024;

/** Collects text into chunks, so that a file is not written row by row. */
export class TextOutput {
  readonly #output: ByteOutput;
  #chunk = "";

  constructor(output: ByteOutput) {
    this.#output = output;
  }

  async write(text: string): Promise<void> {
    this.#chunk += text;
    if (this.#chunk.length >= chunkLength) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.#chunk);
    this.#chunk = "";
    await this.#output.write(bytes);
  }
}
