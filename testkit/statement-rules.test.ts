import { beforeAll, describe, expect, it } from "vitest";
import type { StatementRules } from "./statement-rules.ts";
import { loadStatementRules } from "./statement-rules.ts";
import type { TableRules } from "./statement-select.ts";

const tables: TableRules = {
  tenant: new Set(["sessions", "quizzes", "events", "deliveries", "store_revisions"]),
  reference: new Set(["stores", "key_hashes"]),
  onEveryNode: new Set(["stores"]),
};

let violations: StatementRules;
beforeAll(async () => {
  violations = await loadStatementRules();
});

const recursive = (branch: string) =>
  `WITH RECURSIVE r AS (SELECT store_id, id FROM quizzes WHERE store_id = $1 UNION ALL ${branch}) SELECT id FROM r`;

const legal: Record<string, string> = {
  "a read of one store": "SELECT * FROM sessions WHERE store_id = $1 AND id = $2",
  "quoted names and a qualified column": 'SELECT "s"."id" FROM "sessions" AS "s" WHERE "s"."store_id" = $1',
  "the parameter on the left, cast": "SELECT id FROM sessions WHERE $1::uuid = store_id",
  "the schema public": "SELECT id FROM public.sessions WHERE sessions.store_id = $1",
  "nested ANDs": "SELECT id FROM sessions WHERE (started_at > $2 AND (store_id = $1 AND id <> $3))",
  "a row comparison": "SELECT id FROM sessions s WHERE (s.store_id, s.id) = ($1, $2)",
  "a join by both store_ids":
    "SELECT 1 FROM sessions s JOIN quizzes q ON q.store_id = s.store_id WHERE s.store_id = $1",
  "a join with the condition in ON": "SELECT 1 FROM sessions s JOIN quizzes q ON q.store_id = $1 AND s.store_id = $1",
  "a chain of joins": `SELECT 1 FROM sessions s JOIN quizzes q ON q.store_id = s.store_id
     JOIN events e ON e.store_id = q.store_id WHERE e.store_id = $1`,
  "a join by USING": "SELECT 1 FROM sessions JOIN quizzes USING (store_id, quiz_id) WHERE store_id = $1",
  "a comma join": "SELECT 1 FROM sessions s, quizzes q WHERE s.store_id = $1 AND q.store_id = s.store_id",
  "a left join bound in ON":
    "SELECT 1 FROM sessions s LEFT JOIN quizzes q ON q.store_id = s.store_id WHERE s.store_id = $1",
  "a left join by USING": "SELECT 1 FROM sessions s LEFT JOIN quizzes q USING (store_id) WHERE store_id = $1",
  "a right join bound in ON":
    "SELECT 1 FROM quizzes q RIGHT JOIN sessions s ON q.store_id = s.store_id WHERE s.store_id = $1",
  "a full join of bound subqueries": `SELECT 1 FROM (SELECT id FROM sessions WHERE store_id = $1) a
     FULL JOIN (SELECT id FROM quizzes WHERE store_id = $1) b ON a.id = b.id`,
  "a join with a reference table": "SELECT 1 FROM stores t JOIN quizzes q ON q.store_id = t.id WHERE t.id = $1",
  "a CTE": "WITH s AS (SELECT id FROM sessions WHERE store_id = $1) SELECT * FROM s",
  "a join with a CTE": `WITH s AS (SELECT store_id, id FROM sessions WHERE store_id = $1)
     SELECT 1 FROM quizzes q JOIN s ON s.store_id = q.store_id WHERE q.store_id = $1`,
  "an insert from a CTE with renamed columns": `WITH s(shop) AS (SELECT store_id FROM sessions WHERE store_id = $1)
     INSERT INTO quizzes (store_id) SELECT shop FROM s`,
  "a CTE named like a table": "WITH sessions AS (SELECT 1 AS id) SELECT id FROM sessions",
  "a recursive CTE": recursive(
    "SELECT q.store_id, q.id FROM quizzes q JOIN r ON q.parent = r.id WHERE q.store_id = $1",
  ),
  "a correlated EXISTS that names the store": `SELECT 1 FROM sessions s WHERE s.store_id = $1
     AND EXISTS (SELECT 1 FROM events e WHERE e.store_id = $1 AND e.session_id = s.id)`,
  "a correlated scalar subquery that names the store": `SELECT (SELECT count(*) FROM events e
     WHERE e.store_id = $1 AND e.session_id = s.id) FROM sessions s WHERE s.store_id = $1`,
  "a bound subquery under OR": `SELECT 1 FROM sessions s WHERE s.store_id = $1
     AND (s.id = $2 OR s.id IN (SELECT session_id FROM events WHERE store_id = $1))`,
  "a lateral subquery that names the store": `SELECT 1 FROM sessions s CROSS JOIN LATERAL
     (SELECT e.store_id FROM events e WHERE e.store_id = $1 AND e.session_id = s.id LIMIT 1) x WHERE s.store_id = $1`,
  "a table joined to what a lateral subquery answers": `SELECT 1 FROM sessions s
     CROSS JOIN LATERAL (SELECT e.quiz_id FROM events e WHERE e.store_id = $1 AND e.session_id = s.id LIMIT 1) x
     JOIN quizzes q ON q.store_id = s.store_id AND q.id = x.quiz_id WHERE s.store_id = $1`,
  "a star of a bound table":
    "INSERT INTO events (store_id) SELECT s.store_id FROM (SELECT * FROM sessions WHERE store_id = $1) s",
  "a UNION bound in each branch": `SELECT id FROM sessions WHERE store_id = $1
     UNION ALL SELECT id FROM quizzes WHERE store_id = $1 ORDER BY 1 LIMIT 5`,
  "ids of a list": "SELECT s.id FROM unnest($2::uuid[]) AS u(id) JOIN sessions s ON s.id = u.id AND s.store_id = $1",
  "pairs of a list, bound themselves": `SELECT 1 FROM unnest($1::uuid[], $2::uuid[]) AS u(store_id, id)
     JOIN sessions s ON s.store_id = u.store_id WHERE u.store_id = $3`,
  "a lock of one store": "SELECT revision FROM store_revisions WHERE store_id = $1 FOR UPDATE",
  "a claim per store": "SELECT id FROM deliveries WHERE store_id = $1 AND due_at <= $2 LIMIT 9 FOR UPDATE SKIP LOCKED",
  "an insert": "INSERT INTO sessions (store_id, id) VALUES ($1, $2) RETURNING id",
  "an insert of several rows of one store": "INSERT INTO sessions (store_id, id) VALUES ($1, $2), ($1, $3)",
  "an insert of a list": "INSERT INTO sessions (store_id, id) SELECT $1::uuid, u.id FROM unnest($2::uuid[]) AS u(id)",
  "an insert from a bound table":
    "INSERT INTO events (id, store_id) SELECT id, store_id FROM sessions WHERE store_id = $1",
  "an upsert by store": `INSERT INTO sessions (store_id, id) VALUES ($1, $2)
     ON CONFLICT (store_id, id) DO UPDATE SET name = excluded.name WHERE sessions.id <> $3`,
  "a function of settings over parameters alone":
    "UPDATE sessions SET data = jsonb_set(data, '{a}', jsonb_build_object('b', $2::text[])) WHERE store_id = $1",
  "a function of settings in a subquery of FROM": `UPDATE sessions s SET data = k.data
     FROM (SELECT e.id, jsonb_agg(e.data) AS data FROM unnest($2::uuid[], $3::jsonb[]) AS e (id, data) GROUP BY e.id) k
     WHERE s.store_id = $1 AND s.id = k.id`,
  "a function of settings in a read":
    "SELECT date_trunc('day', at), coalesce(jsonb_agg(id), '[]') FROM sessions WHERE store_id = $1 GROUP BY 1",
  "ON CONFLICT DO NOTHING": "INSERT INTO sessions (store_id, id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
  "a reference table's insert": "INSERT INTO stores (id) VALUES ($1) ON CONFLICT (id) DO NOTHING",
  "an update": "UPDATE sessions SET name = $3 WHERE store_id = $1 AND id = $2",
  "an update from another table": `UPDATE sessions s SET name = q.name FROM quizzes q
     WHERE s.store_id = $1 AND q.store_id = s.store_id`,
  "a delete": "DELETE FROM sessions WHERE store_id = $1",
  "a delete with USING": "DELETE FROM events e USING sessions s WHERE e.store_id = s.store_id AND s.store_id = $1",
  "a merge": `MERGE INTO sessions s USING (SELECT $1::uuid AS store_id, $2::uuid AS id) x
     ON s.store_id = $1 AND s.id = x.id
     WHEN MATCHED THEN UPDATE SET name = $3 WHEN NOT MATCHED THEN INSERT (store_id, id) VALUES (x.store_id, x.id)`,
  "due work across stores": "/* due: across stores */ SELECT store_id, id FROM deliveries WHERE due_at <= $1 LIMIT 100",
  "due work with a limit as parameter":
    "SELECT store_id FROM deliveries /* due: across stores */ WHERE due_at <= $1 LIMIT $2",
  "the clock's own read": "/* clock */ SELECT clock_timestamp()",
  "the wake-up": "/* wake-up */ NOTIFY work",
  "the wake-up through the function": "/* wake-up */ SELECT pg_notify($1::text, $2::text)",
  "a migration": "/* migration */ CREATE TABLE x (id int)",
  "no table at all": "SELECT 1",
  "the catalogue": "SELECT 1 FROM pg_stat_activity a, pg_catalog.pg_class c, information_schema.tables t",
  "advisory locks": "SELECT pg_try_advisory_lock($1::bigint)",
  "a function of a parameter that is cast, also by name":
    "SELECT left($1::text, 2), make_interval(days => $2::integer)",
  "a parameter in COALESCE, which is no function": "SELECT coalesce($1, 'none')",
  "session statements": "SET lock_timeout = '2s'; SHOW server_version; LISTEN work; DISCARD ALL",
  "the beginning of a transaction": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  "the rest of a transaction in one text": "SET LOCAL statement_timeout = 1000; SAVEPOINT a; ROLLBACK TO a; COMMIT",
  "a copy of one store's rows": "COPY (SELECT id FROM sessions WHERE store_id = $1) TO STDOUT WITH (FORMAT csv)",
  "an explained read of one store": "EXPLAIN (ANALYZE) SELECT 1 FROM sessions WHERE store_id = $1",
  "age between two moments": "SELECT age($1::timestamptz, $2::timestamptz), current_user",
  "nothing but a comment": "-- nothing",
};

