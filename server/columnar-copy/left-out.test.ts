import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { register } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ManualCalendar } from "../../testkit/app.ts";
import { CopiedStore, givenSession } from "../../testkit/copied-store.ts";
import { openCopies } from "../../testkit/copies.ts";
import { openTestDatabase, type TestDatabase } from "../../testkit/database.ts";
import { sql } from "../platform/database/sql.ts";
import { openLog } from "../platform/log.ts";
import { sessionBytesAtMost } from "./source.ts";

const logged: string[] = [];
const log = openLog("warn", { write: (line: string) => void logged.push(line) });
let db: TestDatabase;
let directory: string;
let store: CopiedStore;
beforeAll(async () => {
  db = await openTestDatabase(log);
  directory = await mkdtemp(join(tmpdir(), "facts-left-"));
});
afterAll(async () => {
  await db.close();
  await rm(directory, { recursive: true, force: true });
});

const session = () => givenSession({ answers: [{ page_key: "p", component_key: "n", kind: "number", value: 7 }] });

/** What a session's row may hold, though nothing writes it any more. */
const odd: [name: string, facts: string, reason: string][] = [
  ["no JSON", "Ada Lovelace, ada@example.com", "unfit"],
  ["a moment beyond 64 bits", '{"n":[[4,7,1e300]]}', "unfit"],
  ["more than 4 MiB", `{"g":[${'"gid://shopify/Product/1",'.repeat(sessionBytesAtMost / 26)}"x"]}`, "too_large"],
];

describe.each([
  ["few rows", 2_000],
  ["files", 0],
])("a row that a copy cannot take, by way of %s", (_, fewAtMost) => {
  it.for(odd)(
    "is left out, counted and logged, and taken when it changes: %s [copy.left-out]",
    async ([, facts, reason]) => {
      logged.length = 0;
      store = await CopiedStore.open(db.connection);
      register.resetMetrics();
      const copies = await openCopies({
        directory: join(directory, randomUUID()),
        database: db.database,
        calendar: new ManualCalendar(),
        log,
        fewAtMost,
      });
      const counted = async () => {
        const counts = sql`SELECT count(*) AS sessions, (SELECT count(*) FROM answers) AS answers FROM sessions`;
        return (await copies.ask(store.id, counts)).rows;
      };
      const [one, other, third] = [randomUUID(), randomUUID(), randomUUID()];
      const spoil = (id: string) =>
        store.client.query("UPDATE sessions SET facts = $3 WHERE store_id = $1 AND id = $2", [store.id, id, facts]);
      await store.change({ sessions: [one, other].map((id) => [id, session()]) });
      await spoil(one);
      expect(await counted()).toEqual([{ sessions: 1, answers: 1 }]);
      await store.change({ sessions: [other, third].map((id) => [id, session()]) });
      await spoil(other);
      expect(await counted()).toEqual([{ sessions: 1, answers: 1 }]);
      await store.change({ sessions: [one, other].map((id) => [id, session()]) });
      expect(await counted()).toEqual([{ sessions: 3, answers: 3 }]);
      const told = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith("a row is left out"));
      expect(told).toMatchObject([one, other].map((id) => ({ store: store.id, kind: "session", id, reason })));
      expect(logged.join()).not.toContain("Ada");
      expect(await register.metrics()).toContain(`quizstore_facts_left_out_total{kind="session",reason="${reason}"} 2`);
      await copies.close();
      await store.close();
    },
  );
});
