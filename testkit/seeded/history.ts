import type pg from "pg";
import { parseId } from "../../server/platform/ids.ts";

/**
 * Past sessions, people, orders and the catalog of a seeded store, inserted by SQL: rows like those of the reducer and
 * of resolving people, but without the shoppers' single events, because sending a million sessions one by one, as other
 * generators do, would take an hour. `n` is a session's number, from 1.
 */

export interface SeededStore {
  /** UUID */
  id: string;
  publishableKey: string;
  key: string;
  /** session `n` belongs to the quiz at index `n` modulo their number */
  quizzes: { quiz: string; version: string }[];
  /** number of sessions in the history */
  sessions: number;
  people: number;
}

export const historyDays = 90;
const batch = 50_000;

const uuid = (kind: string, number: string) =>
  `('0198f000-${kind}-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const sessionUuid = (n: string) => uuid("0004", n);
const personUuid = (number: string) => uuid("0005", number);

/** Nearly half of the sessions have an email. */
const mailed = (n: string) => `(${n} % 11 < 5)`;
const person = (n: string) => `(1 + (${n}::bigint * 7919 + ${n} / 7) % $5::bigint)`;
const historyEmail = (number: number): string => `shopper${number}@example.com`;

/** The email of one of the history's sessions that have one; each `pick` gives a different one until they run out. */
export function emailOfHistory({ sessions, people }: SeededStore, pick: number): string {
  const session = 11 * (1 + (pick % Math.max(1, Math.floor(sessions / 11))));
  return historyEmail(1 + ((session * 7_919 + Math.floor(session / 7)) % people));
}

/** Used for every time within a state, since nothing reads them there. */
const stateTime = 1_780_000_000_000;

/** The other parts of a session's state, about as long as those of a real session of six pages. */
const surroundings = {
  end_reason: "finished",
  contacts: [],
  visits: ["skin", "goals", "age", "contact", "result"].map((page_key) => ({
    page_key,
    entries: 1,
    entries_by_jump: 0,
    first_at: stateTime,
    first_cause: "next",
    first_jump_rule_key: null,
    time_ms: 12_345,
    skipped: false,
    went_back: false,
  })),
  moves: ["skin", "goals", "age", "contact"].map((page_key) => ({
    from_page_key: page_key,
    to_page_key: page_key,
    cause: "next",
    jump_rule_key: null,
    time: stateTime,
    first: true,
  })),
  hidden: [],
  exit: { page_key: "result", reason: "finished" },
  shown: [],
  added: [],
  pages_visited: 5,
};

const answer = (page: string, component: string, kind: string, content: string) =>
  `'{"component_key":"${component}","page_key":"${page}","kind":"${kind}","consent":null,"time":1780000000000,"seq":4,` +
  `"event_id":"0198f2c4-a1b0-7c3e-9d5f-6a7b8c9d0e1f",${content}}'`;

/** About four answers per session: two choices, a number, a text or a date in two of three, and an email. */
const answers = (n: string, owner: string) => `('[' || concat_ws(',',
  ${answer("skin", "skin_type", "choice", `"option_ids":["skin_type_' || ${n} % 6 || '"]`)},
  ${answer("goals", "goals", "choice", `"option_ids":["goals_' || ${n} % 4 || '","goals_' || 4 + ${n} % 2 || '"]`)},
  ${answer("age", "age", "number", `"value":' || 18 + ${n} * 7 % 60 || '`)},
  CASE ${n} % 3
    WHEN 0 THEN ${answer("contact", "remark", "text", `"value":"Shopper ' || ${n} % 1000 || ' has \\"dry\\" skin, très sèche"`)}
    WHEN 2 THEN ${answer("skin", "birthday", "date", `"value":{"date":"19' || 50 + ${n} % 50 || '-03-04","time":null}`)} END,
  CASE WHEN ${mailed(n)} THEN ${answer("contact", "email", "email", `"value":"shopper' || ${owner} || '@example.com"`)} END)
  || ']')::jsonb`;

const outcome = (n: string) => `jsonb_build_object(
  'points', jsonb_build_array(jsonb_build_object('dimension_id', 'dry', 'name', 'Dry', 'total', ${n} % 7),
    jsonb_build_object('dimension_id', 'oily', 'name', 'Oily', 'total', ${n} % 5)),
  'points_total', 0,
  'winner', CASE WHEN ${n} % 7 >= ${n} % 5 THEN jsonb_build_object('dimension_id', 'dry', 'name', 'Dry', 'total', ${n} % 7)
    ELSE jsonb_build_object('dimension_id', 'oily', 'name', 'Oily', 'total', ${n} % 5) END,
  'formulas', jsonb_build_array(jsonb_build_object('page_key', 'age', 'component_key', 'double_age', 'label', 'Twice', 'value', ${n} % 60 * 2)))`;

/**
 * The same in the form of the text that the copy reads (copy-text.ts of the sessions), with three products shown at the
 * end.
 */