const unbound = /no condition \S+\.store_id = \$n in its own query/;

const illegal: Record<string, [sql: string, message: RegExp]> = {
  "a read without a store": [
    "SELECT * FROM sessions WHERE id = $1",
    /^sessions: no condition sessions\.store_id = \$n/,
  ],
  "a write without a store": ["DELETE FROM sessions", unbound],
  "an update without a store": ["UPDATE sessions SET name = $1 WHERE id = $2", unbound],
  "a literal store": ["SELECT 1 FROM sessions WHERE store_id = 'a'", unbound],
  "a store under OR": ["SELECT 1 FROM sessions WHERE store_id = $1 OR id = $2", unbound],
  "a store under NOT": ["SELECT 1 FROM sessions WHERE NOT (store_id = $1)", unbound],
  "a store in HAVING alone": ["SELECT 1 FROM sessions GROUP BY store_id HAVING store_id = $1", unbound],
  "several stores by ANY": ["SELECT 1 FROM sessions WHERE store_id = ANY($1)", unbound],
  "several stores by IN": ["SELECT 1 FROM sessions WHERE store_id IN ($1, $2)", unbound],
  "a range of stores": ["SELECT 1 FROM sessions WHERE store_id >= $1", unbound],
  "a store by IS NOT DISTINCT FROM": ["SELECT 1 FROM sessions WHERE store_id IS NOT DISTINCT FROM $1", unbound],
  "a cast column": ["SELECT 1 FROM sessions WHERE store_id::text = $1", unbound],
  "one side of a join": [
    "SELECT 1 FROM sessions s JOIN quizzes q ON q.id = s.quiz_id WHERE s.store_id = $1",
    /^quizzes q: no condition q\.store_id = \$n/,
  ],
  "a join whose sides are bound to each other only": [
    "SELECT 1 FROM sessions s JOIN quizzes q ON q.store_id = s.store_id",
    unbound,
  ],
  "a left join's ON for its left side": [
    "SELECT 1 FROM sessions s LEFT JOIN quizzes q ON q.store_id = s.store_id AND s.store_id = $1 AND q.store_id = $1",
    /^sessions s:/,
  ],
  "a full join's ON": ["SELECT 1 FROM sessions s FULL JOIN quizzes q ON s.store_id = $1 AND q.store_id = $1", unbound],
  "a full join by USING": ["SELECT 1 FROM sessions FULL JOIN quizzes USING (store_id) WHERE store_id = $1", unbound],
  "a natural join": ["SELECT 1 FROM sessions s NATURAL JOIN quizzes q WHERE s.store_id = $1", /^quizzes q:/],
  "a CTE without a store": ["WITH s AS (SELECT id FROM sessions) SELECT * FROM s WHERE id = $1", unbound],
  "a condition outside of the subquery": ["SELECT 1 FROM (SELECT * FROM sessions) s WHERE s.store_id = $1", unbound],
  "a recursive branch without a store": [
    recursive("SELECT q.store_id, q.id FROM quizzes q JOIN r ON q.id = r.id"),
    unbound,
  ],
  "a recursive branch that loses its store": [
    recursive("SELECT q.parent_store, q.id FROM quizzes q JOIN r ON q.store_id = r.store_id"),
    unbound,
  ],
  "an EXISTS without a store": [
    "SELECT 1 FROM sessions s WHERE s.store_id = $1 AND EXISTS (SELECT 1 FROM events e WHERE e.session_id = s.id)",
    /^events e:/,
  ],
  "an EXISTS that follows the query around it": [
    `SELECT 1 FROM sessions s WHERE s.store_id = $1
     AND EXISTS (SELECT 1 FROM events e WHERE e.store_id = s.store_id AND e.session_id = s.id)`,
    /^events e: no condition e\.store_id = \$n in its own query/,
  ],
  "a scalar subquery that follows the query around it": [
    "SELECT (SELECT count(*) FROM events e WHERE e.store_id = s.store_id) FROM sessions s WHERE s.store_id = $1",
    /^events e: no condition e\.store_id = \$n in its own query/,
  ],
  "a lateral subquery that follows the query around it": [
    `SELECT 1 FROM sessions s CROSS JOIN LATERAL
     (SELECT e.store_id FROM events e WHERE e.store_id = s.store_id LIMIT 1) x WHERE s.store_id = $1`,
    /^events e: no condition e\.store_id = \$n in its own query/,
  ],
  "a subquery of a subquery that follows the outermost": [
    `SELECT 1 FROM sessions s WHERE s.store_id = $1 AND EXISTS (SELECT 1 FROM events e WHERE e.store_id = $1
     AND EXISTS (SELECT 1 FROM quizzes q WHERE q.store_id = s.store_id))`,
    /^quizzes q:/,
  ],
  "a subquery in the target list": ["SELECT (SELECT count(*) FROM sessions)", unbound],
  "a subquery in a join's ON": ["SELECT 1 FROM stores a JOIN stores b ON a.id = (SELECT id FROM quizzes)", unbound],
  "a subquery in ORDER BY of a UNION's branch": [
    "SELECT 1 UNION (SELECT 2 ORDER BY (SELECT max(id) FROM quizzes))",
    unbound,
  ],
  "one branch of a UNION": ["SELECT id FROM sessions WHERE store_id = $1 UNION SELECT id FROM quizzes", /^quizzes:/],
  "a lateral subquery without a store": [
    "SELECT 1 FROM sessions s, LATERAL (SELECT 1 FROM events e WHERE e.session_id = s.id) x WHERE s.store_id = $1",
    /^events e:/,
  ],
  "a table that follows a subquery of FROM": [
    `SELECT 1 FROM quizzes q JOIN (SELECT store_id, count(*) FROM sessions WHERE store_id = $1 GROUP BY store_id) s
     ON s.store_id = q.store_id`,
    /^quizzes q: no condition q\.store_id = \$n in its own query/,
  ],
  "a table that follows a CTE": [
    `WITH s AS (SELECT store_id, id FROM sessions WHERE store_id = $1)
     SELECT 1 FROM quizzes q JOIN s ON s.store_id = q.store_id`,
    /^quizzes q: no condition q\.store_id = \$n in its own query/,
  ],
  "pairs of a list, unbound": [
    "SELECT 1 FROM unnest($1::uuid[], $2::uuid[]) AS u(store_id, id) JOIN sessions s ON s.store_id = u.store_id",
    unbound,
  ],
  "pairs of VALUES": [
    "SELECT 1 FROM (VALUES ($1::uuid)) v(store_id) JOIN sessions s ON s.store_id = v.store_id",
    unbound,
  ],
  "pairs of a reference table": [
    "SELECT 1 FROM key_hashes k JOIN sessions s ON s.store_id = k.store_id WHERE k.hash = $1",
    unbound,
  ],
  "pairs of IN": ["SELECT 1 FROM sessions WHERE (store_id, id) IN (SELECT $1, $2)", unbound],
  "two parameters for the store": [
    "SELECT 1 FROM sessions s JOIN quizzes q ON q.store_id = $2 WHERE s.store_id = $1",
    /more than one parameter: \$1, \$2/,
  ],
  "two parameters in two subqueries": [
    "SELECT 1 FROM sessions WHERE store_id = $1 AND EXISTS (SELECT 1 FROM quizzes WHERE store_id = $2)",
    /more than one parameter/,
  ],
  "a lock without a store": ["SELECT id FROM deliveries WHERE due_at <= $1 LIMIT 1 FOR UPDATE SKIP LOCKED", unbound],
  "an insert without store_id": ["INSERT INTO sessions (id) VALUES ($1)", /does not list store_id/],
  "an insert without columns": ["INSERT INTO sessions VALUES ($1, $2)", /does not list store_id/],
  "an insert of default values": ["INSERT INTO sessions DEFAULT VALUES", /does not list store_id/],
  "an insert of rows of two parameters": [
    "INSERT INTO sessions (store_id, id) VALUES ($1, $2), ($3, $4)",
    /more than one parameter: \$1, \$3/,
  ],
  "an insert of a literal store": ["INSERT INTO sessions (store_id) VALUES ('a')", /not a parameter/],
  "an insert of stores of a list": [
    "INSERT INTO sessions (store_id) SELECT u.store_id FROM unnest($1::uuid[]) AS u(store_id)",
    /not bound to one parameter/,
  ],
  "an insert of an unbound table": ["INSERT INTO sessions (store_id, id) SELECT $1, id FROM quizzes", /^quizzes:/],
  "an insert of a star": [
    "INSERT INTO sessions (id, store_id) SELECT * FROM quizzes WHERE store_id = $1",
    /not bound to one parameter/,
  ],
  "a conflict by id alone": [
    "INSERT INTO sessions (store_id, id) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
    /ON CONFLICT columns must begin with store_id/,
  ],
  "a conflict by a constraint": [
    "INSERT INTO sessions (store_id) VALUES ($1) ON CONFLICT ON CONSTRAINT sessions_pkey DO NOTHING",
    /names the constraint sessions_pkey/,
  ],
  "an upsert that moves a row": [
    "INSERT INTO sessions (store_id, id) VALUES ($1, $2) ON CONFLICT (store_id, id) DO UPDATE SET store_id = $1",
    /must not set store_id/,
  ],
  "an update that moves rows": ["UPDATE sessions SET store_id = $2 WHERE store_id = $1", /must not set store_id/],
  "an update of several columns that moves rows": [
    "UPDATE sessions SET (name, store_id) = (SELECT $2, $3) WHERE store_id = $1",
    /must not set store_id/,
  ],
  "an update from an unbound table": [
    "UPDATE sessions SET n = 1 FROM quizzes WHERE sessions.store_id = $1",
    /^quizzes:/,
  ],
  "a function of settings over a column": [
    "UPDATE sessions SET day = date_trunc('day', at) WHERE store_id = $1",
    /date_trunc\(\) depends on settings/,
  ],
  "a condition of a delete by such a function": [
    "DELETE FROM sessions WHERE store_id = $1 AND to_char(at, 'YYYY') = $2",
    /to_char\(\) depends on settings/,
  ],
  "days added to a column": [
    "UPDATE sessions s SET ended_at = s.at + interval '30 days' WHERE s.store_id = $1",
    /arithmetic with an interval depends on settings/,
  ],
  "at most a day for each, added to a moment that is given": [
    "UPDATE sessions SET due_at = $2::timestamptz + least($2::timestamptz - at, interval '1 day' * n) WHERE store_id = $1",
    /arithmetic with an interval depends on settings/,
  ],
  "such a function in COALESCE, in a subquery too": [
    "UPDATE sessions SET data = coalesce((SELECT jsonb_agg(v) FROM unnest($2::text[]) v), '[]') WHERE store_id = $1",
    /jsonb_agg\(\) depends on settings/,
  ],
  "such a function in RETURNING": [
    "UPDATE sessions SET n = 1 WHERE store_id = $1 RETURNING extract(epoch FROM at)",
    /extract\(\) depends on settings; RETURNING/,
  ],
  "such a function in ON CONFLICT": [
    `INSERT INTO sessions (store_id, id) VALUES ($1, $2)
     ON CONFLICT (store_id, id) DO UPDATE SET data = to_jsonb($3::text)`,
    /to_jsonb\(\) depends on settings, which ON CONFLICT must not/,
  ],
  "a subquery in VALUES": [
    "INSERT INTO sessions (store_id, id) VALUES ($1, (SELECT id FROM stores WHERE id = $1))",
    /a subquery in VALUES/,
  ],
  "a write in WITH": ["WITH d AS (DELETE FROM events WHERE store_id = $1) SELECT 1", /a write in WITH takes all/],
  "a delete in WITH without a store": ["WITH d AS (DELETE FROM events RETURNING id) SELECT id FROM d", unbound],
  "a write to a table hidden by a CTE's name": ["WITH events AS (SELECT 1) DELETE FROM events", unbound],
  "a merge's source bound in ON alone": [
    `MERGE INTO sessions s USING quizzes q ON s.store_id = $1 AND q.store_id = $1
     WHEN MATCHED THEN DO NOTHING`,
    /^quizzes q:/,
  ],
  "a merge that reaches unmatched rows": [
    "MERGE INTO sessions s USING stores t ON s.store_id = $1 WHEN NOT MATCHED BY SOURCE THEN DELETE",
    /NOT MATCHED BY SOURCE/,
  ],
  "a merge that inserts another's store": [
    "MERGE INTO sessions s USING stores t ON s.store_id = $1 WHEN NOT MATCHED THEN INSERT (store_id) VALUES (t.id)",
    /MERGE inserts a store_id/,
  ],
  "a tenant table with renamed columns": [
    "SELECT 1 FROM sessions AS s(store_id) WHERE s.store_id = $1",
    /keep their names/,
  ],
  "a table of no known kind": ["SELECT 1 FROM strangers WHERE store_id = $1", /neither a tenant table nor/],
  "due work without a limit": ["/* due: across stores */ SELECT id FROM deliveries", /needs a LIMIT/],
  "due work with a large limit": ["/* due: across stores */ SELECT id FROM deliveries LIMIT 101", /needs a LIMIT/],
  "due work with ties": [
    "/* due: across stores */ SELECT id FROM deliveries ORDER BY id FETCH FIRST 9 ROWS WITH TIES",
    /needs a LIMIT/,
  ],
  "due work that locks": ["/* due: across stores */ SELECT id FROM deliveries LIMIT 9 FOR UPDATE", /must not lock/],
  "due work of two tables": ["/* due: across stores */ SELECT 1 FROM deliveries, events LIMIT 9", /exactly one table/],
  "due work with a subquery": [
    "/* due: across stores */ SELECT (SELECT 1 FROM events LIMIT 1) FROM deliveries LIMIT 9",
    /exactly one table/,
  ],
  "due work that writes": ["/* due: across stores */ DELETE FROM deliveries", /marks a SELECT alone/],
  "a mark inside a string": ["SELECT '/* due: across stores */' FROM deliveries LIMIT 9", unbound],
  "a mark on another statement of the text": [
    "/* due: across stores */ SELECT 1 FROM deliveries LIMIT 9; SELECT 1 FROM events LIMIT 9",
    /^events:/,
  ],
  "now()": ["UPDATE sessions SET at = now() WHERE store_id = $1", /^now\(\): time and chance are parameters/],
  "a qualified clock": ["SELECT pg_catalog.clock_timestamp()", /^clock_timestamp\(\)/],
  current_timestamp: ["SELECT current_timestamp(3)", /^current_timestamp:/],
  "current_date inside a condition": ["SELECT 1 FROM stores WHERE day = current_date", /^current_date:/],
  "the text 'now'": ["SELECT 'now'::timestamptz", /^'now'::timestamptz/],
  "age to today": ["SELECT age($1::timestamptz)", /^age\(\)/],
  "random()": ["SELECT id FROM stores ORDER BY random()", /^random\(\)/],
  "gen_random_uuid()": ["INSERT INTO stores (id) VALUES (gen_random_uuid())", /^gen_random_uuid\(\)/],
  NOTIFY: ["BEGIN; NOTIFY work; COMMIT", /NOTIFY serialises commits/],
  "pg_notify()": ["SELECT pg_notify('work', '')", /NOTIFY serialises commits/],
  "CREATE TABLE": ["CREATE TABLE x (id int)", /^CreateStmt: changes the schema/],
  TRUNCATE: ["TRUNCATE sessions", /changes the schema/],
  "CREATE TABLE AS": ["CREATE TABLE x AS SELECT 1", /changes the schema/],
  "SELECT INTO": ["SELECT 1 INTO x", /creates a table/],
  DO: ["DO $$ BEGIN END $$", /hides its statements/],
  "LOCK TABLE": ["LOCK TABLE sessions", /locks every store/],
  "COPY of a whole table": ["COPY sessions TO STDOUT", /reads every store/],
  "COPY into a table": ["COPY sessions (store_id) FROM STDIN", /cannot name one store/],
  "a copied query without a store": ["COPY (SELECT id FROM sessions) TO STDOUT", unbound],
  "a prepared read without a store": ["PREPARE p AS SELECT 1 FROM sessions", unbound],
  "a function of a parameter without a cast": [
    "SELECT pg_cancel_backend($1)",
    /^pg_cancel_backend\(\$1\): cast the parameter/,
  ],
  "a named argument without a cast": ["SELECT make_interval(days => $1)", /^make_interval\(\$1\): cast the parameter/],
  "a function without a cast inside a condition": [
    "SELECT 1 FROM sessions WHERE store_id = $1 AND id = ANY (string_to_array($2, ',')::uuid[])",
    /^string_to_array\(\$2\): cast the parameter/,
  ],
  "BEGIN with more in its message": ["BEGIN; SET LOCAL lock_timeout = 2000", /^BEGIN is a message of its own/],
  "the second statement of a text": ["SAVEPOINT a; DELETE FROM events; COMMIT", /^events:/],
  "what does not parse": ["SELEC 1", /does not parse: .*SELEC/],
};

