import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Plan } from "../contract/limits.ts";
import { allScopes } from "../contract/scopes.ts";
import { Database } from "../server/platform/database/database.ts";
import { sql } from "../server/platform/database/sql.ts";
import { parseId } from "../server/platform/ids.ts";
import { openLog } from "../server/platform/log.ts";
import { openSecrets } from "../server/platform/secrets.ts";
import { importQuiz } from "../server/quizzes/public.ts";
import { createKey, createStore, updateStore } from "../server/stores/admin.ts";
import { personUuid, sessionParts, sessionUuid } from "./facts-data.ts";
import { loadDocument } from "./load-quiz.ts";

/**
 * Many stores with a history: stores, keys and published quizzes made by the product's own functions, past sessions,
 * people, orders and the catalog written by the database, as the reducer and the settling of people leave them, without
 * the shoppers' single events.
 */

export interface LoadStore {
  /** UUID */
  id: string;
  publishableKey: string;
  key: string;
  quizzes: { quiz: string; version: string }[];
  /** of the history */
  sessions: number;
  people: number;
}

export interface StorePlan {
  sessions: number;
  quizzes: number;
  plan: Plan;
  /** replaces the plan's limits */
  limits: object;
}

const historyDays = 90;
const dayMs = 86_400_000;
const batch = 50_000;

/** The sizes of stores of which the n-th has an n-th of the first's sessions, so many sessions in all. */
export function zipfSizes(stores: number, sessions: number): number[] {
  const shares = Array.from({ length: stores }, (_, index) => 1 / (index + 1));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => Math.max(10, Math.round((sessions * share) / sum)));
}

/** A third of the sessions have left an email, so that a person has one and two thirds of them on average. */
const peopleOf = (sessions: number): number => Math.max(1, Math.floor(sessions / 5));

/** Session numbers that have left an email are 1, 4, 7, ...; the number of that session's person. */
export const personNumber = (session: number, people: number): number =>
  1 + ((session * 7_919 + Math.floor(session / 7)) % people);
const person = (n: string) => `(1 + (${n}::bigint * 7919 + ${n} / 7) % $5::bigint)`;
export const historyEmail = (number: number): string => `shopper${number}@example.com`;

const msOf = (time: string) => `(extract(epoch FROM ${time}) * 1000)::bigint`;

/** `at` is the opening, `done` the finish of a completed one. */
const timesInState = `'status', CASE WHEN done IS NULL THEN 'left' ELSE 'completed' END, 'opened_at', ${msOf("at")},
  'started_at', ${msOf("at")} + 5000, 'completed_at', ${msOf("done")}, 'time_to_complete_ms', CASE WHEN done IS NOT NULL THEN 85000 END,
  'ended_at', coalesce(${msOf("done")}, ${msOf("at")} + 1920000), 'last_event_at', ${msOf("at")} + 120000, 'idle_at', NULL,
  'abandon_at', CASE WHEN done IS NULL THEN ${msOf("at")} + 1920000 END, 'answered_count', 4,
  'opt_ins', jsonb_build_object('email_at', CASE WHEN n % 3 = 1 THEN ${msOf("at")} + 40000 END, 'phone_at', NULL, 'denied_at', NULL),
  'terminal_page_key', CASE WHEN done IS NOT NULL THEN 'result' END`;

