import type { DuckDBConnection } from "@duckdb/node-api";
import type { CopiedRows, TakenVersion } from "./source.ts";

/**
 * Puts rows that PostgreSQL handed over into the tables of a copy. Every function works on a connection that uses the
 * store's file, within the caller's transaction; what they stage lies in temporary tables of that connection, and goes with it.
 */

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * COPY's CSV: an empty field is NULL, a quoted empty one an empty text. Read by one thread: several would have to guess
 * whether a line break belongs to somebody's answer.
 */
function fileRows(path: string, columns: CopiedRows["columns"]): string {
  const types = Object.entries(columns).map(([name, type]) => `${literal(name)}: ${literal(type)}`);
  return `read_csv(${literal(path)}, columns = {${types.join(", ")}}, auto_detect = false, header = false, delim = ',',
    quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, new_line = '\\n', parallel = false,
    max_line_size = 16777216, buffer_size = 16777216)`;
}

async function runAll(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await connection.run(statement);
}

/** Numbers the rows of `found` that `table` lacks, going on from its highest number. */
function extend(table: string, number: string, columns: readonly string[], found: string): string {
  const list = columns.map((column) => `"${column}"`).join(", ");
  return `INSERT INTO ${table} SELECT (SELECT coalesce(max("${number}"), 0) FROM ${table}) + row_number() OVER (), ${list}
    FROM (SELECT DISTINCT ${list} FROM (${found}) AS f ANTI JOIN ${table} AS t USING (${list})) AS n`;
}

export async function takePeople(connection: DuckDBConnection, path: string, { columns }: CopiedRows): Promise<void> {
  const names = Object.keys(columns).join(", ");
  await connection.run(`INSERT INTO people (${names}) SELECT ${names} FROM ${fileRows(path, columns)}`);
}

const pointsForm = literal('[{"dimension_id":"VARCHAR","total":"DOUBLE"}]');
const formulasForm = literal('[{"page_key":"VARCHAR","component_key":"VARCHAR","value":"DOUBLE"}]');

const questionKey = ["quiz", "page_key", "component_key", "kind"];

export async function takeSessions(connection: DuckDBConnection, path: string, rows: CopiedRows): Promise<void> {
  await runAll(connection, [
    `CREATE OR REPLACE TEMP TABLE staged AS SELECT * FROM ${fileRows(path, rows.columns)}`,
    `INSERT INTO versions
     SELECT quiz_id, version, false FROM (SELECT DISTINCT quiz_id, version FROM temp.staged) AS s
     ANTI JOIN versions USING (quiz_id, version)`,
    extend("quizzes", "quiz", ["id"], "SELECT quiz_id AS id FROM temp.staged"),
    extend(
      "pages",
      "page",
      ["quiz", "page_key"],
      `SELECT q.quiz, s.last_page_key AS page_key FROM temp.staged AS s JOIN quizzes AS q ON q.id = s.quiz_id
       WHERE s.last_page_key IS NOT NULL`,
    ),
    `CREATE OR REPLACE TEMP TABLE staged_points AS
     SELECT t.session, t.person, q.quiz, t.p.dimension_id AS dimension_id, t.p.total AS total
     FROM (SELECT session, person, quiz_id, unnest(from_json(points, ${pointsForm})) AS p FROM temp.staged) AS t
     JOIN quizzes AS q ON q.id = t.quiz_id`,
    `CREATE OR REPLACE TEMP TABLE staged_formulas AS
     SELECT t.session, t.person, q.quiz, t.f.page_key AS page_key, t.f.component_key AS component_key,
       'formula' AS kind, t.f.value AS value
     FROM (SELECT session, person, quiz_id, unnest(from_json(formulas, ${formulasForm})) AS f FROM temp.staged) AS t
     JOIN quizzes AS q ON q.id = t.quiz_id WHERE t.f.value IS NOT NULL`,
    extend("dimensions", "dimension", ["quiz", "dimension_id"], "SELECT quiz, dimension_id FROM temp.staged_points"),
    extend("questions", "question", questionKey, "FROM temp.staged_formulas"),
    `CREATE OR REPLACE TEMP TABLE taken AS
     SELECT s.session, s.person, q.quiz FROM temp.staged AS s JOIN quizzes AS q ON q.id = s.quiz_id`,
    `INSERT INTO sessions
     SELECT s.session, s.id, s.person, q.quiz, s.version, s.visitor, s.opened, s.started, s.completed, s.ended, s.status,
       p.page, d.dimension, false
     FROM temp.staged AS s JOIN quizzes AS q ON q.id = s.quiz_id
     LEFT JOIN pages AS p ON p.quiz = q.quiz AND p.page_key = s.last_page_key
     LEFT JOIN dimensions AS d ON d.quiz = q.quiz AND d.dimension_id = s.winner_id`,
    `INSERT INTO points SELECT p.session, p.person, d.dimension, p.total
     FROM temp.staged_points AS p JOIN dimensions AS d USING (quiz, dimension_id)`,
    `INSERT INTO formulas SELECT f.session, f.person, q.question, f.value
     FROM temp.staged_formulas AS f JOIN questions AS q USING (quiz, page_key, component_key, kind)`,
  ]);
}