describe("statement rules [database.one-store, database.one-node, database.due-work, database.given-time]", () => {
  for (const [name, sql] of Object.entries(legal)) {
    it(`lets pass ${name}`, () => expect(violations(sql, tables)).toEqual([]));
  }

  for (const [name, [sql, message]] of Object.entries(illegal)) {
    it(`refuses ${name}`, () => expect(violations(sql, tables)).toContainEqual(expect.stringMatching(message)));
  }

  it("answers each violation once, and the same array for the same text", () => {
    const sql = "SELECT now(), now(); SELECT now()";
    expect(violations(sql, tables)).toHaveLength(1);
    expect(violations(sql, tables)).toBe(violations(sql, tables));
  });

  it("keeps the answers of different table lists apart", () => {
    const sql = "SELECT 1 FROM strangers";
    expect(violations(sql, tables)).toHaveLength(1);
    expect(violations(sql, { ...tables, reference: new Set(["strangers"]) })).toEqual([]);
  });

  it("takes about a millisecond for a new statement", () => {
    const sql = legal["a table joined to what a lateral subquery answers"] ?? "";
    const rounds = 100;
    const before = process.cpuUsage();
    for (let i = 0; i < rounds; i++) violations(`${sql} AND s.n = ${i}`, tables);
    // Processor time, and ten times what it takes, so that a busy machine does not fail it.
    expect(process.cpuUsage(before).user / 1000 / rounds).toBeLessThan(10);
  });
});