// $6 is the end of the history, $7 the number of its sessions, which spread evenly over it
const sessionsSql = `
  INSERT INTO sessions (store_id, id, number, visitor_id, quiz_id, version_id, profile_id, channel, placement, page_url,
    referrer_host, utm_source, device_class, device, country, preview, emits, is_returning, first_received_at, opened_at,
    started_at, completed_at, ended_at, last_event_at, status, state, facts, texts)
  SELECT $1, ${sessionUuid("n")}, n, md5('visitor' || n / 2)::uuid, ($2::uuid[])[1 + n % cardinality($2::uuid[])],
    ($3::uuid[])[1 + n % cardinality($3::uuid[])], CASE WHEN n % 3 = 1 THEN ${personUuid(person("n"))} END,
    (ARRAY['online_store', 'email', 'social', 'popup'])[1 + n % 4], 'popup', 'https://shop.example.com/pages/' || n % 40,
    CASE WHEN n % 3 > 0 THEN 'site' || n % 50 || '.example' END, (ARRAY['mail', 'google', 'meta', NULL])[1 + n % 4],
    (ARRAY['mobile', 'mobile', 'desktop', 'tablet'])[1 + n / 3 % 4], '{}', (ARRAY['US', 'GB', 'DE', NULL])[1 + n / 5 % 4],
    false, false, n % 2 = 1 AND n > 1, at, at, at + interval '5 s', done, coalesce(done, at + interval '32 min'),
    at + interval '2 min', CASE WHEN done IS NULL THEN 'left' ELSE 'completed' END,
    $4::jsonb || jsonb_build_object('answers', ${sessionParts.answers("n", person("n"))}, 'outcome', ${sessionParts.outcome("n")},
      'last_page_key', CASE WHEN done IS NULL THEN 'contact' ELSE 'result' END, ${timesInState})
      || CASE WHEN done IS NULL THEN $10::jsonb ELSE '{}' END,
    ${sessionParts.facts("n", `(${msOf("at")} + 40000)::text`)}, ${sessionParts.texts("n")}
  FROM (SELECT n, $6::timestamptz - interval '${historyDays} days' * (($7::integer - n)::double precision / $7) AS at
    FROM generate_series($8::integer, $9::integer) n) t
  CROSS JOIN LATERAL (SELECT CASE WHEN n % 5 < 3 THEN at + interval '90 s' END AS done) d`;

const capturesSql = `
  INSERT INTO captures (store_id, session_id, component_key, kind, value, consent, page_key, at)
  SELECT store_id, id, 'email', 'email', 'shopper' || (1 + (number * 7919 + number / 7) % $2::bigint) || '@example.com',
    number % 2 = 0, 'contact', opened_at + interval '40 s'
  FROM sessions WHERE store_id = $1 AND profile_id IS NOT NULL`;

const profilesSql = `
  INSERT INTO profiles (store_id, id, number, created_at, first_seen_at, last_seen_at, sessions_count, completed_count,
    visits_count, quiz_ids)
  SELECT store_id, profile_id, row_number() OVER (ORDER BY min(opened_at), profile_id), min(opened_at), min(opened_at),
    max(last_event_at), count(*), count(completed_at), count(*), array_agg(DISTINCT quiz_id)
  FROM sessions WHERE store_id = $1 AND profile_id IS NOT NULL GROUP BY store_id, profile_id`;

const identitiesSql = `
  INSERT INTO identities (store_id, kind, value, profile_id, consent, first_seen_at, last_seen_at)
  SELECT p.store_id, 'email', 'shopper' || n || '@example.com', p.id, n % 2 = 0, p.first_seen_at, p.last_seen_at
  FROM generate_series(1, $2::integer) n JOIN profiles p ON p.store_id = $1 AND p.id = ${personUuid("n")}`;

/** One finished session in fifteen bought: two lines, one of a product that it was shown. */
const ordersSql = `
  WITH bought AS (
    SELECT store_id, id AS session_id, profile_id, number, completed_at + interval '1 hour' AS at, md5('order' || number)::uuid AS id
    FROM sessions WHERE store_id = $1 AND completed_at IS NOT NULL AND number % 15 = 1
  ), placed AS (
    INSERT INTO orders (store_id, id, gid, name, created_at, updated_at, stage, currency, total, session_id, matched_tier,
      profile_id, profile_tier)
    SELECT store_id, id, 'gid://shopify/Order/' || number, '#' || number, at, at, 0, 'USD', 50 + number % 50, session_id, 'cart',
      profile_id, CASE WHEN profile_id IS NOT NULL THEN 'cart' END
    FROM bought
  )
  INSERT INTO order_lines (store_id, order_id, line_no, product_id, title, quantity, amount, from_quiz, bucket)
  SELECT store_id, id, line, 'gid://shopify/Product/' || (number + line) % 30, 'Product', 1, 25, false,
    CASE WHEN line = 1 THEN 'shown_bought_later' ELSE 'bought_not_shown' END
  FROM bought, generate_series(1, 2) AS line`;

const orderKeysSql = `
  INSERT INTO order_keys (store_id, order_id, tier, value, rank)
  SELECT store_id, id, 'cart', session_id::text, 0 FROM orders WHERE store_id = $1`;