/** `fold_text` is Node's (see `registerFold`); DuckDB lowers plain ASCII the same way, and faster. */
const folded = (text: string) =>
  `CASE WHEN strlen(${text}) = length(${text}) THEN lower(${text}) ELSE fold_text(${text}) END`;

/** Once all sessions are in. */
export const takeAnswers = (connection: DuckDBConnection, path: string, rows: CopiedRows): Promise<void> =>
  takeAnswersOf("sessions", connection, path, rows);

/** Of the sessions that the last `takeSessions` took, which spares a look at all others. */
export const takeAnswersOfTaken = (connection: DuckDBConnection, path: string, rows: CopiedRows): Promise<void> =>
  takeAnswersOf("temp.taken", connection, path, rows);

async function takeAnswersOf(
  sessions: string,
  connection: DuckDBConnection,
  path: string,
  rows: CopiedRows,
): Promise<void> {
  await runAll(connection, [
    `CREATE OR REPLACE TEMP TABLE staged AS
     SELECT a.session, x.person, x.quiz, a.page_key, a.component_key, a.kind, a.value,
       unnest(CASE WHEN a.option_ids IS NULL THEN [NULL] ELSE from_json(a.option_ids, '["VARCHAR"]') END) AS option_id
     FROM ${fileRows(path, rows.columns)} AS a JOIN ${sessions} AS x USING (session)`,
    extend("questions", "question", questionKey, "FROM temp.staged"),
    extend(
      "options",
      "option",
      ["question", "option_id"],
      `SELECT q.question, s.option_id
       FROM (SELECT DISTINCT quiz, page_key, component_key, kind, option_id FROM temp.staged) AS s
       JOIN questions AS q USING (quiz, page_key, component_key, kind) WHERE s.option_id IS NOT NULL`,
    ),
    `INSERT INTO answers
     SELECT s.session, s.person, s.quiz, q.question, o."option",
       CASE WHEN s.kind = 'number' THEN CAST(s.value AS DOUBLE) END,
       CASE WHEN s.kind = 'date' THEN CAST(json_extract_string(s.value, '$.date') AS DATE) END,
       CASE WHEN s.kind = 'text' THEN ${folded("s.value")} END
     FROM temp.staged AS s JOIN questions AS q USING (quiz, page_key, component_key, kind)
     LEFT JOIN options AS o ON o.question = q.question AND o.option_id = s.option_id`,
  ]);
}

/** The versions that sessions took and whose labels are not in. */
export async function missingVersions(connection: DuckDBConnection): Promise<TakenVersion[]> {
  const rows = await read<{ quiz_id: string; version: number }>(
    connection,
    "SELECT CAST(quiz_id AS VARCHAR) AS quiz_id, version FROM versions WHERE NOT labelled",
  );
  return rows.map(({ quiz_id: quizId, version: number }) => ({ quizId, number }));
}

