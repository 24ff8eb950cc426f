import type { Scope } from "../../contract/scopes.ts";
import type { Caller } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { sql } from "../platform/database/sql.ts";
import { type Deadline, type ElapsedClock, noDeadline } from "../platform/deadline.ts";
import { Problem } from "../platform/problems.ts";
import { RememberedReads } from "../platform/remembered-reads.ts";
import { hashText, isKeyText } from "./key-text.ts";
import { type StoreRow, storeColumnsOf, storeOf } from "./store-rows.ts";

/**
 * Who calls [api.key-required, api.key-end]. A key that was looked up is remembered for five seconds: long enough to
 * spare the database, far shorter than the two minutes in which a revocation, and the five in which a change of plan,
 * has to be felt.
 */
interface KnownKey {
  caller: Caller | null;
  /** calendar time, milliseconds; null: never */
  expiresAt: number | null;
}

interface KeyRow extends StoreRow {
  key_id: string;
  scopes: Scope[];
  admin: string;
  expires_at: Date | null;
}

export class Gate {
  readonly #database: Pick<Database, "reader">;
  readonly #calendar: Calendar;
  readonly #keys: RememberedReads<KnownKey>;

  constructor(database: Pick<Database, "reader">, calendar: Calendar, elapsed: ElapsedClock) {
    this.#database = database;
    this.#calendar = calendar;
    this.#keys = new RememberedReads({ elapsed, rememberedMs: 5_000, atMost: 10_000 });
  }

  /** The caller behind an Authorization header, on a paused plan too; throws 401 `invalid_api_key`. */
  authenticate(authorization: string | undefined, deadline: Deadline = noDeadline): Caller | Promise<Caller> {
    const text = bearer(authorization);
    if (text === null) throw new Problem("invalid_api_key");
    const hash = hashText(text);
    const remembered = this.#keys.remembered(hash);
    if (remembered) return this.#admit(remembered);
    // a mistyped key costs no look-up, and takes no other's place among the remembered
    if (!isKeyText(text)) throw new Problem("invalid_api_key");
    const known = this.#keys.find(hash, deadline, (shared) => this.#read(hash, shared));
    return known instanceof Promise ? known.then((found) => this.#admit(found)) : this.#admit(known);
  }

  /** Forgets what is remembered, so that the next request sees a change made in this process at once. */
  forget(): void {
    this.#keys.forget();
  }

  #admit({ caller, expiresAt }: KnownKey): Caller {
    if (!caller || (expiresAt !== null && expiresAt <= this.#calendar.now())) throw new Problem("invalid_api_key");
    return caller;
  }

  async #read(hash: string, deadline: Deadline): Promise<KnownKey> {
    const row = await this.#database.reader(deadline).first(sql<KeyRow>`
      SELECT ${storeColumnsOf("s")}, k.id AS key_id, k.scopes, k.admin, k.expires_at
      FROM api_keys k JOIN stores s ON s.id = k.store_id
      WHERE k.hash = ${Buffer.from(hash, "hex")} AND k.revoked_at IS NULL AND s.disconnected_at IS NULL`);
    const caller: Caller | null = row
      ? { store: storeOf(row), keyId: row.key_id, admin: row.admin, scopes: new Set(row.scopes) }
      : null;
    return { caller, expiresAt: row?.expires_at?.getTime() ?? null };
  }
}

const form = /^Bearer +([^ ]+) *$/i;

function bearer(authorization: string | undefined): string | null {
  return form.exec(authorization ?? "")?.[1] ?? null;
}
