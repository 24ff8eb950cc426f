import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Searches files for erased data: exports, columnar copies, and anything else next to the database. */

export interface Search {
  /** lower-case texts that must not occur */
  texts: readonly string[];
  /** whether one of the texts contains an erased contact */
  holdsContact: (...texts: string[]) => boolean;
}

export interface Place {
  /** `table.column`, a file's path below its folder, or a copy */
  place: string;
  /** number of rows, or of a file's bytes, that were searched */
  searched: number;
}

export interface Finding {
  place: string;
  /** number of matching rows or pieces of a file; otherwise 1 */
  found: number;
  what: "contact" | "value" | "person" | "answer" | "copy";
}

export type Note = (place: Place, ...findings: Finding[]) => void;

const pieceBytes = 1 << 20;
/** longer than any contact, so that one that spans two pieces is found in the second */
const overlapBytes = 2_048;

/** Searches a file, or a folder with its subfolders. `path` may be missing. Links are not followed. */
export async function searchFiles(
  { path, called }: { path: string; called: string },
  search: Search,
  note: Note,
): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory() && !entry.isFile()) continue;
      await searchFiles({ path: join(path, entry.name), called: `${called}/${entry.name}` }, search, note);
    }
  } else if (found?.isFile()) await searchFile(path, called, search, note);
}

async function searchFile(path: string, place: string, search: Search, note: Note): Promise<void> {
  const file = await open(path, "r").catch((error) => {
    // deleted since the folder was read
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  });
  if (file === null) return;
  let [searched, values, contacts] = [0, 0, 0];
  try {
    const buffer = Buffer.alloc(pieceBytes + overlapBytes);
    let carried = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, carried, pieceBytes, null);
      if (bytesRead === 0) break;
      searched += bytesRead;
      const text = buffer.toString("utf8", 0, carried + bytesRead);
      const lower = text.toLowerCase();
      if (search.texts.some((value) => lower.includes(value))) values += 1;
      if (search.holdsContact(text)) contacts += 1;
      const end = carried + bytesRead;
      carried = Math.min(overlapBytes, end);
      buffer.copy(buffer, 0, end - carried, end);
    }
  } finally {
    await file.close();
  }
  note({ place, searched }, { place, found: values, what: "value" }, { place, found: contacts, what: "contact" });
}
