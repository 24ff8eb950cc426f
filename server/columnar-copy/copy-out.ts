import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type pg from "pg";
import { CopiedRows } from "../platform/database/copied-rows.ts";

/** Writes the rows of a COPY ... TO STDOUT to files as raw bytes, without creating JavaScript objects. */

/**
 * The delimiter and quote of fields: control characters that texts rarely contain, so that hardly any field, and no
 * JSON, has to be quoted.
 */
export const fieldDelimiter = "\u0002";
export const fieldQuote = "\u0001";

export interface CopyOutOptions {
  /**
   * Size in bytes at which a file is handed over; later files grow to four times this. Small files at first let both
   * sides start early; large ones later let DuckDB insert whole row groups.
   */
  partBytes: number;
  /** returns the path of the next file */
  nextPath: () => string;
  /**
   * Processes a finished file. Rows are read meanwhile, but the next file is handed over only when this is done, so
   * that at most two files exist at a time.
   */
  work: (path: string) => Promise<void>;
}

/** Runs `query` within the client's transaction and writes its rows to files, split between rows. */
export async function copyOut(
  client: pg.PoolClient,
  query: string,
  { partBytes, nextPath, work }: CopyOutOptions,
): Promise<void> {
  const rows = new CopiedRows(
    `COPY (${query}) TO STDOUT (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ENCODING 'UTF8')`,
    Math.min(pieceBytes, partBytes),
  );
  client.query(rows);
  let file: { handle: FileHandle; path: string; bytes: number } | null = null;
  let mostBytes = partBytes;
  let working = Promise.resolve();
  const handOver = async ({ handle, path }: { handle: FileHandle; path: string }) => {
    await handle.close();
    file = null;
    await working;
    working = work(path);
    // rethrown at the next await; until then a failure must not count as an unhandled rejection
    working.catch(() => undefined);
  };
  try {
    for await (const bytes of rows.pieces()) {
      if (file === null) {
        const path = nextPath();
        file = { handle: await open(path, "w", 0o600), path, bytes: 0 };
      }
      await file.handle.writeFile(bytes);
      file.bytes += bytes.length;
      if (file.bytes < mostBytes) continue;
      mostBytes = Math.min(mostBytes * 1.5, partBytes * 4);
      await handOver(file);
    }
    if (file !== null) await handOver(file);
    await working;
  } finally {
    await working.catch(() => undefined);
    await (file as { handle: FileHandle } | null)?.handle.close();
  }
}

const pieceBytes = 1 << 20;
