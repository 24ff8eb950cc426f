import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { AdminError } from "../../stores/admin.ts";

/** Files that operators give: one JSON document, or one document a line (NDJSON). */

export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((error) => {
    throw unreadable(path, error);
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new AdminError(`${path} does not hold JSON`);
  }
}

/** Line by line, so that a file of any size is read; blank lines are passed over. */
export async function* readNdjsonFile(
  path: string,
  parse: (text: string) => unknown = JSON.parse,
): AsyncGenerator<{ line: number; value: unknown }> {
  const stream = createReadStream(path, "utf8");
  try {
    let line = 0;
    for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (text.trim() !== "") yield { line, value: parseLine(path, line, () => parse(text)) };
    }
  } catch (error) {
    throw error instanceof AdminError ? error : unreadable(path, error);
  } finally {
    stream.destroy();
  }
}

function parseLine(path: string, line: number, parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    throw new AdminError(`${path} line ${line} does not hold JSON`);
  }
}

function unreadable(path: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new AdminError(`there is no file ${path}`);
  if (code === "EACCES" || code === "EISDIR") return new AdminError(`${path} cannot be read`);
  return error as Error;
}
