import type { Database } from "../../platform/database/database.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import type { FileStorage } from "../../platform/files/types.ts";
import { fileName } from "../export-rows.ts";

/**
 * Removes files that nobody will request: those of killed workers, and of exports that were deleted with their store
 * [exports.left-overs].
 */

const nameForm =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-\d+\.(?:csv|json|ndjson|xlsx|parquet)$/;

const atOnce = 1_000;

/** Scans the storage once; returns how many files it removed. Files that do not belong to an export are left alone. */
export async function removeLeftOvers(database: Database, storage: FileStorage): Promise<number> {
  let removed = 0;
  let batch: FoundFile[] = [];
  const checkBatch = async () => {
    for (const name of await unwanted(database, batch)) {
      await storage.remove(name);
      removed += 1;
    }
    batch = [];
  };
  for await (const name of storage.names()) {
    const [, storeId, id] = nameForm.exec(name) ?? [];
    if (storeId === undefined || id === undefined) continue;
    batch.push({ name, storeId, id });
    if (batch.length >= atOnce) await checkBatch();
  }
  await checkBatch();
  return removed;
}

interface FoundFile {
  name: string;
  /** UUIDs */
  storeId: string;
  id: string;
}

/**
 * A file is kept if its export is completed or being built and the file belongs to the last claim, or if the store's
 * database is unavailable.
 */
async function unwanted(database: Database, files: readonly FoundFile[]): Promise<string[]> {
  const needed = new Set<string>();
  for (const [storeId, own] of Map.groupBy(files, (file) => file.storeId)) {
    if (database.isAway(storeId)) {
      for (const { name } of own) needed.add(name);
      continue;
    }
    const rows = await database
      .reader()
      .forStore(storeId)
      .all(sql<{ id: string; format: string; claims: number }>`
        SELECT id, format, claims FROM exports
        WHERE store_id = ${ownStore} AND id = ANY(${own.map(({ id }) => id)}::uuid[])
          AND status IN ('running', 'completed')`);
    for (const row of rows) needed.add(fileName(storeId, row, row.claims));
  }
  return files.map(({ name }) => name).filter((name) => !needed.has(name));
}
