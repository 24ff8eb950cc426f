import { statSync } from "node:fs";
import type pg from "pg";
import { fieldDelimiter, fieldQuote } from "./copy-out.ts";
import { literal, read, runAll, type WriteConnection } from "./duck.ts";
import { factForm, factLists, textForm } from "./fact-text.ts";
import type { LeftOut } from "./left-out.ts";
import { insertOf, isSegment, segmentKeySql } from "./mapping.ts";
import { mappedTable, originColumns, type SessionList, sessionLists } from "./schema.ts";
import { segmentColumns } from "./schema-dictionaries.ts";
import type { CopiedRows } from "./source.ts";
import { insertVersions } from "./versions.ts";

/**
 * Inserts files of rows from PostgreSQL with a few statements each. Every function uses a connection on which the
 * store's file is selected, within the caller's transaction. Staged rows are in temporary tables of that connection.
 */

/**
 * Reads CSV as COPY writes it: an empty field is NULL, a quoted empty field an empty text. Single-threaded, since
 * several threads would have to guess whether a line break is part of an answer.
 */
function fileRows({ path, columns }: RowsFile): string {
  // no line is longer than its file, and buffers of the file's size are small for a small change
  const bytes = Math.max(1 << 16, statSync(path).size + 1);
  const types = Object.entries(columns).map(([name, type]) => `${literal(name)}: ${literal(type)}`);
  return `read_csv(${literal(path)}, columns = {${types.join(", ")}}, auto_detect = false, header = false,
    delim = '${fieldDelimiter}', quote = '${fieldQuote}', escape = '${fieldQuote}', nullstr = '',
    allow_quoted_nulls = false, new_line = '\\n', parallel = false, max_line_size = ${bytes}, buffer_size = ${bytes})`;
}

/** A file of rows from PostgreSQL with at least one row. */
export interface RowsFile {
  path: string;
  columns: CopiedRows["columns"];
}

export async function insertPeople(duck: WriteConnection, file: RowsFile): Promise<void> {
  await duck.run(insertOf(mappedTable("people"), `${fileRows(file)} AS s`));
}

export async function insertOrders(duck: WriteConnection, file: RowsFile): Promise<void> {
  await duck.run(insertOf(mappedTable("orders"), `${fileRows(file)} AS s`));
}

export async function insertLines(duck: WriteConnection, file: RowsFile): Promise<void> {
  await runAll(duck, [
    `CREATE OR REPLACE TEMP TABLE staged_lines AS SELECT * FROM ${fileRows(file)}`,
    extend("products", "product", ["product_id"], "FROM temp.staged_lines WHERE product_id IS NOT NULL"),
    insertOf(mappedTable("lines"), "temp.staged_lines AS s"),
  ]);
}

/** How many of the staged sessions have entries in each list of their fact text, and how many have texts. */
export type StagedLists = Record<SessionList, number>;

/**
 * Stages rows of sessions as received, without a segment, and without a `version_no` if the copy does not know the
 * version yet.
 *
 * @param leave receives the sessions that came without facts because those are too large
 */
export async function stageSessions(
  duck: WriteConnection,
  file: RowsFile,
  leave: (left: LeftOut) => void,
): Promise<StagedLists> {
  await duck.run(
    `CREATE OR REPLACE TEMP TABLE staged AS
     SELECT c.* EXCLUDE (facts), c.facts IS NULL AS too_large, v.quiz, v.version_no, CAST(NULL AS INTEGER) AS segment,
       unnest(c.facts)
     FROM (SELECT * EXCLUDE (facts), from_json(facts, ${literal(factForm)}) AS facts
       FROM ${fileRows(file)}) AS c LEFT JOIN versions AS v USING (quiz_id, version)`,
  );
  const counts = factLists.map((list) => `count(CASE WHEN len(${list}) > 0 THEN 1 END) AS ${list}`);
  const [row] = await read<StagedLists & { left_out: number }>(
    duck,
    `SELECT count(*) AS i, count(texts) AS t, count_if(too_large) AS left_out, ${counts.join(", ")} FROM temp.staged`,
  );
  if (!row) throw new Error("a count has no row");
  if (row.left_out > 0) {
    const large = await read<{ id: string }>(
      duck,
      "DELETE FROM temp.staged WHERE too_large RETURNING CAST(id AS VARCHAR) AS id",
    );
    for (const { id } of large) leave({ kind: "session", id, reason: "too_large" });
  }
  return row;
}

