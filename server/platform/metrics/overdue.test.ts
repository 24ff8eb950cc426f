import { randomUUID } from "node:crypto";
import { register } from "prom-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../../testkit/app.ts";
import { openRunningClock, timed } from "../../../testkit/timed.ts";
import { sql } from "../database/sql.ts";
import { measureOverdue, type Overdue } from "./overdue.ts";

let test: TestApp;
const clock = openRunningClock();
let passed = 0;
const elapsed = () => clock.now() + passed;

const queue = {
  queue: "outbox",
  query: (now: Date) => () =>
    sql<Overdue>`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM outbox WHERE due_at <= ${now} LIMIT 1`,
};
const slow = {
  queue: "slow",
  query: () => () => sql<Overdue>`/* due: across stores */ SELECT pg_sleep(30) FROM outbox LIMIT 1`,
};

beforeAll(async () => {
  test = await openTestApp();
});

afterAll(async () => {
  clock.stop();
  await test.close();
});

const read = async (): Promise<string[]> =>
  (await register.metrics()).split("\n").filter((line) => line.startsWith("quizstore_due_work"));

const measure = (...queues: (typeof queue)[]) => {
  const { database, calendar } = test;
  measureOverdue({ database, calendar, elapsed, queues });
};

const due = async (secondsAgo: number): Promise<void> => {
  const store = await test.store();
  await test.database.reader({ remaining: () => 5_000, expired: false, onExpiry: () => () => undefined }).all({
    sql: `INSERT INTO outbox (store_id, id, topic, created_at, due_at, data) VALUES ($1, $2, 'quiz.started', $3, $3, '{}')`,
    parameters: [store.uuid, randomUUID(), new Date(test.calendar.now() - secondsAgo * 1_000)],
  });
};

it("tells how much due work of all stores waits, and for how long the oldest has [operations.overdue]", async () => {
  measure(queue);
  expect(await read()).toEqual([
    'quizstore_due_work{queue="outbox"} 0',
    'quizstore_due_work_oldest_seconds{queue="outbox"} 0',
    'quizstore_due_work_unread{queue="outbox"} 0',
  ]);
  for (const seconds of [30, 90, -60]) await due(seconds);
  // kept for five seconds, however many ask
  expect((await read())[0]).toBe('quizstore_due_work{queue="outbox"} 0');
  passed += 5_000;
  expect(await read()).toEqual([
    'quizstore_due_work{queue="outbox"} 2',
    'quizstore_due_work_oldest_seconds{queue="outbox"} 90',
    'quizstore_due_work_unread{queue="outbox"} 0',
  ]);
});

it("counts nothing while a node of the database's cluster is away: each try might hang there [operations.node-away]", async () => {
  const { database, calendar } = test;
  const settings = { database, calendar, elapsed, nodes: { someAway: true } };
  measureOverdue({ ...settings, queues: [queue] });
  expect(await read()).toEqual(['quizstore_due_work_unread{queue="outbox"} 1']);
});

it("gives a queue up that cannot be counted within a second, and tells of the others [operations.overdue]", async () => {
  measure(queue, slow);
  const { result: lines, ranMs } = await timed(read);
  expect(ranMs).toBeLessThan(5_000);
  expect(lines).toContain('quizstore_due_work_unread{queue="slow"} 1');
  expect(lines).toContain('quizstore_due_work_unread{queue="outbox"} 0');
  expect(lines.filter((line) => line.startsWith('quizstore_due_work{queue="slow"}'))).toEqual([]);
  expect(lines).toContain('quizstore_due_work{queue="outbox"} 2');
});
