import { sql } from "kysely";
import type { Scope } from "../../contract/scopes.ts";
import type { Caller } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { build } from "../platform/database/statements.ts";
import { type Deadline, type ElapsedClock, JointDeadline } from "../platform/deadline.ts";
import { Problem } from "../platform/problems.ts";
import { storeColumns, storeFacts } from "./facts.ts";
import { hashKey, isKeyText } from "./key-text.ts";

/**
 * Who calls (section 5). A key that was looked up is remembered for five seconds: long enough to spare the database,
 * far shorter than the two minutes in which a revocation, and the five in which a change of plan, has to be felt.
 */
const rememberedMs = 5_000;
const rememberedAtMost = 10_000;

interface Remembered {
  caller: Caller | null;
  /** calendar time, milliseconds; null: never */
  expiresAt: number | null;
  staleAt: number;
}

export class Gate {
  readonly #database: Database;
  readonly #calendar: Calendar;
  readonly #elapsed: ElapsedClock;
  readonly #keys = new Map<string, Remembered>();
  readonly #asked = new Map<string, { answer: Promise<Remembered>; deadline: JointDeadline }>();

  constructor(database: Database, calendar: Calendar, elapsed: ElapsedClock) {
    this.#database = database;
    this.#calendar = calendar;
    this.#elapsed = elapsed;
  }

  /** The caller behind an Authorization header; throws 401 `invalid_api_key` or 403 `plan_required`. */
  authenticate(authorization: string | undefined, deadline: Deadline): Caller | Promise<Caller> {
    const text = bearer(authorization);
    if (text === null || !isKeyText(text)) throw new Problem("invalid_api_key");
    const hash = hashKey(text).toString("base64");
    const known = this.#keys.get(hash);
    if (known && known.staleAt > this.#elapsed()) return this.#admit(known);
    return this.#lookUp(hash, deadline).then((found) => this.#admit(found));
  }

  /** Forgets what is remembered, so that the next request sees a change made in this process at once. */
  forget(): void {
    this.#keys.clear();
  }

  #admit({ caller, expiresAt }: Remembered): Caller {
    if (!caller || (expiresAt !== null && expiresAt <= this.#calendar.now())) throw new Problem("invalid_api_key");
    if (caller.store.plan === "other") throw new Problem("plan_required");
    return caller;
  }

  /** Requests that come with the same key while it is looked up share the look-up. */
  #lookUp(hash: string, deadline: Deadline): Promise<Remembered> {
    const under = this.#asked.get(hash);
    if (under) {
      under.deadline.join(deadline);
      return under.answer;
    }
    const shared = new JointDeadline();
    shared.join(deadline);
    const answer = this.#read(hash, shared).finally(() => {
      shared.close();
      this.#asked.delete(hash);
    });
    this.#asked.set(hash, { answer, deadline: shared });
    return answer;
  }

  async #read(hash: string, deadline: Deadline): Promise<Remembered> {
    const asked = this.#elapsed();
    const row = await this.#database.reader(deadline).first(
      build
        .selectFrom("api_keys as k")
        .innerJoin("stores as s", "s.id", "k.store_id")
        .select(storeColumns.map((column) => `s.${column}` as const))
        .select(["k.id as key_id", "k.scopes", "k.admin", "k.expires_at"])
        .where("k.hash", "=", Buffer.from(hash, "base64"))
        .where("k.revoked_at", "is", null)
        .where(sql<boolean>`s.disconnected_at IS NULL`),
    );
    const caller: Caller | null = row
      ? { store: storeFacts(row), keyId: row.key_id, admin: row.admin, scopes: new Set(row.scopes as Scope[]) }
      : null;
    const remembered = {
      caller,
      expiresAt: row?.expires_at?.getTime() ?? null,
      staleAt: asked + rememberedMs,
    };
    if (this.#keys.size >= rememberedAtMost) this.#keys.clear();
    this.#keys.set(hash, remembered);
    return remembered;
  }
}

function bearer(authorization: string | undefined): string | null {
  const match = /^Bearer +([^ ]+) *$/i.exec(authorization ?? "");
  return match?.[1] ?? null;
}
