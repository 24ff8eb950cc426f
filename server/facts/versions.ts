import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import type { QuizDocument } from "../../engine/document.ts";
import { outlineOf } from "./outline.ts";
import { documentsOf, type TakenVersion } from "./source.ts";
import { extend, placeOf, read, runAll } from "./take-over.ts";

/** The versions that sessions took: their keys, by which fact texts are read, and what options and dimensions are called. */

const rowForm =
  '[{"quiz_id":"UUID","version":"INTEGER","kind":"VARCHAR","idx":"INTEGER","sub":"INTEGER","page_key":"VARCHAR",' +
  '"key":"VARCHAR","question_kind":"VARCHAR","option_id":"VARCHAR","label":"VARCHAR","folded":"VARCHAR"}]';

/** Takes over the versions of the sessions that `stageSessions` staged, where the copy does not know them yet. */
export async function takeStagedVersions(
  connection: DuckDBConnection,
  client: pg.PoolClient,
  storeId: string,
): Promise<void> {
  const unknown = await read<{ quiz_id: string; version: number; known: boolean }>(
    connection,
    `SELECT CAST(s.quiz_id AS VARCHAR) AS quiz_id, s.version, v.version_no IS NOT NULL AS known
     FROM (SELECT DISTINCT quiz_id, version FROM temp.staged WHERE version_no IS NULL) AS s
     LEFT JOIN versions AS v USING (quiz_id, version)`,
  );
  if (unknown.length === 0) return;
  // some came in between the staging and now
  const missing = unknown.filter(({ known }) => !known);
  const versions = missing.map(({ quiz_id: quizId, version: number }) => ({ quizId, number }));
  await takeVersions(connection, client, storeId, versions);
  await connection.run(
    `UPDATE temp.staged AS s SET quiz = v.quiz, version_no = v.version_no FROM versions AS v
     WHERE s.version_no IS NULL AND v.quiz_id = s.quiz_id AND v.version = s.version`,
  );
}

/** Takes over versions that the copy does not know. */
export async function takeVersions(
  connection: DuckDBConnection,
  client: pg.PoolClient,
  storeId: string,
  missing: readonly TakenVersion[],
): Promise<void> {
  const atOnce = 50;
  for (let from = 0; from < missing.length; from += atOnce) {
    await take(connection, client, storeId, missing.slice(from, from + atOnce));
  }
}

async function take(
  connection: DuckDBConnection,
  client: pg.PoolClient,
  storeId: string,
  wanted: readonly TakenVersion[],
): Promise<void> {
  const { rows } = await client.query<{ quiz_id: string; number: number; document: QuizDocument }>(
    documentsOf(storeId, wanted),
  );
  const outline = rows.flatMap(({ quiz_id, number, document }) => outlineOf(quiz_id, number, document));
  const versions = rows.map(({ quiz_id, number: version }) => ({ quiz_id, version }));
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE taken AS
     SELECT unnest(from_json(CAST($1 AS VARCHAR), '[{"quiz_id":"UUID","version":"INTEGER"}]'), recursive := true)`,
    [JSON.stringify(versions)],
  );
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE outline_rows AS
     SELECT unnest(from_json(CAST($1 AS VARCHAR), '${rowForm}'), recursive := true)`,
    [JSON.stringify(outline)],
  );
  await runAll(connection, [
    extend("quizzes", "quiz", ["id"], "SELECT quiz_id AS id FROM temp.taken"),
    extend(
      "versions",
      "version_no",
      ["quiz_id", "quiz", "version"],
      "SELECT t.quiz_id, q.quiz, t.version FROM temp.taken AS t JOIN quizzes AS q ON q.id = t.quiz_id",
    ),
    `CREATE OR REPLACE TEMP TABLE outline AS
     SELECT r.*, v.version_no, v.quiz FROM temp.outline_rows AS r JOIN versions AS v USING (quiz_id, version)`,
    ...dictionaries,
    `INSERT INTO labels SELECT f.* FROM (
       SELECT DISTINCT quiz_id, CASE WHEN kind = 'option' THEN key END AS component_key,
         coalesce(option_id, key) AS option_id, label, folded
       FROM temp.outline WHERE label IS NOT NULL) AS f
     WHERE NOT EXISTS (SELECT 1 FROM labels AS l
       WHERE l.quiz_id = f.quiz_id AND l.component_key IS NOT DISTINCT FROM f.component_key
         AND l.option_id = f.option_id AND l.label = f.label)`,
  ]);
}

const questionKey = ["quiz", "page_key", "component_key", "kind"];
const questionColumns = "SELECT quiz, page_key, key AS component_key, question_kind AS kind FROM temp.outline";

const placesFrom = (kinds: string, number: string, dictionary: string) =>
  `INSERT INTO places SELECT o.kind, ${placeOf("o.version_no", "o.idx", "o.sub")}, ${number} FROM temp.outline AS o ${dictionary}
   WHERE o.kind IN (${kinds})`;

const onQuestion = `JOIN questions AS q ON q.quiz = o.quiz AND q.page_key = o.page_key AND q.component_key = o.key
  AND q.kind = o.question_kind`;

const dictionaries: readonly string[] = [
  extend("pages", "page", ["quiz", "page_key"], "SELECT quiz, key AS page_key FROM temp.outline WHERE kind = 'page'"),
  extend(
    "rules",
    "rule",
    ["quiz", "jump_rule_key"],
    "SELECT quiz, key AS jump_rule_key FROM temp.outline WHERE kind = 'rule'",
  ),
  extend(
    "blocks",
    "block",
    ["quiz", "page_key", "block_key"],
    "SELECT quiz, page_key, key AS block_key FROM temp.outline WHERE kind = 'block'",
  ),
  extend(
    "dimensions",
    "dimension",
    ["quiz", "dimension_id"],
    "SELECT quiz, key AS dimension_id FROM temp.outline WHERE kind = 'dimension'",
  ),
  extend("questions", "question", questionKey, `${questionColumns} WHERE kind IN ('question', 'formula')`),
  extend(
    "options",
    "option",
    ["question", "option_id"],
    `SELECT q.question, o.option_id FROM temp.outline AS o ${onQuestion} WHERE o.kind = 'option'`,
  ),
  placesFrom("'page'", "p.page", "JOIN pages AS p ON p.quiz = o.quiz AND p.page_key = o.key"),
  placesFrom("'rule'", "r.rule", "JOIN rules AS r ON r.quiz = o.quiz AND r.jump_rule_key = o.key"),
  placesFrom(
    "'block'",
    "b.block",
    "JOIN blocks AS b ON b.quiz = o.quiz AND b.block_key = o.key AND b.page_key = o.page_key",
  ),
  placesFrom("'dimension'", "d.dimension", "JOIN dimensions AS d ON d.quiz = o.quiz AND d.dimension_id = o.key"),
  placesFrom("'question', 'formula'", "q.question", onQuestion),
  placesFrom(
    "'option'",
    'n."option"',
    `${onQuestion} JOIN options AS n ON n.question = q.question AND n.option_id = o.option_id`,
  ),
];