const facts = (n: string, emailAt: string) => `'{"i":[' || CASE WHEN done IS NULL THEN '3,null,3,3' ELSE
    '4,' || (CASE WHEN ${n} % 7 >= ${n} % 5 THEN 0 ELSE 1 END) || ',4,0' END
  || ',' || (CASE WHEN ${mailed(n)} THEN ${emailAt} ELSE 'null' END) || ',null,null]'
  || ',"v":[[0,1,0,0,12345,0,0],[1,1,0,0,12345,0,0],[2,1,0,0,12345,0,0],[3,1,0,0,12345,0,0]' || coalesce(left(done::text, 0) || ',[4,1,0,0,null,0,0]', '') || ']'
  || ',"m":[[0,1,0,null,1],[1,2,0,null,1],[2,3,0,null,1]' || coalesce(left(done::text, 0) || ',[3,4,0,null,1]', '') || ']'
  || ',"a":[[0,' || ${n} % 6 || ',5000],[2,' || ${n} % 4 || ',17000],[2,' || 4 + ${n} % 2 || ',17000]' || CASE WHEN ${mailed(n)} THEN ',[5,null,40000]' ELSE '' END || ']'
  || ',"n":[[3,' || 18 + ${n} * 7 % 60 || ',30000]]'
  || CASE WHEN ${n} % 3 = 2 THEN ',"d":[[1,' || -7200 + 365 * (${n} % 50) || ',8000]]' ELSE '' END
  || CASE WHEN done IS NULL THEN '' ELSE ',"p":[[0,' || ${n} % 7 || '],[1,' || ${n} % 5 || ']],"f":[[0,' || ${n} % 60 * 2 || ']]'
    || ',"s":[[0,0,90000],[0,1,90000],[0,2,90000]],"g":["gid://shopify/Product/' || ${n} % 10
    || '","gid://shopify/Product/' || 10 + ${n} % 7 || '","gid://shopify/Product/' || 20 + ${n} % 9 || '"]' END || '}'`;

const texts = (n: string) => `CASE WHEN ${n} % 3 = 0 THEN
  '[{"q":4,"t":"shopper ' || ${n} % 1000 || ' has \\"dry\\" skin, très sèche","w":40000}]' END`;

const msOf = (time: string) => `(extract(epoch FROM ${time}) * 1000)::bigint`;

/** `at` is the opening, `done` the finish of a completed session. */
const timesInState = `'status', CASE WHEN done IS NULL THEN 'left' ELSE 'completed' END, 'opened_at', ${msOf("at")},
  'started_at', ${msOf("at")} + 5000, 'completed_at', ${msOf("done")}, 'time_to_complete_ms', CASE WHEN done IS NOT NULL THEN 85000 END,
  'ended_at', coalesce(${msOf("done")}, ${msOf("at")} + 1920000), 'last_event_at', ${msOf("at")} + 120000, 'idle_at', NULL,
  'abandon_at', CASE WHEN done IS NULL THEN ${msOf("at")} + 1920000 END, 'answered_count', 3 + (n % 3 <> 1)::integer + ${mailed("n")}::integer,
  'opt_ins', jsonb_build_object('email_at', CASE WHEN ${mailed("n")} THEN ${msOf("at")} + 40000 END, 'phone_at', NULL, 'denied_at', NULL),
  'terminal_page_key', CASE WHEN done IS NOT NULL THEN 'result' END`;

// $6 is the end of the history, $7 the number of its sessions, which are spread evenly
const sessionsSql = `
  INSERT INTO sessions (store_id, id, number, visitor_id, quiz_id, version_id, profile_id, channel, placement, page_url,
    referrer_host, utm_source, device_class, device, country, preview, emits, is_returning, first_received_at, opened_at,
    started_at, completed_at, ended_at, last_event_at, status, state, facts, texts)
  SELECT $1, ${sessionUuid("n")}, n, md5('visitor' || n / 2)::uuid, ($2::uuid[])[1 + n % cardinality($2::uuid[])],
    ($3::uuid[])[1 + n % cardinality($3::uuid[])], CASE WHEN ${mailed("n")} THEN ${personUuid(person("n"))} END,
    (ARRAY['online_store', 'email', 'social', 'popup'])[1 + n % 4], 'popup', 'https://shop.example.com/pages/' || n % 40,
    CASE WHEN n % 3 > 0 THEN 'site' || n % 50 || '.example' END, (ARRAY['mail', 'google', 'meta', NULL])[1 + n % 4],
    (ARRAY['mobile', 'mobile', 'desktop', 'tablet'])[1 + n / 3 % 4], '{}', (ARRAY['US', 'GB', 'DE', NULL])[1 + n / 5 % 4],
    false, false, n % 2 = 1 AND n > 1, at, at, at + interval '5 s', done, coalesce(done, at + interval '32 min'),
    at + interval '2 min', CASE WHEN done IS NULL THEN 'left' ELSE 'completed' END,
    $4::jsonb || jsonb_build_object('answers', ${answers("n", person("n"))}, 'outcome', ${outcome("n")},
      'last_page_key', CASE WHEN done IS NULL THEN 'contact' ELSE 'result' END, ${timesInState})
      || CASE WHEN done IS NULL THEN $10::jsonb ELSE '{}' END,
    ${facts("n", `(${msOf("at")} + 40000)::text`)}, ${texts("n")}
  FROM (SELECT n, $6::timestamptz - interval '${historyDays} days' * (($7::integer - n)::double precision / $7) AS at
    FROM generate_series($8::integer, $9::integer) n) t
  CROSS JOIN LATERAL (SELECT CASE WHEN n / 5 % 5 < 3 THEN at + interval '90 s' END AS done) d`;

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

/** One in fifteen finished sessions bought something: two lines, one of a product that it was shown. */
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

export async function seedHistory(client: pg.Client, store: SeededStore, end: Date): Promise<void> {
  const { id, sessions, people } = store;
  const quizzes = store.quizzes.map(({ quiz }) => parseId("quiz", quiz));
  const versions = store.quizzes.map(({ version }) => parseId("ver", version));
  const state = JSON.stringify(surroundings);
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
