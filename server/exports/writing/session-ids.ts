import { uuidBytes, uuidFromBytes } from "../../platform/ids.ts";

const idBytes = 16;
const idsPerChunk = 256;

/** Ids of sessions in order, in 16 bytes each: as texts, those of a large store would take most of the memory. */
export class SessionIds {
  readonly #chunks: Buffer[] = [];
  #count = 0;

  /** @param id a UUID */
  add(id: string): void {
    const place = this.#count % idsPerChunk;
    if (place === 0) this.#chunks.push(Buffer.alloc(idBytes * idsPerChunk));
    this.#chunks.at(-1)?.set(uuidBytes(id), place * idBytes);
    this.#count += 1;
  }

  /** The ids, up to `size` at a time. */
  *pages(size: number): Generator<string[]> {
    for (let from = 0; from < this.#count; from += size) {
      yield Array.from({ length: Math.min(size, this.#count - from) }, (_, index) => this.#at(from + index));
    }
  }

  #at(index: number): string {
    const start = (index % idsPerChunk) * idBytes;
    const chunk = this.#chunks[Math.floor(index / idsPerChunk)] ?? Buffer.alloc(0);
    return uuidFromBytes(chunk.subarray(start, start + idBytes));
  }
}
