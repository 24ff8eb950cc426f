import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Plan } from "../../contract/limits.ts";
import { allScopes } from "../../contract/scopes.ts";
import type { Opened } from "../../server/main/foundations.ts";
import { Database } from "../../server/platform/database/database.ts";
import { ownStore, sql } from "../../server/platform/database/sql.ts";
import { parseId } from "../../server/platform/ids.ts";
import { openLog } from "../../server/platform/log.ts";
import { openSecrets } from "../../server/platform/secrets.ts";
import { importQuiz } from "../../server/quizzes/public.ts";
import { createKey, createStore, updateStore } from "../../server/stores/admin.ts";
import { historyDays, type SeededStore, seedHistory } from "./history.ts";
import { seededDocument } from "./quiz.ts";

/** Stores with a history: the product's own functions create them, their keys and their published quizzes. */

export interface StorePlan {
  sessions: number;
  /** number of people whose emails the sessions left; by default three tenths of the sessions */
  people?: number;
  quizzes: number;
  plan: Plan;
  /** replaces the plan's limits */
  limits: object;
}

const dayMs = 86_400_000;

/** Store sizes by Zipf's law: the n-th store has 1/n of the first one's sessions, and their total is `sessions`. */
export function zipfSizes(stores: number, sessions: number): number[] {
  const shares = Array.from({ length: stores }, (_, index) => 1 / (index + 1));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => Math.max(10, Math.round((sessions * share) / sum)));
}

/** The foundations needed to create stores: a program's, or a substitute. */
export interface Seeding {
  opened: Pick<Opened, "database" | "secrets">;
  database: { connection: pg.ClientConfig };
}

/** Created just before its history begins. */
function makeStore({ opened }: Seeding, plan: StorePlan, madeAt: number): Promise<SeededStore> {
  const { database, secrets } = opened;
  const calendar = { now: () => madeAt, afterReal: (milliseconds: number) => madeAt + milliseconds };
  const deps = { calendar, random: randomBytes, secrets };
  return database.transaction(async (tx) => {
    const shopDomain = `shop-${randomBytes(6).toString("hex")}.example.com`;
    const given = { name: "Shop", shopDomain, plan: plan.plan, timezone: "UTC", currency: "USD" };
    const made = await createStore(tx, deps, given);
    const id = parseId("store", made.store_id) ?? "";
    await updateStore(tx, id, { limits: plan.limits });
    const quizzes: SeededStore["quizzes"] = [];
    for (let number = 1; number <= plan.quizzes; number += 1) {
      const wanted = { document: seededDocument, publish: true, name: `Finder ${number}` };
      const quiz = await importQuiz(tx, deps, id, wanted);
      quizzes.push({ quiz: quiz.quiz_id, version: quiz.version_id ?? "" });
    }
    // the quizzes were created before the history, and old changes are deleted: without this, that would happen during
    // a run
    await tx.forStore(id).all(sql`UPDATE changes SET at = now() WHERE store_id = ${ownStore}`);
    const { key } = await createKey(tx, deps, id, { scopes: allScopes });
    const { sessions, people = Math.max(1, Math.floor(sessions * 0.3)) } = plan;
    return { id, publishableKey: made.publishable_key, key, quizzes, sessions, people };
  });
}

/** Creates the stores and writes their histories, whose last session was opened an hour ago. */
export async function seedStores(seeding: Seeding, plans: readonly StorePlan[]): Promise<SeededStore[]> {
  const end = new Date(Date.now() - 3_600_000);
  const stores: SeededStore[] = [];
  for (const plan of plans) stores.push(await makeStore(seeding, plan, end.getTime() - (historyDays + 1) * dayMs));
  const client = new pg.Client(seeding.database.connection);
  try {
    await client.connect();
    await client.query("SET synchronous_commit = off");
    for (const store of stores) await seedHistory(client, store, end);
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
  return stores;
}

/** For a program whose processes will be started with this key. */
export async function seedDatabase(
  connection: pg.ClientConfig,
  secretKey: string,
  plans: readonly StorePlan[],
): Promise<SeededStore[]> {
  const log = openLog("error", { write: (line) => void process.stderr.write(line) });
  const database = new Database({ connection, size: 4, log });
  try {
    const opened = { database, secrets: openSecrets(secretKey, randomBytes) };
    return await seedStores({ opened, database: { connection } }, plans);
  } finally {
    await database.close();
  }
}
