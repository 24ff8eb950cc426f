import type pg from "pg";

/** A store with a long history, written by the database itself: rows as the reducer leaves them, without their events. */

export interface SeedSize {
  people: number;
  sessions: number;
}

export const benchStore = "0198f000-0000-7000-8000-000000000001";
/** the calendar's time at which the history ends */
export const historyEnd = Date.parse("2026-06-01T00:00:00Z");

export const quizCount = 5;
const uuid = (kind: string, number: string) =>
  `('0198f000-${kind}-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
/** UUID of the quiz of every fifth session, counted on from there */
export const benchQuiz = (number: number): string =>
  `0198f000-0002-7000-8000-${(number % quizCount).toString(16).padStart(12, "0")}`;
const quizId = (session: string) => uuid("0002", `(${session}) % ${quizCount}`);
const versionId = (session: string) => uuid("0003", `(${session}) % ${quizCount}`);
export const sessionUuid = (number: string) => uuid("0004", number);
export const personUuid = (number: string) => uuid("0005", number);

const questions = [
  { page_key: "skin", component_key: "skin_type", kind: "choice", multiple: false },
  { page_key: "goals", component_key: "goals", kind: "choice", multiple: true },
  { page_key: "age", component_key: "age", kind: "number" },
  { page_key: "contact", component_key: "remark", kind: "text" },
  { page_key: "contact", component_key: "email", kind: "email" },
  { page_key: "skin", component_key: "birthday", kind: "date" },
] as const;

const options = (component_key: string) =>
  Array.from({ length: 6 }, (_, index) => ({
    option_id: `${component_key}_${index}`,
    label: `Choice ${index} of ${component_key}`,
    image_url: null,
    points: {},
  }));

const results = {
  age: { kind: "formula", component_key: "double_age", label: "Twice", expression: "age * 2" },
  result: { kind: "products", block_key: "picks", source: "fixed", products: [], limit: 3 },
};

/** Numbered (engine/numbering.ts): skin_type 0, birthday 1, goals 2, age 3, remark 4, email 5. */
const document = {
  pages: ["skin", "goals", "age", "contact", "result"].map((page_key) => ({
    page_key,
    title: page_key,
    kind: page_key === "result" ? "result" : "question",
    skippable: false,
    visible_when: null,
    components: [
      ...questions
        .filter((question) => question.page_key === page_key)
        .map((question) => ({
          ...question,
          question: question.component_key,
          options: question.kind === "choice" ? options(question.component_key) : [],
        })),
      ...Object.entries(results).flatMap(([page, component]) => (page === page_key ? [component] : [])),
    ],
  })),
  jump_rules: [],
  property_mappings: [],
  dimensions: [
    { dimension_id: "dry", name: "Dry" },
    { dimension_id: "oily", name: "Oily" },
  ],
};

/** What a session's state holds beside its answers, about as long as a real one of six pages. */
const surroundings = {
  end_reason: "finished",
  contacts: [],
  visits: ["skin", "goals", "age", "contact", "result"].map((page_key) => ({
    page_key,
    entries: 1,
    entries_by_jump: 0,
    first_at: historyEnd,
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
    time: historyEnd,
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

/** Four answers a session: two choices, a number, and by turns a text, an email, a date or a second option. */
const answers = (n: string, email = n) => `('[' || concat_ws(',',
  ${answer("skin", "skin_type", "choice", `"option_ids":["skin_type_' || ${n} % 6 || '"]`)},
  ${answer("goals", "goals", "choice", `"option_ids":["goals_' || ${n} % 4 || '","goals_' || 4 + ${n} % 2 || '"]`)},
  ${answer("age", "age", "number", `"value":' || 18 + ${n} * 7 % 60 || '`)},
  CASE ${n} % 3
    WHEN 0 THEN ${answer("contact", "remark", "text", `"value":"Shopper ' || ${n} % 1000 || ' has \\"dry\\" skin, très sèche"`)}
    WHEN 1 THEN ${answer("contact", "email", "email", `"value":"shopper' || ${email} || '@example.com"`)}
    ELSE ${answer("skin", "birthday", "date", `"value":{"date":"19' || 50 + ${n} % 50 || '-03-04","time":null}`)} END)
  || ']')::jsonb`;

const outcome = (n: string) => `jsonb_build_object(
  'points', jsonb_build_array(jsonb_build_object('dimension_id', 'dry', 'name', 'Dry', 'total', ${n} % 7),
    jsonb_build_object('dimension_id', 'oily', 'name', 'Oily', 'total', ${n} % 5)),
  'points_total', 0,
  'winner', CASE WHEN ${n} % 7 >= ${n} % 5 THEN jsonb_build_object('dimension_id', 'dry', 'name', 'Dry', 'total', ${n} % 7)
    ELSE jsonb_build_object('dimension_id', 'oily', 'name', 'Oily', 'total', ${n} % 5) END,
  'formulas', jsonb_build_array(jsonb_build_object('page_key', 'age', 'component_key', 'double_age', 'label', 'Twice', 'value', ${n} % 60 * 2)))`;

/** The same as a fact text (copy-text.ts of the sessions), with three products shown at the end. */
const facts = (n: string, emailAt = "'1780000000000'") => `'{"i":[' || CASE WHEN done IS NULL THEN '3,null,3,3' ELSE
    '4,' || (CASE WHEN ${n} % 7 >= ${n} % 5 THEN 0 ELSE 1 END) || ',4,0' END
  || ',' || (CASE WHEN ${n} % 3 = 1 THEN ${emailAt} ELSE 'null' END) || ',null,null]'
  || ',"v":[[0,1,0,0,12345,0,0],[1,1,0,0,12345,0,0],[2,1,0,0,12345,0,0],[3,1,0,0,12345,0,0]' || coalesce(left(done::text, 0) || ',[4,1,0,0,null,0,0]', '') || ']'
  || ',"m":[[0,1,0,null,1],[1,2,0,null,1],[2,3,0,null,1]' || coalesce(left(done::text, 0) || ',[3,4,0,null,1]', '') || ']'
  || ',"a":[[0,' || ${n} % 6 || ',5000],[2,' || ${n} % 4 || ',17000],[2,' || 4 + ${n} % 2 || ',17000]' || CASE WHEN ${n} % 3 = 1 THEN ',[5,null,40000]' ELSE '' END || ']'
  || ',"n":[[3,' || 18 + ${n} * 7 % 60 || ',30000]]'
  || CASE WHEN ${n} % 3 = 2 THEN ',"d":[[1,' || -7200 + 365 * (${n} % 50) || ',8000]]' ELSE '' END
  || CASE WHEN done IS NULL THEN '' ELSE ',"p":[[0,' || ${n} % 7 || '],[1,' || ${n} % 5 || ']],"f":[[0,' || ${n} % 60 * 2 || ']]'
    || ',"s":[[0,0,90000],[0,1,90000],[0,2,90000]],"g":["gid://shopify/Product/' || ${n} % 10
    || '","gid://shopify/Product/' || 10 + ${n} % 7 || '","gid://shopify/Product/' || 20 + ${n} % 9 || '"]' END || '}'`;

const texts = (n: string) => `CASE WHEN ${n} % 3 = 0 THEN
  '[{"q":4,"t":"shopper ' || ${n} % 1000 || ' has \\"dry\\" skin, très sèche","w":40000}]' END`;

/** For histories of other stores over a quiz whose keys have the same numbers; `done` says whether session `n` is completed. */
export const sessionParts = { surroundings, answers, outcome, facts, texts };

/** Six in ten sessions have a person, six in ten are completed. */
const insertSessions = `
  INSERT INTO sessions (store_id, id, number, visitor_id, quiz_id, version_id, profile_id, channel, device_class, device,
    preview, emits, is_returning, first_received_at, opened_at, started_at, completed_at, ended_at, last_event_at, status, state, facts, texts)
  SELECT $1, ${sessionUuid("n")}, n, ${uuid("0006", "n / 2")}, ${quizId("n")}, ${versionId("n")},
    CASE WHEN n % 5 < 3 THEN ${personUuid("(n::bigint * 7919 + n / 7) % $4 + 1")} END, 'online_store', 'mobile', '{}',
    false, false, false, at, at, at + interval '5 s', done, done, at + interval '2 min',
    CASE WHEN done IS NULL THEN 'left' ELSE 'completed' END,
    $5::jsonb || jsonb_build_object('answers', ${answers("n")}, 'outcome', ${outcome("n")}, 'last_page_key',
      CASE WHEN done IS NULL THEN 'contact' ELSE 'result' END), ${facts("n")}, ${texts("n")}
  FROM (SELECT n, $6::timestamptz - interval '1 s' * (($7::integer - n) * 15) AS at FROM generate_series($2::integer, $3::integer) n) t
  CROSS JOIN LATERAL (SELECT CASE WHEN (n / 5) % 5 < 3 THEN at + interval '90 s' END AS done) d`;

const insertPeople = `
  INSERT INTO profiles (store_id, id, number, created_at, first_seen_at, last_seen_at, sessions_count, visits_count)
  SELECT $1, ${personUuid("n")}, n, at, at, at, 2, 1 + n % 2
  FROM (SELECT n, $3::timestamptz - interval '1 s' * (($2::integer - n) * 50) AS at FROM generate_series(1, $2::integer) n) t`;

const insertIdentities = `
  INSERT INTO identities (store_id, kind, value, profile_id, consent)
  SELECT $1, CASE WHEN n % 10 = 0 THEN 'phone' ELSE 'email' END, 'shopper' || n || '@example.com', ${personUuid("n")}, n % 3 = 0
  FROM generate_series(1, $2::integer) n`;

const batch = 50_000;

export async function seedFacts(client: pg.Client, { people, sessions }: SeedSize): Promise<void> {
  const end = new Date(historyEnd);
  await client.query(
    `INSERT INTO stores (id, name, shop_domain, plan, currency, timezone, publishable_key, commerce_secret, created_at)
     VALUES ($1, 'Shop', 'bench.example', 'plus', 'USD', 'UTC', $1, '', $2)`,
    [benchStore, end],
  );
  for (let quiz = 0; quiz < quizCount; quiz++) {
    await client.query(
      `INSERT INTO quizzes (store_id, id, name, draft, draft_page_count, created_at, updated_at)
       VALUES ($1, ${quizId("$2::integer")}, 'Quiz', '{}', 1, $3, $3)`,
      [benchStore, quiz, end],
    );
    await client.query(
      `INSERT INTO quiz_versions (store_id, id, quiz_id, number, document, page_count, created_at)
       VALUES ($1, ${versionId("$2::integer")}, ${quizId("$2::integer")}, 1, $3, 1, $4)`,
      [benchStore, quiz, JSON.stringify(document), end],
    );
  }
  await client.query(insertPeople, [benchStore, people, end]);
  await client.query(insertIdentities, [benchStore, people]);
  for (let from = 1; from <= sessions; from += batch) {
    const to = Math.min(sessions, from + batch - 1);
    await client.query(insertSessions, [benchStore, from, to, people, JSON.stringify(surroundings), end, sessions]);
  }
  await client.query("INSERT INTO store_revisions (store_id) VALUES ($1)", [benchStore]);
  await client.query("ANALYZE");
}