/** Assigns numbers to the keys that the staged sessions use. Only one writer at a time may do so in a copy. */
export async function numberKeys(
  duck: WriteConnection,
  client: pg.PoolClient,
  storeId: string,
  staged: StagedLists,
): Promise<void> {
  await numberVersions(duck, client, storeId);
  const origins = originColumns.map((column) => `SELECT ${column} AS value FROM temp.staged`).join(" UNION ");
  const segments = segmentColumns.map((column) => `${segmentKeySql(column)} AS ${column}`).join(", ");
  const products = "FROM (SELECT unnest(g) AS product_id FROM temp.staged)";
  await runAll(duck, [
    extend("origins", "origin", ["value"], `FROM (${origins}) WHERE value <> ''`),
    extend("visitors", "visitor", ["id"], "FROM (SELECT visitor AS id FROM temp.staged)"),
    extend("segments", "segment", segmentColumns, `FROM (SELECT ${segments} FROM temp.staged AS s)`),
    `UPDATE temp.staged AS s SET segment = of_segment.segment FROM segments AS of_segment WHERE ${isSegment}`,
    ...(staged.s > 0 ? [extend("products", "product", ["product_id"], products)] : []),
  ]);
}

async function numberVersions(duck: WriteConnection, client: pg.PoolClient, storeId: string): Promise<void> {
  const unknown = await read<{ quiz_id: string; version: number; known: boolean }>(
    duck,
    `SELECT CAST(s.quiz_id AS VARCHAR) AS quiz_id, s.version, v.version_no IS NOT NULL AS known
     FROM (SELECT DISTINCT quiz_id, version FROM temp.staged WHERE version_no IS NULL) AS s
     LEFT JOIN versions AS v USING (quiz_id, version)`,
  );
  if (unknown.length === 0) return;
  // some were added between staging and now
  const missing = unknown.filter(({ known }) => !known);
  await insertVersions(duck, client, storeId, missing);
  await duck.run(
    `UPDATE temp.staged AS s SET quiz = v.quiz, version_no = v.version_no FROM versions AS v
     WHERE s.version_no IS NULL AND v.quiz_id = s.quiz_id AND v.version = s.version`,
  );
}

/** Assigns numbers to the rows of `found` that are missing in `table`, continuing from its highest number. */
function extend(table: string, number: string, columns: readonly string[], found: string): string {
  const list = columns.map((column) => `"${column}"`).join(", ");
  return `INSERT INTO ${table} (${number}, ${list})
    SELECT (SELECT coalesce(max("${number}"), 0) FROM ${table}) + row_number() OVER (), ${list}
    FROM (SELECT DISTINCT ${list} FROM (${found}) AS f ANTI JOIN ${table} AS t USING (${list})) AS n`;
}

/** Inserts all rows of the staged sessions. All keys that they use must have numbers. */
export async function insertSessions(duck: WriteConnection, staged: StagedLists): Promise<void> {
  const nonEmpty = sessionLists.filter(([list]) => staged[list] > 0);
  await runAll(
    duck,
    nonEmpty.map(([list, table]) => {
      const statement = (rows: string) => insertOf(mappedTable(table), rows, list);
      // only columns that are used, since unnesting one costs the same whether or not it is
      const needed = new Set(Array.from(statement("").matchAll(/\bs\.(\w+)/g), ([, column = ""]) => column));
      return statement(entriesOf(list, [...needed]));
    }),
  );
}

/** One row `s` for each entry of a list, with the entry as `x`. */
function entriesOf(list: SessionList, columns: readonly string[]): string {
  if (list === "i") return "(SELECT *, i AS x FROM temp.staged) AS s";
  if (list !== "t") return `(SELECT ${columns.join(", ")}, unnest(${list}) AS x FROM temp.staged) AS s`;
  const own = columns.filter((column) => column !== "text").join(", ");
  return `(SELECT ${own}, given.t AS text, [given.q, NULL, given.w] AS x
    FROM (SELECT ${own}, unnest(from_json(texts, '${textForm}')) AS given FROM temp.staged)) AS s`;
}
