import { verifyPerson } from "../server/erasure/command-work.ts";
import { type ErasureDeps, erasePerson } from "../server/erasure/erase.ts";
import type { LedgerEntry } from "../server/erasure/ledger.ts";
import { replayErasures } from "../server/erasure/replay.ts";
import type { Verified } from "../server/erasure/verify.ts";
import { erasureDeps } from "../server/main/erasure.ts";
import { ownStore, raw, sql } from "../server/platform/database/sql.ts";
import { parseId } from "../server/platform/ids.ts";
import type { TestApp, TestStore } from "./app.ts";

/** Erasure, wired as in the program. */

export const toolsOf = (t: TestApp): ErasureDeps => erasureDeps(t.foundations);

const uuidOf = (profileId: string): string => parseId("prof", profileId) ?? profileId;

export const erasePersonIn = (t: TestApp, store: TestStore, profileId: string): Promise<LedgerEntry | null> =>
  t.database.transaction((tx) => erasePerson(tx.forStore(store.uuid), toolsOf(t), uuidOf(profileId), { by: "test" }));

export const verifyIn = (
  t: TestApp,
  store: TestStore,
  profileId: string,
  values: readonly string[] = [],
): Promise<Verified> => verifyPerson(t.foundations, store.uuid, { profileId: uuidOf(profileId), values, waitMs: 0 });

export const replayIn = (t: TestApp) => replayErasures(t.database, toolsOf(t), t.foundations.log);

/** A store's rows by table, to restore them like a backup. */
export type Backup = Map<string, object[]>;

const tablesOf = (t: TestApp): Promise<{ name: string }[]> =>
  t.database
    .reader()
    .all(sql`SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'store_id'
          WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname`);

/** Saves a store's rows. Tables that no restore brings back are excluded by the caller of `restore`. */
export async function backUp(t: TestApp, store: TestStore): Promise<Backup> {
  const backup: Backup = new Map();
  for (const { name } of await tablesOf(t)) {
    const rows = await t.database
      .reader()
      .forStore(store.uuid)
      .all<{ row: object }>(
        sql`SELECT to_jsonb(t) AS row FROM ${raw(name)} t WHERE store_id = ${ownStore} ORDER BY to_jsonb(t)`,
      );
    backup.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return backup;
}

/** Tables with references: they are deleted first, and restored last. */
const children = ["identities", "order_keys", "order_lines", "product_variants", "quiz_versions"];

export async function restore(t: TestApp, store: TestStore, backup: Backup): Promise<void> {
  const names = [...backup.keys()].sort((a, b) => Number(children.includes(a)) - Number(children.includes(b)));
  await t.database.transaction(async (tx) => {
    for (const name of names.toReversed()) {
      await tx.forStore(store.uuid).all(sql`DELETE FROM ${raw(name)} WHERE store_id = ${ownStore}`);
    }
    for (const name of names) {
      const columns = Object.keys(backup.get(name)?.[0] ?? {});
      if (columns.length === 0) continue;
      const own = raw(columns.filter((column) => column !== "store_id").join(", "));
      await tx.forStore(store.uuid).all(sql`
      INSERT INTO ${raw(name)} (store_id, ${own})
      SELECT ${ownStore}::uuid, ${own} FROM jsonb_populate_recordset(NULL::${raw(name)}, ${JSON.stringify(backup.get(name))}::jsonb)`);
    }
  });
}
