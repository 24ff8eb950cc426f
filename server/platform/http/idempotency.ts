import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { FieldError } from "../../../contract/errors.ts";
import type { Calendar } from "../clock.ts";
import { lockTimeoutMs } from "../database/database.ts";
import { raw, sql, type Transaction } from "../database/sql.ts";
import { build } from "../database/statements.ts";
import { invalid } from "../problems.ts";
import type { Secrets } from "../secrets.ts";

/**
 * `Idempotency-Key` [api.idempotency]. The key's row is inserted by the transaction that makes the change, so that the
 * two commit together: a repeat finds the answer, a concurrent one waits for the first on the row's primary key, and a
 * request that failed leaves nothing behind.
 */
export interface StoredAnswer {
  status: number;
  body: unknown;
  location: string | null;
}

export interface IdempotencyKey {
  key: string;
  /** SHA-256 of method, address and body: what the key was first used for */
  fingerprint: Buffer;
}

const field = "header.Idempotency-Key";
const keptMs = 24 * 60 * 60 * 1000;

/** What is wrong with the header's form, if anything. */
export function idempotencyKeyErrors(given: string | string[] | undefined): FieldError[] {
  if (given === undefined || (typeof given === "string" && /^[\x21-\x7e]{1,255}$/.test(given))) return [];
  return [{ field, message: "must be 1 to 255 printable ASCII characters without spaces" }];
}

/** Of a request whose header is well-formed. */
export function idempotencyKey(request: FastifyRequest): IdempotencyKey | null {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return null;
  const subject = JSON.stringify([request.method, request.url, request.body ?? {}]);
  return { key, fingerprint: createHash("sha256").update(subject).digest() };
}

export class IdempotencyStore {
  readonly #calendar: Calendar;
  readonly #secrets: Secrets;

  constructor(calendar: Calendar, secrets: Secrets) {
    this.#calendar = calendar;
    this.#secrets = secrets;
  }

  /** Performs the request unless it was performed with this key before; then answers as it did. */
  async once(
    tx: Transaction,
    storeId: string,
    { key, fingerprint }: IdempotencyKey,
    perform: (tx: Transaction) => Promise<StoredAnswer>,
  ): Promise<StoredAnswer & { replayed: boolean }> {
    const now = this.#calendar.now();
    const claimed = await this.#claim(tx, storeId, key, fingerprint, now);
    if (!claimed) return { ...(await this.#replay(tx, storeId, key, fingerprint)), replayed: true };
    const answer = await perform(tx);
    const sealed = this.#secrets.encrypt(JSON.stringify(answer), purpose(storeId, key));
    await tx.all(
      build
        .updateTable("idempotency_keys")
        .set({ answer: sealed })
        .where("store_id", "=", storeId)
        .where("key", "=", key),
    );
    return { ...answer, replayed: false };
  }

  async #claim(tx: Transaction, storeId: string, key: string, fingerprint: Buffer, now: number): Promise<boolean> {
    // a concurrent repeat waits for the first as long as that may take, not only as long as for other locks
    await tx.all(sql`SET LOCAL lock_timeout = '30s'`);
    const row = await tx.first(
      build
        .insertInto("idempotency_keys")
        .values({ store_id: storeId, key, fingerprint, created_at: new Date(now) })
        .onConflict((conflict) =>
          conflict
            .columns(["store_id", "key"])
            .doUpdateSet({ fingerprint, answer: null, created_at: new Date(now) })
            .where("idempotency_keys.created_at", "<=", new Date(now - keptMs)),
        )
        .returning("key"),
    );
    await tx.all(sql`SET LOCAL lock_timeout = ${raw(lockTimeoutMs)}`);
    return row !== undefined;
  }

  async #replay(tx: Transaction, storeId: string, key: string, fingerprint: Buffer): Promise<StoredAnswer> {
    const row = await tx.first(
      build
        .selectFrom("idempotency_keys")
        .select(["fingerprint", "answer"])
        .where("store_id", "=", storeId)
        .where("key", "=", key),
    );
    if (!row?.answer) throw new Error("an idempotency key is stored without its answer");
    if (!row.fingerprint.equals(fingerprint)) throw invalid(field, "was used before for another request");
    return JSON.parse(this.#secrets.decrypt(row.answer, purpose(storeId, key))) as StoredAnswer;
  }
}

const purpose = (storeId: string, key: string) => `idempotency:${storeId}:${key}`;
