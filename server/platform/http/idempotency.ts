import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { FieldError } from "../../../contract/errors.ts";
import { lockTimeoutMs } from "../database/database.ts";
import { ownStore, raw, type StoreTransaction, sql } from "../database/sql.ts";
import { invalid } from "../problems.ts";
import { dayMs, type Retention } from "../retention.ts";
import type { Secrets } from "../secrets.ts";
import type { StoreCalendars } from "../store-calendars.ts";

/**
 * `Idempotency-Key` [api.idempotency]. The key's row is inserted in the same transaction as the change, so that both
 * commit together: a repeat finds the answer, a concurrent request waits for the first on the row's primary key, and a
 * failed request leaves nothing behind.
 */
export interface StoredAnswer {
  status: number;
  body: unknown;
  location: string | null;
}

export interface IdempotencyKey {
  key: string;
  /** SHA-256 of method, address and body of the key's first use */
  fingerprint: Buffer;
}

const field = "header.Idempotency-Key";

export const idempotencyRetention: Retention = {
  table: "idempotency_keys",
  keptMs: dayMs,
  olderThan: (moment) => sql`created_at < ${new Date(moment)}`,
};

/** The errors of the header's form. */
export function idempotencyKeyErrors(given: string | string[] | undefined): FieldError[] {
  if (given === undefined || (typeof given === "string" && /^[\x21-\x7e]{1,255}$/.test(given))) return [];
  return [{ field, message: "must be 1 to 255 printable ASCII characters without spaces" }];
}

/** For a request with a well-formed header. */
export function idempotencyKey(request: FastifyRequest): IdempotencyKey | null {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return null;
  const subject = JSON.stringify([request.method, request.url, request.body ?? {}]);
  return { key, fingerprint: createHash("sha256").update(subject).digest() };
}

export class IdempotencyStore {
  readonly #calendar: StoreCalendars;
  readonly #secrets: Secrets;

  constructor(calendar: StoreCalendars, secrets: Secrets) {
    this.#calendar = calendar;
    this.#secrets = secrets;
  }

  /**
   * Performs the request unless it was already performed with this key; then returns the stored answer. The answer's age
   * counts by the store's calendar as the request leaves it: a move of a test twin's clock does not outdate its own
   * answer [test-stores.clock].
   */
  async once(
    tx: StoreTransaction,
    { key, fingerprint }: IdempotencyKey,
    perform: () => Promise<StoredAnswer>,
  ): Promise<StoredAnswer & { replayed: boolean }> {
    const claimed = await this.#claim(tx, key, fingerprint);
    if (!claimed) return { ...(await this.#replay(tx, key, fingerprint)), replayed: true };
    const answer = await perform();
    const sealed = this.#secrets.encrypt(JSON.stringify(answer), purpose(tx.storeId, key));
    await tx.all(sql`
      UPDATE idempotency_keys SET answer = ${sealed}, created_at = ${new Date(this.#calendar.sharedNow())}::timestamptz
        + coalesce((SELECT s.clock_ahead_ms FROM stores s WHERE s.id = ${ownStore}), 0) * interval '1 millisecond'
      WHERE store_id = ${ownStore} AND key = ${key}`);
    return { ...answer, replayed: false };
  }

  async #claim(tx: StoreTransaction, key: string, fingerprint: Buffer): Promise<boolean> {
    const now = this.#calendar.now();
    // a concurrent repeat waits for the first as long as that may take, longer than for other locks
    await tx.all(sql`SET LOCAL lock_timeout = '30s'`);
    const row = await tx.first(sql`
      INSERT INTO idempotency_keys (store_id, key, fingerprint, created_at)
      VALUES (${ownStore}, ${key}, ${fingerprint}, ${new Date(now)})
      ON CONFLICT (store_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, answer = NULL, created_at = excluded.created_at
      WHERE idempotency_keys.created_at <= ${new Date(now - dayMs)}
      RETURNING key`);
    await tx.all(sql`SET LOCAL lock_timeout = ${raw(lockTimeoutMs)}`);
    return row !== undefined;
  }

  async #replay(tx: StoreTransaction, key: string, fingerprint: Buffer): Promise<StoredAnswer> {
    const row = await tx.first(sql<{ fingerprint: Buffer; answer: Buffer | null }>`
      SELECT fingerprint, answer FROM idempotency_keys WHERE store_id = ${ownStore} AND key = ${key}`);
    if (!row?.answer) throw new Error("an idempotency key is stored without its answer");
    if (!row.fingerprint.equals(fingerprint)) throw invalid(field, "was used before for another request");
    return JSON.parse(this.#secrets.decrypt(row.answer, purpose(tx.storeId, key))) as StoredAnswer;
  }
}

interface SealedRow {
  key: string;
  answer: Buffer;
}

/** Reads every stored response of a store, decrypted. */
export async function eachStoredAnswer(
  tx: StoreTransaction,
  secrets: Secrets,
  see: (answer: StoredAnswer, key: string) => void,
): Promise<void> {
  const atOnce = 500;
  for (let after = ""; ; ) {
    const rows = await tx.all(sql<SealedRow>`
      SELECT key, answer FROM idempotency_keys
      WHERE store_id = ${ownStore} AND key > ${after} AND answer IS NOT NULL ORDER BY key LIMIT ${atOnce}`);
    for (const { key, answer } of rows) {
      const text = readable(secrets, answer, purpose(tx.storeId, key));
      if (text !== null) see(JSON.parse(text) as StoredAnswer, key);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < atOnce) return;
    after = last.key;
  }
}

/** Null if it was sealed with another secret key; then it is never sent again either. */
function readable(secrets: Secrets, sealed: Buffer, use: string): string | null {
  try {
    return secrets.decrypt(sealed, use);
  } catch {
    return null;
  }
}

/** Replaces texts in the stored responses of a store; status and address of a response stay [erasure.replays]. */
export async function rewriteStoredAnswers(
  tx: StoreTransaction,
  secrets: Secrets,
  rewrite: (body: unknown) => unknown,
): Promise<void> {
  const changed: { key: string; answer: Buffer }[] = [];
  await eachStoredAnswer(tx, secrets, (answer, key) => {
    const body = rewrite(answer.body);
    if (body === answer.body) return;
    changed.push({ key, answer: secrets.encrypt(JSON.stringify({ ...answer, body }), purpose(tx.storeId, key)) });
  });
  for (const { key, answer } of changed) {
    await tx.all(sql`UPDATE idempotency_keys SET answer = ${answer} WHERE store_id = ${ownStore} AND key = ${key}`);
  }
}

const purpose = (storeId: string, key: string) => `idempotency:${storeId}:${key}`;
