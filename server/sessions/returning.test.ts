import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { eventId } from "../../testkit/histories.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { type SessionRecord, send, sessionId, visitorId } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { updateReturning } from "./returning.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

/** An event with a place and a time of its own: one with a lower `seq` that comes later moves the session's opening. */
interface Arrival {
  session: number;
  seq: number;
  minutesAgo: number;
  together: boolean;
}

const arrival: fc.Arbitrary<Arrival> = fc.record({
  session: fc.nat(8),
  seq: fc.nat(3),
  minutesAgo: fc.integer({ min: 0, max: 50 }),
  together: fc.boolean(),
});

it("calls exactly the first session of a visitor by opening new, whatever arrives when [figures.new-returning]", async () => {
  const check = async (arrivals: Arrival[]) => {
    const store = await t.store();
    const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
    let underWay: Promise<unknown>[] = [];
    for (const [index, { session, seq, minutesAgo, together }] of arrivals.entries()) {
      const at = new Date(t.calendar.now() - minutesAgo * 60_000).toISOString();
      const event = { type: "quiz_opened", id: eventId(index), seq, at };
      const more = { id: sessionId(session), visitor_id: visitorId(session % 3), preview: session === 8 };
      underWay.push(send(t, store, quiz, [event], { session: more }));
      if (together) continue;
      await Promise.all(underWay);
      underWay = [];
    }
    await Promise.all(underWay);
    const rows = await t.database
      .reader()
      .forStore(store.uuid)
      .all(
        sql<SessionRecord>`SELECT * FROM sessions WHERE store_id = ${ownStore} AND NOT preview ORDER BY opened_at, id`,
      );
    const seen = new Set<string>();
    for (const row of rows) {
      expect([row.id, row.is_returning]).toEqual([row.id, seen.has(row.visitor_id)]);
      seen.add(row.visitor_id);
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 20 }), check), { numRuns: 25 });
});

// a cluster's coordinator makes no plan without the values
it.runIf(inject("workers").length === 0)(
  "looks for a visitor's first session by a plan that is made once, however many visitors there are [figures.new-returning]",
  async () => {
    // Its own database: the visitors above are shared by all stores, and to a server that knows so a plan for each looks cheaper.
    const own = await openTestApp();
    const store = await own.store();
    const read = await own.database.transaction(async (anyStore) => {
      const tx = anyStore.forStore(store.uuid);
      for (let visitors = 1; visitors <= 10; visitors++) {
        const openings = Array.from({ length: visitors }, (_, index) => {
          const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
          return { id, visitorId: id, openedAt: index, preview: false, isReturning: false, moved: true };
        });
        expect(await updateReturning(tx, openings, { visitorIds: new Set(), limit: 0, rows: [] })).toEqual([]);
      }
      return tx.first(sql<{ anew: number; kept: number }>`
        SELECT custom_plans::int AS anew, generic_plans::int AS kept FROM pg_prepared_statements
        WHERE statement LIKE ${"%AS v (visitor_id)%"}`);
    });
    await own.close();
    // the server makes the first five anew with any statement
    expect(read).toEqual({ anew: 5, kept: 5 });
  },
);
