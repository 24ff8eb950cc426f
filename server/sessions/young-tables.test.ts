import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { enter, finish, opened, say, shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { batchOf, recently, sessionId } from "../../testkit/storefront.ts";
import { Database } from "../platform/database/database.ts";
import { ownStore, raw, type StoreTransaction, sql } from "../platform/database/sql.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const others = 3_000;

/** As many other people of the store, each with a session, an email and a phone. */
async function fill(tx: StoreTransaction): Promise<void> {
  const each = raw(`generate_series(1, ${others}) AS n`);
  const past = raw("'2026-01-01'::timestamptz");
  await tx.all(sql`
    INSERT INTO profiles (store_id, id, number, created_at, last_seen_at)
    SELECT ${ownStore}, md5('person' || n)::uuid, n + 1000, ${past}, ${past} FROM ${each}`);
  await tx.all(sql`
    INSERT INTO sessions (store_id, id, number, visitor_id, quiz_id, version_id, profile_id, channel, device_class,
      device, preview, emits, is_returning, first_received_at, opened_at, last_event_at, status, state, facts)
    SELECT ${ownStore}, md5('session' || n)::uuid, n + 1000, md5('visitor' || n)::uuid, s.quiz_id, s.version_id,
      md5('person' || n)::uuid, s.channel, s.device_class, s.device, false, false, false, ${past}, ${past}, ${past},
      s.status, s.state, s.facts
    FROM (SELECT * FROM sessions WHERE store_id = ${ownStore} LIMIT 1) s CROSS JOIN ${each}`);
  for (const [kind, value] of [
    ["email", "'other' || n || '@example.com'"],
    ["phone", "'+4930' || 5000000 + n"],
  ] as const) {
    await tx.all(sql`
      INSERT INTO captures (store_id, session_id, component_key, kind, value, page_key, at)
      SELECT ${ownStore}, md5('session' || n)::uuid, ${kind}::text, ${kind}::text, ${raw(value)}, 'contact', ${past} FROM ${each}`);
    await tx.all(sql`
      INSERT INTO identities (store_id, kind, value, profile_id)
      SELECT ${ownStore}, ${kind}::text, ${raw(value)}, md5('person' || n)::uuid FROM ${each}`);
  }
  await tx.all(sql`
    INSERT INTO session_events (store_id, session_id, id, seq, at, received_at, type, data)
    SELECT ${ownStore}, md5('session' || n)::uuid, md5('event' || n)::uuid, 1, ${past}, ${past}, 'page_entered', '{}'
    FROM ${each}`);
  await tx.all(sql`
    INSERT INTO orders (store_id, id, gid, created_at, updated_at, stage, currency, total, profile_id)
    SELECT ${ownStore}, md5('order' || n)::uuid, n, ${past}, ${past}, 1, 'EUR', 1, md5('person' || n)::uuid FROM ${each}`);
  await tx.all(sql`
    INSERT INTO order_keys (store_id, order_id, tier, value, rank)
    SELECT ${ownStore}, md5('order' || n)::uuid, 'email', 'other' || n || '@example.com', 0 FROM ${each}`);
}

// PostgreSQL 15 takes ten look-ups for dearer than a scan of the store's rows until it has analysed the tables
it.runIf(process.env["TEST_DATABASE_URL"] === undefined)(
  "a visit reads its own rows, by plans made when the tables were empty, which nobody renews before autovacuum comes [database.young-tables]",
  async () => {
    const store = await t.store();
    const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
    const connection = { ...t.connection, options: "-c plan_cache_mode=force_generic_plan" };
    const intakeDatabase = new Database({ connection, size: 1, log: t.foundations.log, pipelined: true });
    const app = t.compose({ intakeDatabase });
    const visit = async (number: number) => {
      const session = { id: sessionId(number) };
      const steps = [
        [opened({ min: 0 }), enter("skin", "start", { min: 0 })],
        [...shortWay.slice(2, -1), say("contact", "mail", `m${number}@example.com`, { min: 4 })],
        [
          say("contact", "phone", `+493012345${number}`, { min: 4.5 }),
          enter("result", "next", { min: 5 }),
          finish("result", { min: 5 }),
        ],
      ];
      for (const [index, script] of steps.entries()) {
        const events = recently(t, script, { minutesAgo: 30, firstId: 100 * number + 10 * index });
        const payload = batchOf(t, store, quiz, events, { session });
        const answer = await app.inject({ method: "POST", url: "/storefront/v1/events", payload });
        expect(answer.json()).toMatchObject({ accepted: events.length, rejected: [] });
      }
    };
    /** rows that statements of the intake's connection have read, by table */
    const read = async (): Promise<Map<string, number>> => {
      await intakeDatabase.transaction((tx) => tx.all(sql`SELECT pg_stat_force_next_flush()`));
      const rows = await t.database.transaction((tx) =>
        tx.all(sql<{ relname: string; read: number }>`
        SELECT relname, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read FROM pg_stat_user_tables`),
      );
      return new Map(rows.map(({ relname, read: count }) => [relname, count]));
    };
    await visit(1);
    await t.database.transaction((tx) => fill(tx.forStore(store.uuid)));
    const before = await read();
    await visit(2);
    const after = await read();
    const rows = [...after].map(([table, count]) => [table, count - (before.get(table) ?? 0)] as const);
    expect(rows.filter(([, count]) => count > 100)).toEqual([]);
    await app.close();
    await intakeDatabase.close();
  },
);
