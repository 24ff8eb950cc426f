import type { SignedIn } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { type Runner, sql } from "../platform/database/sql.ts";
import type { Deadline, ElapsedClock } from "../platform/deadline.ts";
import { ReadCache } from "../platform/read-cache.ts";

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
    ON CONFLICT (user_id, store_id) DO UPDATE SET begun_at = excluded.begun_at, ends_at = excluded.ends_at`);
}

export async function endVisit(db: Runner, userId: string, storeId: string): Promise<void> {
  await db.all(sql`DELETE FROM support_visits WHERE user_id = ${userId} AND store_id = ${storeId}`);
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

  async isSupport({ userId }: SignedIn, storeId: string, deadline: Deadline): Promise<boolean> {
    const { database, calendar } = this.#deps;
    const visits = await this.#known.find(userId, deadline, (shared) =>
      visitsOf(database.reader(shared), userId, calendar.now()),
    );
    const until = visits.get(storeId);
    return until !== undefined && until.getTime() > calendar.now();
  }

  invalidate(): void {
    this.#known.invalidate();
  }
}
