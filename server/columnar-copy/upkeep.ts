import { join } from "node:path";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { sql } from "../platform/database/sql.ts";
import type { Log } from "../platform/log.ts";
import { type CopiesFolder, deleteStoreFile, type FolderSettings, storeIdsIn } from "./copies-folder.ts";
import { findRecord, forgetCopiesElsewhere, forgetCopy } from "./records.ts";
import type { StoreFiles } from "./store-files.ts";

/** Deletes copies that are no longer wanted [copy.upkeep]. */

export interface UpkeepDeps {
  database: Database;
  calendar: Calendar;
  log: Log;
  folder: CopiesFolder;
  files: StoreFiles;
  diskBudgetMb: number;
  folderSettings: FolderSettings;
  /** no other folder holds copies of this database */
  alone: boolean;
}

const unusedAtMostMs = 7 * 24 * 60 * 60 * 1000;

export class Upkeep {
  readonly #deps: UpkeepDeps;
  #othersForgotten: boolean;

  constructor(deps: UpkeepDeps) {
    this.#deps = deps;
    this.#othersForgotten = !deps.alone;
  }

  async run(forget: (storeId: string) => Promise<void>): Promise<void> {
    const { folder } = this.#deps;
    if (!this.#othersForgotten) await this.#forgetOthers();
    const remaining: string[] = [];
    for (const storeId of await storeIdsIn(folder.path)) {
      if (this.#deps.files.isInUse(storeId)) continue;
      if (await this.#isUnwanted(storeId)) await forget(storeId);
      else remaining.push(storeId);
    }
    for (const storeId of await this.#beyondBudget(remaining)) await forget(storeId);
    await folder.eachDead(this.#deps.folderSettings, (number, storeIds) => this.#clearDead(number, storeIds));
  }

  /** A file without a record belongs to a previous state of the database, for example from before a restore. */
  async #isUnwanted(storeId: string): Promise<boolean> {
    const { database, calendar, folder } = this.#deps;
    const record = await findRecord(database.reader().forStore(storeId), folder.place);
    return !record || record.discard || calendar.now() - record.seen_at.getTime() > unusedAtMostMs;
  }

  /**
   * Removes records of copies in other folders, whose files are gone. While they are recorded, an erasure waits for
   * them.
   */
  async #forgetOthers(): Promise<void> {
    const reader = this.#deps.database.reader();
    const stores = await reader.all<{ id: string }>(sql`SELECT id FROM stores`);
    for (const { id } of stores) await forgetCopiesElsewhere(reader.forStore(id), this.#deps.folder.node);
    this.#othersForgotten = true;
  }

  async #beyondBudget(storeIds: readonly string[]): Promise<string[]> {
    const { files, diskBudgetMb } = this.#deps;
    const sized = await Promise.all(storeIds.map(async (storeId) => ({ storeId, size: await files.size(storeId) })));
    let total = sized.reduce((sum, { size }) => sum + size, 0);
    const gone: string[] = [];
    for (const { storeId, size } of sized.sort((a, b) => files.lastUse(a.storeId) - files.lastUse(b.storeId))) {
      if (total <= diskBudgetMb * 1024 * 1024) break;
      if (files.isInUse(storeId)) continue;
      gone.push(storeId);
      total -= size;
    }
    return gone;
  }

  async #clearDead(number: number, storeIds: readonly string[]): Promise<void> {
    const { database, log, folder } = this.#deps;
    for (const storeId of storeIds) {
      await deleteStoreFile(join(folder.path, "..", String(number)), storeId);
      await forgetCopy(database.reader().forStore(storeId), { ...folder.place, slot: number });
    }
    log.info({ slot: number, copies: storeIds.length }, "deleted the columnar copies of a process that is gone");
  }
}
