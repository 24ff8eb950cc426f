import type { Scope } from "../../contract/scopes.ts";
import type { Caller } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import type { SideWrites } from "../platform/database/side-writes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { type Deadline, type ElapsedClock, noDeadline } from "../platform/deadline.ts";
import { Problem } from "../platform/problems.ts";
import { ReadCache } from "../platform/read-cache.ts";
import { bearer, hashText, isKeyText } from "./key-text.ts";
import { type StoreRow, storeColumnsOf, storeOf } from "./store-rows.ts";

/**
 * A key that was looked up [api.key-required, api.key-end]. It is cached for five seconds: long enough to spare the
 * database, far shorter than the two minutes within which a revocation, and the five within which a change of plan,
 * must take effect.
 */
interface KnownKey {
  caller: Caller | null;
  /** calendar time, milliseconds; null: never */
  expiresAt: number | null;
}

interface KeyRow extends StoreRow {
  /** the store that owns the key; for a test key, not the twin that it gives access to */
  owner_id: string;
  key_id: string;
  scopes: Scope[];
  admin: string;
  expires_at: Date | null;
  last_used_at: Date | null;
}

/** Precision of a key's time of last use. */
const notedMs = 60_000;

/** Called when a key is used, at most once a minute [dashboard-api.key-use]; ids are UUIDs. */
export type NoteUse = (storeId: string, keyId: string, minute: Date) => void;

/** Requests are answered whether or not the use is recorded [operations.side-writes]. */
export const noteUseIn =
  (writes: Pick<SideWrites, "behind">): NoteUse =>
  (storeId, keyId, minute) =>
    writes.behind(keyId, (db) =>
      db
        .forStore(storeId)
        .all(sql`UPDATE api_keys SET last_used_at = ${minute} WHERE store_id = ${ownStore} AND id = ${keyId}`),
    );

export class Gate {
  readonly #database: Pick<Database, "reader">;
  readonly #calendar: Pick<Calendar, "now">;
  readonly #noteUse: NoteUse;
  readonly #keys: ReadCache<KnownKey>;

  constructor(
    database: Pick<Database, "reader">,
    calendar: Pick<Calendar, "now">,
    elapsed: ElapsedClock,
    noteUse: NoteUse = () => undefined,
  ) {
    this.#database = database;
    this.#noteUse = noteUse;
    this.#calendar = calendar;
    this.#keys = new ReadCache({ elapsed, rememberedMs: 5_000, atMost: 10_000 });
  }

  /** The caller identified by an Authorization header, on a paused plan too; throws 401 `invalid_api_key`. */
  async authenticate(authorization: string | undefined, deadline: Deadline = noDeadline): Promise<Caller> {
    const text = bearer(authorization);
    if (text === null) throw new Problem("invalid_api_key");
    const hash = hashText(text);
    const remembered = this.#keys.peek(hash);
    if (remembered) return this.#admit(remembered);
    // a mistyped key costs no look-up, and evicts no other key from the cache
    if (!isKeyText(text)) throw new Problem("invalid_api_key");
    return this.#admit(await this.#keys.find(hash, deadline, (shared) => this.#read(hash, shared)));
  }

  /** Empties the cache, so that the next request sees a change made in this process at once. */
  invalidate(): void {
    this.#keys.invalidate();
  }

  #admit({ caller, expiresAt }: KnownKey): Caller {
    if (!caller || (expiresAt !== null && expiresAt <= this.#calendar.now())) throw new Problem("invalid_api_key");
    return caller;
  }

  async #read(hash: string, deadline: Deadline): Promise<KnownKey> {
    const row = await this.#database.reader(deadline).first(sql<KeyRow>`
      SELECT ${storeColumnsOf("s")}, k.store_id AS owner_id, k.id AS key_id, k.scopes, k.admin, k.expires_at, k.last_used_at
      FROM api_keys k JOIN stores o ON o.id = k.store_id
        JOIN stores s ON s.id = CASE WHEN k.is_test THEN o.test_store_id ELSE o.id END
      WHERE k.hash = ${Buffer.from(hash, "hex")} AND k.revoked_at IS NULL AND o.disconnected_at IS NULL`);
    const caller: Caller | null = row
      ? { store: storeOf(row), admin: row.admin, scopes: new Set(row.scopes), by: { kind: "key", keyId: row.key_id } }
      : null;
    if (row) this.#note(row);
    return { caller, expiresAt: row?.expires_at?.getTime() ?? null };
  }

  #note({ owner_id, key_id, last_used_at, expires_at }: KeyRow): void {
    const now = this.#calendar.now();
    if (expires_at !== null && expires_at.getTime() <= now) return;
    if (last_used_at !== null && now - last_used_at.getTime() < notedMs) return;
    this.#noteUse(owner_id, key_id, new Date(now - (now % notedMs)));
  }
}
