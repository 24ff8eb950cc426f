import { hash } from "node:crypto";
import type pg from "pg";
import { CopiedRows } from "./copied-rows.ts";

/** What a table's rows amount to, whatever order they come in. */
export interface Tally {
  rows: number;
  /** as text */
  bytes: number;
  /** 32 hexadecimal digits: the sum of the rows' SHA-256 digests, their first 128 bits */
  digest: string;
}

const lineFeed = 10;
const bits = 128n;

/** Counts and digests rows in COPY's text format, in which a line feed ends a row and is nowhere else. */
export class RowTally {
  #rows = 0;
  #bytes = 0;
  #sum = 0n;

  /** @param piece whole rows; returns how many */
  add(piece: Buffer): number {
    let rows = 0;
    for (let start = 0; start < piece.length; rows += 1) {
      const end = piece.indexOf(lineFeed, start);
      if (end < 0) throw new Error("a piece of COPY ends within a row");
      const digest = hash("sha256", piece.subarray(start, end), "buffer");
      this.#sum += (digest.readBigUInt64BE(0) << 64n) | digest.readBigUInt64BE(8);
      start = end + 1;
    }
    this.#sum = BigInt.asUintN(Number(bits), this.#sum);
    this.#rows += rows;
    this.#bytes += piece.length;
    return rows;
  }

  get total(): Tally {
    return { rows: this.#rows, bytes: this.#bytes, digest: this.#sum.toString(16).padStart(Number(bits) / 4, "0") };
  }
}

export const isSame = (one: Tally, other: Tally): boolean => one.rows === other.rows && one.digest === other.digest;

const pieceBytes = 1 << 18;

/** The rows of a query in COPY's text format, in pieces of whole rows. */
export function rowsOf(client: pg.ClientBase, query: string): AsyncGenerator<Buffer> {
  const rows = new CopiedRows(`COPY (${query}) TO STDOUT`, pieceBytes);
  client.query(rows);
  return rows.pieces();
}

export async function tallyOf(client: pg.ClientBase, query: string): Promise<Tally> {
  const tally = new RowTally();
  for await (const piece of rowsOf(client, query)) tally.add(piece);
  return tally.total;
}
