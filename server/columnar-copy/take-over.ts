import { statSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { copyExitReasons, copyMoveCauses } from "../sessions/public.ts";
import { fieldDelimiter, fieldQuote } from "./copy-out.ts";
import type { LeftOut } from "./left-out.ts";
import { plainRows } from "./plain-rows.ts";
import { originColumns } from "./schema.ts";
import { segmentColumns, unknownCountry } from "./schema-dictionaries.ts";
import type { CopiedRows } from "./source.ts";

/**
 * Puts rows that PostgreSQL handed over into the tables of a copy. Every function works on a connection that uses the
 * store's file, within the caller's transaction; what they stage lies in temporary tables of that connection, and goes with it.
 */

export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * COPY's CSV: an empty field is NULL, a quoted empty one an empty text. Read by one thread: several would have to guess
 * whether a line break belongs to somebody's answer.
 */
function fileRows(path: string, columns: CopiedRows["columns"]): string {
  // no line is longer than its file, and a small change does not fill buffers for the longest line there may be
  const bytes = Math.max(1 << 16, statSync(path).size + 1);
  const types = Object.entries(columns).map(([name, type]) => `${literal(name)}: ${literal(type)}`);
  return `read_csv(${literal(path)}, columns = {${types.join(", ")}}, auto_detect = false, header = false,
    delim = '${fieldDelimiter}', quote = '${fieldQuote}', escape = '${fieldQuote}', nullstr = '',
    allow_quoted_nulls = false, new_line = '\\n', parallel = false, max_line_size = ${bytes}, buffer_size = ${bytes})`;
}

/** In one call: each is a trip to another thread and back, which for a small change is a part of its time. */
export async function runAll(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await connection.run(statements.join(";\n"));
}

/** For a small change, what a statement costs is mostly its own planning: those that would find nothing are left out. */
const isEmpty = (path: string): boolean => statSync(path).size === 0;

export async function takePeople(connection: DuckDBConnection, path: string, { columns }: CopiedRows): Promise<void> {
  if (isEmpty(path)) return;
  const names = Object.keys(columns).join(", ");
  await connection.run(`INSERT INTO people (${names}) SELECT ${names} FROM ${fileRows(path, columns)}`);
}

/** What a fact text may hold: fact-codes.ts of the sessions. */
const numbers = '["BIGINT"]';
const lists = '[["BIGINT"]]';
const reals = '[["DOUBLE"]]';
const factForm = `{"i":${numbers},"v":${lists},"m":${lists},"h":${lists},"a":${lists},"n":${reals},"d":${lists},"p":${reals},"f":${reals},"s":${lists},"g":["VARCHAR"]}`;

const textForm = '[{"q":"INTEGER","t":"VARCHAR","w":"BIGINT"}]';

/** How many of the staged sessions have a person, and how many have each part of a fact text, and texts. */
export type StagedParts = Record<"people" | "texts" | (typeof parts)[number], number>;

const parts = ["v", "m", "h", "a", "n", "d", "p", "f", "s"] as const;

/**
 * Rows of sessions as they came, without a segment, and a `version_no` if the copy does not know it yet. Null without any.
 *
 * @param leave is told of those that came without their facts, since these are too large
 */
export async function stageSessions(
  connection: DuckDBConnection,
  path: string,
  { columns }: CopiedRows,
  leave: (left: LeftOut) => void,
): Promise<StagedParts | null> {
  if (isEmpty(path)) return null;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE staged AS
     SELECT c.* EXCLUDE (facts), c.facts IS NULL AS too_large, v.quiz, v.version_no, CAST(NULL AS INTEGER) AS segment,
       unnest(c.facts)
     FROM (SELECT * EXCLUDE (facts), from_json(facts, ${literal(factForm)}) AS facts
       FROM ${fileRows(path, columns)}) AS c LEFT JOIN versions AS v USING (quiz_id, version)`,
  );
  const counts = parts.map((part) => `count(CASE WHEN len(${part}) > 0 THEN 1 END) AS ${part}`);
  const [row] = await read<StagedParts & { left_out: number }>(
    connection,
    `SELECT count(person) AS people, count(texts) AS texts, count_if(too_large) AS left_out, ${counts.join(", ")}
     FROM temp.staged`,
  );
  if (row && row.left_out > 0) {
    const large = await read<{ id: string }>(
      connection,
      "DELETE FROM temp.staged WHERE too_large RETURNING CAST(id AS VARCHAR) AS id",
    );
    for (const { id } of large) leave({ kind: "session", id, reason: "too_large" });
  }
  return row ?? null;
}

/** One number for a key of a version, since a join by one is cheaper than by three: idx below 2^20, sub below 2^8 (bounds of documents). */
const placeOf = (version: string, idx: string, sub: string) =>
  `(CAST(${version} AS BIGINT) * 268435456 + ${idx} * 256 + ${sub})`;

export const placeNumber = (version: number, idx: number, sub: number): number => version * 2 ** 28 + idx * 256 + sub;

/** A key that the version gives the number in `x`, as the number that the copy has for it. */
const place = (alias: string, kind: string, x: string, sub = "0") =>
  `JOIN places AS ${alias} ON ${alias}.kind = '${kind}' AND ${alias}.place = ${placeOf("s.version_no", x, sub)}`;

/** One row for each entry of a list in the fact text. */
const each = (part: string) =>
  `(SELECT session, person, quiz, segment, version_no, opened, started, g, completed IS NOT NULL AS has_completed,
      i[5] IS NOT NULL OR i[6] IS NOT NULL AS opted_in, unnest(${part}) AS x FROM temp.staged) AS s`;

const listed = (names: readonly string[]) => `[${names.map(literal).join(", ")}]`;

const originNumbers = originColumns.map((column) => `o_${column}.origin`).join(", ");
const originJoins = originColumns
  .map((column) => `LEFT JOIN origins AS o_${column} ON o_${column}.value = s.${column}`)
  .join(" ");

/** A session's columns as `segments` has them. */
const inSegments = (column: string, alias: string) =>
  column === "country" ? `coalesce(${alias}.country, '${unknownCountry}')` : `${alias}.${column}`;

/** Whether a segment, as `g`, is that of a session whose columns `alias` has. */
const isSegment = (alias: string) =>
  segmentColumns.map((column) => `g.${column} = ${inSegments(column, alias)}`).join(" AND ");

/** Numbers who the staged sessions' visitors are, where they came from, and what segments they are. */
export async function takeSessionKeys(connection: DuckDBConnection): Promise<void> {
  const origins = originColumns.map((column) => `SELECT ${column} AS value FROM temp.staged`).join(" UNION ");
  const segments = segmentColumns.map((column) => `${inSegments(column, "s")} AS ${column}`).join(", ");
  await runAll(connection, [
    extend("origins", "origin", ["value"], `FROM (${origins}) WHERE value <> ''`),
    extend("visitors", "visitor", ["id"], "FROM (SELECT visitor AS id FROM temp.staged)"),
    extend("segments", "segment", segmentColumns, `FROM (SELECT ${segments} FROM temp.staged AS s)`),
    `UPDATE temp.staged AS s SET segment = g.segment FROM segments AS g WHERE ${isSegment("s")}`,
  ]);
}

/** Numbers the products that the staged sessions were shown; their versions are known. */
export async function takeShownProducts(connection: DuckDBConnection, staged: StagedParts): Promise<void> {
  if (staged.s === 0) return;
  await runAll(connection, [
    `CREATE OR REPLACE TEMP TABLE staged_shown AS
     SELECT s.session, s.quiz, s.segment, b.number AS block, g[x[2] + 1] AS product_id, s.opened + x[3] AS shown_at
     FROM ${each("s")} ${place("b", "block", "x[1]")}`,
    extend("products", "product", ["product_id"], "FROM temp.staged_shown"),
  ]);
}

/** Everything of the sessions that `stageSessions` staged, the numbers of all that they name being given. */
export async function takeSessions(connection: DuckDBConnection, staged: StagedParts): Promise<void> {
  const statements: [rows: number, into: string, select: string][] = [
    [
      1,
      "sessions",
      `SELECT s.session, s.id, s.person, s.quiz, s.version, b.visitor, s.opened, s.started, s.completed, s.ended, s.status,
         l.number, w.number, false, s.channel, s.device, s.country, s.is_returning, ${originNumbers}, i[5], i[6], i[7],
         e.number, ${listed(copyExitReasons)}[i[4] + 1]
       FROM temp.staged AS s LEFT ${place("l", "page", "i[1]")} LEFT ${place("w", "dimension", "i[2]")}
       LEFT ${place("e", "page", "i[3]")} JOIN visitors AS b ON b.id = s.visitor ${originJoins}`,
    ],
    [
      staged.v,
      "visits",
      `SELECT s.session, s.quiz, s.segment, s.started, p.number, x[2], x[3], x[4] = 1, x[5], x[6] = 1, x[7] = 1
       FROM ${each("v")} ${place("p", "page", "x[1]")}`,
    ],
    [
      staged.m,
      "moves",
      `SELECT s.session, s.quiz, s.segment, s.started, f.number, t.number, ${listed(copyMoveCauses)}[x[3] + 1], r.number, x[5]
       FROM ${each("m")} ${place("f", "page", "x[1]")} ${place("t", "page", "x[2]")} LEFT ${place("r", "rule", "x[4]")}`,
    ],
    [
      staged.h,
      "hidden",
      `SELECT s.session, s.quiz, s.segment, s.started, p.number, x[2] FROM ${each("h")} ${place("p", "page", "x[1]")}`,
    ],
    [staged.a + staged.n + staged.d + staged.texts, "answers", stagedAnswers(staged)],
    [
      staged.p,
      "points",
      `SELECT s.session, s.person, d.number, x[2] FROM ${each("p")} ${place("d", "dimension", "x[1]")}`,
    ],
    [
      staged.f,
      "formulas",
      `SELECT s.session, s.person, q.number, x[2] FROM ${each("f")} ${place("q", "formula", "x[1]")}`,
    ],
    [
      staged.s,
      "shown",
      `SELECT s.session, s.quiz, s.segment, p.product, s.block, s.shown_at,
         row_number() OVER (PARTITION BY s.session, p.product ORDER BY s.shown_at, s.block) = 1
       FROM temp.staged_shown AS s JOIN products AS p USING (product_id)`,
    ],
  ];
  const wanted = statements.filter(([rows]) => rows > 0);
  await runAll(
    connection,
    wanted.map(([, into, select]) => `INSERT INTO ${into} ${select}`),
  );
}

/** Those that were picked, numbers, days and texts, as far as there are any. */
function stagedAnswers(staged: StagedParts): string {
  const question = place("q", "question", "x[1]");
  const kinds: [sessions: number, select: string][] = [
    [
      staged.a,
      answersFrom(`${each("a")} ${question} LEFT ${place("o", "option", "x[1]", "x[2]")}`, { option: "o.number" }),
    ],
    [staged.n, answersFrom(`${each("n")} ${question}`, { number: "x[2]" })],
    [staged.d, answersFrom(`${each("d")} ${question}`, { day: "DATE '1970-01-01' + CAST(x[2] AS INTEGER)" })],
    [
      staged.texts,
      answersFrom(`${each(`from_json(texts, '${textForm}')`)} ${place("q", "question", "x.q")}`, {
        text: "x.t",
        when: "x.w",
      }),
    ],
  ];
  return kinds.flatMap(([sessions, select]) => (sessions > 0 ? [select] : [])).join(" UNION ALL ");
}

interface AnswerContent {
  option?: string;
  number?: string;
  day?: string;
  text?: string;
  when?: string;
}

const answersFrom = (rows: string, { option, number, day, text, when = "x[3]" }: AnswerContent): string =>
  `SELECT s.session, s.person, s.quiz, s.opened + CAST(${when} AS BIGINT), q.number, ${option ?? "CAST(NULL AS INTEGER)"},
     ${number ?? "CAST(NULL AS DOUBLE)"}, ${day ?? "CAST(NULL AS DATE)"}, ${text ?? "CAST(NULL AS VARCHAR)"}, s.segment, s.has_completed, s.opted_in FROM ${rows}`;

/** Numbers the rows of `found` that `table` lacks, going on from its highest number. */
function extend(table: string, number: string, columns: readonly string[], found: string): string {
  const list = columns.map((column) => `"${column}"`).join(", ");
  return `INSERT INTO ${table} (${number}, ${list})
    SELECT (SELECT coalesce(max("${number}"), 0) FROM ${table}) + row_number() OVER (), ${list}
    FROM (SELECT DISTINCT ${list} FROM (${found}) AS f ANTI JOIN ${table} AS t USING (${list})) AS n`;
}

export async function takeOrders(connection: DuckDBConnection, path: string, { columns }: CopiedRows): Promise<void> {
  if (isEmpty(path)) return;
  await connection.run(
    `INSERT INTO orders
     SELECT o.id, o.session, q.quiz, g.segment, o.created, o.after_start_ms, o.after_completed_ms,
       o.after_ended_ms, o.tier, o.in_currency, o.total
     FROM ${fileRows(path, columns)} AS o LEFT JOIN quizzes AS q ON q.id = o.quiz_id LEFT JOIN segments AS g ON ${isSegment("o")}`,
  );
}

export async function takeLines(connection: DuckDBConnection, path: string, { columns }: CopiedRows): Promise<void> {
  if (isEmpty(path)) return;
  await runAll(connection, [
    `CREATE OR REPLACE TEMP TABLE staged_lines AS SELECT * FROM ${fileRows(path, columns)}`,
    extend("products", "product", ["product_id"], "FROM temp.staged_lines WHERE product_id IS NOT NULL"),
    `INSERT INTO lines
     SELECT l.id, l.session, q.quiz, g.segment, l.created, l.after_start_ms, l.tier, l.in_currency, p.product, l.title, l.units,
       l.amount, l.bucket
     FROM temp.staged_lines AS l LEFT JOIN quizzes AS q ON q.id = l.quiz_id LEFT JOIN segments AS g ON ${isSegment("l")}
     LEFT JOIN products AS p USING (product_id)`,
  ]);
}

export const bySession = ["sessions", "visits", "moves", "hidden", "answers", "points", "formulas", "shown"];

/** What changed, and what of it the copy has. */
export interface StagedChanges {
  orders: number;
  people: number;
  /** how many people of the changed sessions may have another newest take now */
  touched: number;
  /** SQL: whether a row belongs to a changed session */
  ofSessions: string;
}

const changedNumbers = (kind: string) =>
  `(SELECT number FROM temp.changed WHERE kind = '${kind}' AND number IS NOT NULL)`;

/** What changed as it came, in `changed`; leaves `touched`: the people to look at again. */
export async function stageChanges(
  connection: DuckDBConnection,
  path: string,
  rows: CopiedRows,
): Promise<StagedChanges> {
  await connection.run(`CREATE OR REPLACE TEMP TABLE changed AS SELECT * FROM ${fileRows(path, rows.columns)}`);
  const [changed] = await read<{ gone: number; orders: number; people: number }>(
    connection,
    `SELECT count(CASE WHEN number IS NULL AND kind <> 'order' THEN 1 END) AS gone,
       count(CASE WHEN kind = 'order' THEN 1 END) AS orders, count(CASE WHEN kind = 'profile' THEN 1 END) AS people
     FROM temp.changed`,
  );
  if (!changed) throw new Error("an aggregate without groups has a row");
  if (changed.gone > 0) {
    // what PostgreSQL has no more is known by its id only
    await runAll(connection, [
      `UPDATE temp.changed AS c SET number = s.session FROM sessions AS s
       WHERE c.number IS NULL AND c.kind = 'session' AND s.id = c.id`,
      `UPDATE temp.changed AS c SET number = p.person FROM people AS p
       WHERE c.number IS NULL AND c.kind = 'profile' AND p.id = c.id`,
    ]);
  }
  const [span] = await read<{ first: number | null; last: number | null }>(
    connection,
    "SELECT min(number) AS first, max(number) AS last FROM temp.changed WHERE kind = 'session'",
  );
  // most changes are to the newest sessions: with their bounds DuckDB leaves out all blocks of older ones
  const ofSessions =
    span?.first == null
      ? "false"
      : `session BETWEEN ${span.first} AND ${span.last} AND session IN ${changedNumbers("session")}`;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE touched AS SELECT DISTINCT person FROM sessions WHERE ${ofSessions}`,
  );
  const [{ touched = 0 } = {}] = await read<{ touched: number }>(
    connection,
    "SELECT count(*) AS touched FROM temp.touched",
  );
  return { orders: changed.orders, people: changed.people, touched, ofSessions };
}

