import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../testkit/database.ts";
import { openLog } from "../log.ts";
import { Database } from "./database.ts";
import { PlanAges } from "./plan-age.ts";
import { sql } from "./sql.ts";

let t: TestDatabase;
let database: Database;
beforeAll(async () => {
  const log = openLog("silent", { write: () => undefined });
  t = await openTestDatabase(log);
  database = new Database({ connection: t.connection, size: 1, log });
});
afterAll(async () => {
  await database.close();
  await t.close();
});

afterEach(() => vi.useRealTimers());

describe("plans of prepared statements [database.plan-age]", () => {
  it("are made anew as a table grows, though PostgreSQL has not analysed it since", async () => {
    const client = new pg.Client(t.connection);
    await client.connect();
    await client.query(`CREATE TABLE things (id integer PRIMARY KEY, word text) WITH (autovacuum_enabled = off);
      INSERT INTO things VALUES (1, 'one')`);
    await client.query("ANALYZE things");
    const db = database.reader();
    const find = sql`SELECT word FROM things WHERE id = ${1}::integer`;
    // PostgreSQL uses one plan for all values from the sixth time on
    for (let times = 0; times < 8; times += 1) {
      await db.all(find);
      await client.query({ name: "find", text: find.sql, values: [1] });
    }
    await client.query("INSERT INTO things SELECT n, 'word' FROM generate_series(2, 20000) AS n");
    await pause(1_100);
    const [prepared] = await db.all(
      sql<{ name: string }>`SELECT name FROM pg_prepared_statements WHERE statement = ${find.sql}`,
    );
    const plan = await db.all({ sql: `EXPLAIN EXECUTE ${prepared?.name}(1)`, parameters: [] });
    expect(JSON.stringify(plan)).toContain("Index Scan");
    // as every connection would go on
    const { rows } = await client.query("EXPLAIN EXECUTE find(1)");
    expect(JSON.stringify(rows)).toContain("Seq Scan");
    await client.end();
  });

  it("are due a second after the connection was opened, then after twice as long each time, at most a minute", () => {
    vi.useFakeTimers();
    const [ages, client] = [new PlanAges(), {}];
    ages.opened(client);
    const due: number[] = [];
    for (let seconds = 0.5; seconds <= 200; seconds += 0.5) {
      vi.advanceTimersByTime(500);
      if (ages.takeDue(client)) due.push(seconds);
    }
    expect(due).toEqual([1, 3, 7, 15, 31, 63, 123, 183]);
    ages.closed(client);
    expect([ages.takeDue(client), vi.getTimerCount()]).toEqual([false, 0]);
  });
});
