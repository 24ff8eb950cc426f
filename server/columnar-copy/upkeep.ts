import { join } from "node:path";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { sql } from "../platform/database/sql.ts";
import type { Log } from "../platform/log.ts";
import { findRecord, forgetCopiesElsewhere, forgetCopy } from "./records.ts";
import { deleteStoreFile, type Slot, type SlotSettings, storeIdsIn } from "./slot.ts";
import type { StoreFiles } from "./store-files.ts";

/** Which copies go: they are disposable, and nobody misses them. */

export interface UpkeepDeps {
  database: Database;
  calendar: Calendar;
  log: Log;
  slot: Slot;
  files: StoreFiles;
  diskBudgetMb: number;
  slotSettings: SlotSettings;
  /** no other folder holds copies of this database */
  alone: boolean;
}

const keptMs = 7 * 24 * 60 * 60 * 1000;

export class Upkeep {
  readonly #deps: UpkeepDeps;
  #othersForgotten: boolean;

  constructor(deps: UpkeepDeps) {
    this.#deps = deps;
    this.#othersForgotten = !deps.alone;
  }

  async run(forget: (storeId: string) => Promise<void>): Promise<void> {
    const { slot } = this.#deps;
    if (!this.#othersForgotten) await this.#forgetOthers();
    const kept: string[] = [];
    for (const storeId of await storeIdsIn(slot.folder)) {
      if (this.#deps.files.isHeld(storeId)) continue;
      if (await this.#isUnwanted(storeId)) await forget(storeId);
      else kept.push(storeId);
    }
    for (const storeId of await this.#beyondBudget(kept)) await forget(storeId);
    await slot.eachDead(this.#deps.slotSettings, (number, storeIds) => this.#clearDead(number, storeIds));
  }

  /** An unrecorded file was made by a database that is no more, such as one that was restored from a backup since. */
  async #isUnwanted(storeId: string): Promise<boolean> {
    const { database, calendar, slot } = this.#deps;
    const record = await findRecord(database.reader(), storeId, { node: slot.node, slot: slot.number });
    return !record || record.discard || calendar.now() - record.seen_at.getTime() > keptMs;
  }

  /** Their files went with their folder; while they are recorded, an erasure waits for them. */
  async #forgetOthers(): Promise<void> {
    const reader = this.#deps.database.reader();
    const stores = await reader.all<{ id: string }>(sql`SELECT id FROM stores`);
    for (const { id } of stores) await forgetCopiesElsewhere(reader, id, this.#deps.slot.node);
    this.#othersForgotten = true;
  }

  async #beyondBudget(storeIds: readonly string[]): Promise<string[]> {
    const { files, diskBudgetMb } = this.#deps;
    const sized = await Promise.all(storeIds.map(async (storeId) => ({ storeId, size: await files.size(storeId) })));
    let total = sized.reduce((sum, { size }) => sum + size, 0);
    const gone: string[] = [];
    for (const { storeId, size } of sized.sort((a, b) => files.lastUse(a.storeId) - files.lastUse(b.storeId))) {
      if (total <= diskBudgetMb * 1024 * 1024) break;
      if (files.isHeld(storeId)) continue;
      gone.push(storeId);
      total -= size;
    }
    return gone;
  }

  async #clearDead(number: number, storeIds: readonly string[]): Promise<void> {
    const { database, log, slot } = this.#deps;
    for (const storeId of storeIds) {
      await deleteStoreFile(join(slot.folder, "..", String(number)), storeId);
      await forgetCopy(database.reader(), storeId, { node: slot.node, slot: number });
    }
    log.info({ slot: number, copies: storeIds.length }, "columnar copies of a process that is gone were deleted");
  }
}