/** Takes out whatever changed; what is still there comes in again. */
export async function takeOutChanged(connection: DuckDBConnection, changes: StagedChanges): Promise<void> {
  const { orders, people, touched, ofSessions } = changes;
  const isOrder = `id IN (SELECT id FROM temp.changed WHERE kind = 'order')`;
  const deletes: [wanted: number, statements: string[]][] = [
    [touched, bySession.map((table) => `DELETE FROM ${table} WHERE ${ofSessions}`)],
    [
      touched + orders,
      [
        `DELETE FROM orders WHERE (${ofSessions}) OR ${isOrder}`,
        `DELETE FROM lines WHERE (${ofSessions}) OR order_${isOrder}`,
      ],
    ],
    [people, [`DELETE FROM people WHERE person IN ${changedNumbers("profile")}`]],
  ];
  await runAll(
    connection,
    deletes.flatMap(([wanted, statements]) => (wanted > 0 ? statements : [])),
  );
}

/** People that did not come in again are gone: nothing refers to them any more. */
async function loosenGone(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE gone AS SELECT number AS person FROM temp.changed AS c
     ANTI JOIN people AS p ON p.person = c.number WHERE c.kind = 'profile' AND c.number IS NOT NULL`,
  );
  const [{ people = 0 } = {}] = await read<{ people: number }>(connection, "SELECT count(*) AS people FROM temp.gone");
  if (people === 0) return;
  const isGone = "person IN (SELECT person FROM temp.gone)";
  await runAll(connection, [
    `UPDATE sessions SET person = NULL, latest_completed = false WHERE ${isGone}`,
    ...["answers", "points", "formulas"].map((table) => `UPDATE ${table} SET person = NULL WHERE ${isGone}`),
  ]);
}

/** When all that changed has come in again. */
export async function settleChanged(
  connection: DuckDBConnection,
  changes: StagedChanges,
  staged: StagedParts | null,
): Promise<void> {
  if (changes.people > 0) await loosenGone(connection);
  const joined = staged?.people ?? 0;
  if (joined > 0) await connection.run("INSERT INTO temp.touched SELECT DISTINCT person FROM temp.staged");
  if (changes.touched + joined === 0) return;
  await connection.run(markLatest("WHERE person IN (SELECT person FROM temp.touched WHERE person IS NOT NULL)"));
}

export const markAllLatest = (connection: DuckDBConnection) =>
  connection.run(markLatest("WHERE person IS NOT NULL")).then(() => undefined);

/** The take of each person and quiz that was completed last, the higher id on a tie. */
const markLatest = (people: string) => `
  UPDATE sessions AS s SET latest_completed = NOT s.latest_completed
  FROM (${wronglyMarked(people)}) AS m WHERE s.session = m.session`;

/** Sessions whose `latest_completed` says what is not so. */
export const wronglyMarked = (people: string) => `
  SELECT session FROM (
    SELECT session, latest_completed AS before, completed IS NOT NULL AND row_number() OVER (
      PARTITION BY person, quiz ORDER BY completed DESC NULLS LAST, id DESC) = 1 AS latest
    FROM sessions ${people}) AS m
  WHERE latest <> before`;

/** A statement's rows, as `plainRows` has them. */
export async function read<Row>(connection: DuckDBConnection, sql: string): Promise<Row[]> {
  return plainRows(await connection.runAndReadAll(sql)) as Row[];
}
