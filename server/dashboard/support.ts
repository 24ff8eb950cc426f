import { withdrawInvitationsOf } from "../accounts/public.ts";
import type { SignedIn } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import type { Deadline, ElapsedClock } from "../platform/deadline.ts";
import { ReadCache } from "../platform/read-cache.ts";
import { revokeKeysOf } from "../stores/public.ts";

/** Operators who help in a store that is not their own, for an hour at a time [dashboard-api.support]. */

export const supportMs = 60 * 60 * 1_000;

interface Visit {
  store_id: string;
  ends_at: Date;
}

/** An operator's visits that have not ended, by the store's UUID. */
export async function visitsOf(db: Runner, userId: string, now: number): Promise<Map<string, Date>> {
  const rows = await db.all(sql<Visit>`
    SELECT store_id, ends_at FROM support_visits WHERE user_id = ${userId} AND ends_at > ${new Date(now)}`);
  return new Map(rows.map(({ store_id, ends_at }) => [store_id, ends_at]));
}

export async function beginVisit(db: Runner, userId: string, storeId: string, now: number): Promise<void> {
  const [begins, ends] = [new Date(now), new Date(now + supportMs)];
  await db.all(sql`
    INSERT INTO support_visits (user_id, store_id, begun_at, ends_at)
    VALUES (${userId}, ${storeId}, ${begins}, ${ends})
    ON CONFLICT (user_id, store_id) DO UPDATE SET ends_at = excluded.ends_at,
      begun_at = CASE WHEN support_visits.ends_at > excluded.begun_at THEN support_visits.begun_at
        ELSE excluded.begun_at END`);
}

/**
 * Ends the visit, and what would let the operator in again: their invitations, and keys that they saw
 * [dashboard-api.support-ends]. A visit that ends by itself needs this too: both end at the same time.
 */
export async function endVisit(
  tx: Transaction,
  { userId, email }: Pick<SignedIn, "userId" | "email">,
  { storeId, now }: { storeId: string; now: number },
): Promise<void> {
  const store = tx.forStore(storeId);
  const visit = await store.first(sql<{ begun_at: Date }>`
    SELECT begun_at FROM support_visits WHERE user_id = ${userId} AND store_id = ${ownStore}`);
  if (!visit) return;
  await withdrawInvitationsOf(store, userId, now);
  await revokeKeysOf(store, { admin: email, since: visit.begun_at, now });
  await store.all(sql`DELETE FROM support_visits WHERE user_id = ${userId} AND store_id = ${ownStore}`);
}

interface SupportDeps {
  database: Pick<Database, "reader">;
  calendar: Calendar;
  elapsed: ElapsedClock;
}

/** Which operators are in which stores as support; cached for a moment, like people and keys. */
export class SupportVisits {
  readonly #deps: SupportDeps;
  readonly #known: ReadCache<Map<string, Date>>;

  constructor(deps: SupportDeps) {
    this.#deps = deps;
    this.#known = new ReadCache({ elapsed: deps.elapsed, rememberedMs: 5_000, atMost: 1_000 });
  }

  /** Null: the operator is not there. */
  async until({ userId }: SignedIn, storeId: string, deadline: Deadline): Promise<Date | null> {
    const { database, calendar } = this.#deps;
    const visits = await this.#known.find(userId, deadline, (shared) =>
      visitsOf(database.reader(shared), userId, calendar.now()),
    );
    const until = visits.get(storeId);
    return until !== undefined && until.getTime() > calendar.now() ? until : null;
  }

  invalidate(): void {
    this.#known.invalidate();
  }
}