const spentSql = `
  UPDATE profiles p SET orders_count = o.orders, spent = o.spent, last_order_at = o.last
  FROM (SELECT profile_id, count(*) AS orders, sum(total) AS spent, max(created_at) AS last FROM orders
    WHERE store_id = $1 AND profile_id IS NOT NULL GROUP BY profile_id) o
  WHERE p.store_id = $1 AND p.id = o.profile_id`;

const productsSql = `
  INSERT INTO products (store_id, product_id, title, had_variants, updated_at)
  SELECT $1, 'gid://shopify/Product/' || n, 'Product ' || n, false, $2 FROM generate_series(0, 29) n`;

const numberedSql = `
  UPDATE store_revisions SET sessions_numbered = $2, profiles_numbered = (SELECT count(*) FROM profiles WHERE store_id = $1)
  WHERE store_id = $1`;

async function seedHistory(client: pg.Client, store: LoadStore, end: Date): Promise<void> {
  const { id, sessions, people } = store;
  const quizzes = store.quizzes.map(({ quiz }) => parseId("quiz", quiz));
  const versions = store.quizzes.map(({ version }) => parseId("ver", version));
  const state = JSON.stringify(sessionParts.surroundings);
  const left = JSON.stringify({
    end_reason: "timed_out",
    exit: { page_key: "contact", reason: "timed_out" },
    pages_visited: 4,
  });
  for (let from = 1; from <= sessions; from += batch) {
    const to = Math.min(sessions, from + batch - 1);
    await client.query(sessionsSql, [id, quizzes, versions, state, people, end, sessions, from, to, left]);
  }
  await client.query(capturesSql, [id, people]);
  await client.query(profilesSql, [id]);
  await client.query(identitiesSql, [id, people]);
  await client.query(ordersSql, [id]);
  await client.query(orderKeysSql, [id]);
  await client.query(spentSql, [id]);
  await client.query(productsSql, [id, end]);
  await client.query(numberedSql, [id, sessions]);
}

/** As if they had been made just before the history begins. */
async function makeStores(
  connection: pg.ClientConfig,
  secretKey: string,
  plans: readonly StorePlan[],
  madeAt: number,
): Promise<LoadStore[]> {
  const log = openLog("error", { write: (line) => void process.stderr.write(line) });
  const database = new Database({ connection, size: 4, log });
  const calendar = { now: () => madeAt, afterReal: (milliseconds: number) => madeAt + milliseconds };
  const deps = { calendar, random: randomBytes, secrets: openSecrets(secretKey, randomBytes) };
  const make = (plan: StorePlan, index: number): Promise<LoadStore> =>
    database.transaction(async (tx) => {
      const given = {
        name: `Shop ${index}`,
        shopDomain: `shop-${index}.example.com`,
        timezone: "UTC",
        currency: "USD",
      };
      const made = await createStore(tx, deps, { ...given, plan: plan.plan });
      const id = parseId("store", made.store_id) ?? "";
      await updateStore(tx, id, { limits: plan.limits });
      const quizzes: LoadStore["quizzes"] = [];
      for (let number = 1; number <= plan.quizzes; number += 1) {
        const wanted = { document: loadDocument, publish: true, name: `Finder ${number}` };
        const quiz = await importQuiz(tx, deps, id, wanted);
        quizzes.push({ quiz: quiz.quiz_id, version: quiz.version_id ?? "" });
      }
      // the quizzes were made before the history: without this their changes would be forgotten amid a run, as old ones are
      await tx.all(sql`UPDATE changes SET at = now() WHERE store_id = ${id}`);
      const { key } = await createKey(tx, deps, id, { scopes: allScopes });
      const { sessions } = plan;
      return { id, publishableKey: made.publishable_key, key, quizzes, sessions, people: peopleOf(sessions) };
    });
  try {
    const stores: LoadStore[] = [];
    for (const [index, plan] of plans.entries()) stores.push(await make(plan, index));
    return stores;
  } finally {
    await database.close();
  }
}

/** Makes the stores and writes their histories, whose last session is opened an hour ago. */
export async function seedStores(
  connection: pg.ClientConfig,
  secretKey: string,
  plans: readonly StorePlan[],
  now: number,
): Promise<LoadStore[]> {
  const end = new Date(now - 3_600_000);
  const stores = await makeStores(connection, secretKey, plans, end.getTime() - (historyDays + 1) * dayMs);
  const client = new pg.Client(connection);
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
