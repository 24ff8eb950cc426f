import { access, constants, mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isoTime } from "../platform/clock.ts";
import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { giveToFoldersOwner } from "../platform/folder-owner.ts";
import { isUuid } from "../platform/ids.ts";
import { LastingError } from "../platform/operator-error.ts";

/** A line of the ledger: a row of the table `erasures` as JSON. It contains no personal data. */
export interface LedgerEntry {
  id: string;
  store_id: string;
  scope: "people" | "store";
  profile_ids: string[];
  session_ids: string[];
  order_ids: string[];
  hashes: string[];
  /** RFC 3339 */
  erased_at: string;
  erased_by: string;
  revision: number;
}

/** The ledger file of a data directory. */
export const ledgerPath = (dataDir: string): string => join(dataDir, "erasures.ndjson");

/** Who requested an erasure, or, with `again`, the ledger entry that is carried out once more. */
export type Naming = { by: string } | { again: LedgerEntry };

/**
 * The ledger entry of an erasure. An erasure that is carried out again keeps its id and time, and everything it named
 * before.
 */
export function entryOf(
  naming: Naming,
  found: Omit<LedgerEntry, "erased_by" | "erased_at"> & { at: number },
): LedgerEntry {
  const { at, ...entry } = found;
  if ("by" in naming) return { ...entry, erased_at: isoTime(at), erased_by: naming.by };
  const { again } = naming;
  const union = (known: readonly string[], added: readonly string[]) => [...new Set([...known, ...added])];
  return {
    ...again,
    profile_ids: union(again.profile_ids, entry.profile_ids),
    session_ids: union(again.session_ids, entry.session_ids),
    order_ids: union(again.order_ids, entry.order_ids),
    hashes: union(again.hashes, entry.hashes),
    revision: entry.revision,
  };
}

/**
 * The ledger file outside the database: a restored backup does not know of later erasures, but this file does
 * [erasure.ledger]. Lines are appended and synced before the transaction commits, so that an interrupted erasure can be
 * completed later.
 */
export class LedgerFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Throws if there is a file that this user cannot read and extend, such as one that root copied back: erasures would
   * fail one by one [erasure.ledger-refused].
   */
  async assertUsable(): Promise<void> {
    try {
      await access(this.#path, constants.R_OK | constants.W_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return;
      throw new LastingError(
        `the ledger of erasures ${this.#path} cannot be read and written by this user (${code}): give it to the user that runs the program, with chown, and start again`,
        { cause: error },
      );
    }
  }

  async append(entries: readonly LedgerEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await mkdir(dirname(this.#path), { recursive: true });
    const file = await open(this.#path, "a", 0o600);
    try {
      // starts with a line break too, so that a line truncated by a crash does not swallow this one
      await file.appendFile(`\n${entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")}`);
      await file.sync();
    } finally {
      await file.close();
    }
    await giveToFoldersOwner(this.#path);
  }

  /** Entries in the order they were written; `broken` counts lines that a crash truncated. */
  async read(): Promise<{ entries: LedgerEntry[]; broken: number }> {
    const text = await readFile(this.#path, "utf8").catch((error) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
      throw error;
    });
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const entries = lines.flatMap((line) => parseEntry(line) ?? []);
    return { entries, broken: lines.length - entries.length };
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
const isUuids = (value: unknown): value is string[] => isTexts(value) && value.every(isUuid);

function parseEntry(line: string): LedgerEntry | null {
  let entry: Partial<LedgerEntry> | null;
  try {
    entry = JSON.parse(line) as Partial<LedgerEntry> | null;
  } catch {
    return null;
  }
  const sound =
    entry !== null &&
    typeof entry === "object" &&
    isUuids([entry.id, entry.store_id]) &&
    (entry.scope === "people" || entry.scope === "store") &&
    isUuids(entry.profile_ids) &&
    isUuids(entry.session_ids) &&
    isTexts(entry.order_ids) &&
    isTexts(entry.hashes) &&
    isTexts([entry.erased_at, entry.erased_by]) &&
    !Number.isNaN(Date.parse(entry.erased_at ?? "")) &&
    Number.isSafeInteger(entry.revision);
  return sound ? (entry as LedgerEntry) : null;
}

const columns = "id, store_id, scope, profile_ids, session_ids, order_ids, hashes, erased_at, erased_by, revision";

/** An entry that was carried out again after a restore keeps its original time, with the new revision. */
export async function recordErasure(tx: StoreTransaction, entry: LedgerEntry): Promise<void> {
  await tx.all(sql`
  INSERT INTO erasures (${raw(columns)})
  VALUES (${entry.id}, ${ownStore}, ${entry.scope}, ${entry.profile_ids}, ${entry.session_ids}, ${entry.order_ids},
    ${entry.hashes}, ${new Date(entry.erased_at)}, ${entry.erased_by}, ${entry.revision})`);
}

/** The ledger entries in the database, oldest first. */
export async function readErasures(db: StoreRunner): Promise<LedgerEntry[]> {
  const rows = await db.all(sql<Omit<LedgerEntry, "erased_at"> & { erased_at: Date }>`
  SELECT ${raw(columns)} FROM erasures WHERE store_id = ${ownStore} ORDER BY erased_at, id`);
  return rows.map((row) => ({ ...row, erased_at: isoTime(row.erased_at) }));
}