export async function takeLabels(connection: DuckDBConnection, path: string, { columns }: CopiedRows): Promise<void> {
  await connection.run(`INSERT INTO labels SELECT f.quiz_id, f.component_key, f.option_id, f.label, ${folded("f.label")}
    FROM (SELECT DISTINCT * FROM ${fileRows(path, columns)}) AS f
    WHERE f.option_id IS NOT NULL AND f.label IS NOT NULL AND NOT EXISTS (SELECT 1 FROM labels AS l
      WHERE l.quiz_id = f.quiz_id AND l.component_key IS NOT DISTINCT FROM f.component_key
        AND l.option_id = f.option_id AND l.label = f.label)`);
}

export const markLabelled = (connection: DuckDBConnection): Promise<void> =>
  runAll(connection, ["UPDATE versions SET labelled = true WHERE NOT labelled"]);

const bySession = ["sessions", "answers", "points", "formulas"];

/** Takes out whatever changed; what is still there comes in again. Leaves `touched`: the people to look at again. */
export async function takeOutChanged(connection: DuckDBConnection, path: string, rows: CopiedRows): Promise<void> {
  const numbers = (kind: string) => `(SELECT number FROM temp.changed WHERE kind = '${kind}' AND number IS NOT NULL)`;
  await runAll(connection, [
    `CREATE OR REPLACE TEMP TABLE changed AS SELECT * FROM ${fileRows(path, rows.columns)}`,
    // what PostgreSQL has no more is known by its id only
    `UPDATE temp.changed AS c SET number = s.session FROM sessions AS s
     WHERE c.number IS NULL AND c.kind = 'session' AND s.id = c.id`,
    `UPDATE temp.changed AS c SET number = p.person FROM people AS p
     WHERE c.number IS NULL AND c.kind = 'profile' AND p.id = c.id`,
    `CREATE OR REPLACE TEMP TABLE touched AS
     SELECT DISTINCT person FROM sessions WHERE session IN ${numbers("session")} AND person IS NOT NULL`,
    ...bySession.map((table) => `DELETE FROM ${table} WHERE session IN ${numbers("session")}`),
    `DELETE FROM people WHERE person IN ${numbers("profile")}`,
  ]);
}

/** People that did not come in again are gone: nothing refers to them any more. */
export async function settleChanged(connection: DuckDBConnection): Promise<void> {
  const rows = await read<{ person: number }>(
    connection,
    `SELECT number AS person FROM temp.changed AS c ANTI JOIN people AS p ON p.person = c.number
     WHERE c.kind = 'profile' AND c.number IS NOT NULL`,
  );
  if (rows.length > 0) {
    const gone = rows.map(({ person }) => person).join(", ");
    await runAll(connection, [
      `UPDATE sessions SET person = NULL, latest_completed = false WHERE person IN (${gone})`,
      ...["answers", "points", "formulas"].map(
        (table) => `UPDATE ${table} SET person = NULL WHERE person IN (${gone})`,
      ),
    ]);
  }
  await runAll(connection, [
    "INSERT INTO temp.touched SELECT DISTINCT person FROM temp.taken WHERE person IS NOT NULL",
    markLatest("WHERE person IN (SELECT person FROM temp.touched)"),
  ]);
}

export const markAllLatest = (connection: DuckDBConnection) =>
  connection.run(markLatest("WHERE person IS NOT NULL")).then(() => undefined);

/** The take of each person and quiz that was completed last, the higher id on a tie (E). */
const markLatest = (people: string) => `
  UPDATE sessions AS s SET latest_completed = m.latest
  FROM (SELECT session, latest_completed AS before, completed IS NOT NULL AND row_number() OVER (
      PARTITION BY person, quiz ORDER BY completed DESC NULLS LAST, id DESC) = 1 AS latest
    FROM sessions ${people}) AS m
  WHERE s.session = m.session AND m.latest <> m.before`;

/** A statement's rows as plain objects; BIGINT comes as a number, anything else that has no JSON form as a text. */
async function read<Row>(connection: DuckDBConnection, sql: string): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowObjectsJS().map(plainRow) as Row[];
}

export const plainRow = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === "bigint" ? Number(value) : value]),
  );
