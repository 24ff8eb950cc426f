import { createReadStream } from "node:fs";
import { access, constants, readFile } from "node:fs/promises";
import { findFault } from "../http/scan.ts";
import { OperatorError } from "../operator-error.ts";

/** Reads files that operators pass: one JSON document, or one document per line (NDJSON). */

export async function readJsonFile(path: string): Promise<unknown> {
  const bytes = await readFile(path).catch((error) => {
    throw unreadable(path, error);
  });
  const read = readDocument(bytes, JSON.parse) ?? { refused: noJson };
  if ("refused" in read) throw new OperatorError(`${path} ${read.refused}`);
  return read.value;
}

/** For a file that is read later: a missing one would otherwise count as empty. */
export async function assertFile(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((error) => {
    throw unreadable(path, error);
  });
}

export type NdjsonLine = { line: number } & ({ value: unknown } | { refused: string });

const lineFeed = 10;
/** A longer line is refused without being held in memory. */
const longestLine = 64 * 1024 * 1024;

/**
 * Reads line by line, so that the file may have any size; blank lines are skipped [command-line.files]. Only a line
 * feed ends a line: JSON strings may contain other line-ending characters (U+2028, U+2029). A line that is not JSON is
 * reported as such.
 */
export async function* readNdjsonFile(
  path: string,
  parse: (text: string) => unknown = JSON.parse,
): AsyncGenerator<NdjsonLine> {
  const stream = createReadStream(path);
  try {
    let line = 0;
    for await (const bytes of linesOf(stream)) {
      line += 1;
      const read = bytes === null ? { refused: "is longer than 64 MB" } : readDocument(bytes, parse);
      if (read !== null) yield { line, ...read };
    }
  } catch (error) {
    throw error instanceof OperatorError ? error : unreadable(path, error);
  } finally {
    stream.destroy();
  }
}

/** null: a line that is too long. */
async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer): void => {
    size += part.length;
    if (size > longestLine) parts = [];
    else parts.push(part);
  };
  const whole = (): Buffer | null => {
    const bytes = size > longestLine ? null : Buffer.concat(parts);
    parts = [];
    size = 0;
    return bytes;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      add(chunk.subarray(from, end));
      yield whole();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  if (size > 0) yield whole();
}

const noJson = "does not hold JSON";
/** An operator's own file: only its depth is checked. */
const unbounded = { nul: true, maxFields: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** null: a blank line. */
function readDocument(
  bytes: Buffer,
  parse: (text: string) => unknown,
): { value: unknown } | { refused: string } | null {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { refused: "is not UTF-8" };
  }
  if (text.trim() === "") return null;
  // the code that handles it may recurse, and must not overflow the stack
  const fault = findFault(bytes, unbounded);
  if (fault !== null) return { refused: fault };
  try {
    return { value: parse(text) };
  } catch {
    return { refused: noJson };
  }
}

function unreadable(path: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new OperatorError(`there is no file ${path}`);
  if (code === "EACCES" || code === "EISDIR") return new OperatorError(`${path} cannot be read`);
  return error as Error;
}
