import type pg from "pg";
import { parseId } from "../server/platform/ids.ts";
import type { SeededStore } from "../testkit/seeded/history.ts";

/** The searches of bench/search.ts, each as a request and as hand-written statements for DuckDB and PostgreSQL. */

interface AskedTerm {
  quiz: number;
  page: string;
  component: string;
  kind: "choice" | "number" | "text";
  op: "in" | "not_in" | "gt" | "contains";
  /** option ids, or the operand */
  operand: readonly string[] | number | string;
}

export interface Question {
  name: string;
  groups: readonly (readonly AskedTerm[])[];
  bodyOf: (store: SeededStore) => object;
}

const pick = (quiz: number, op: "in" | "not_in", ...operand: string[]): AskedTerm => {
  const component = operand[0]?.startsWith("goals") ? "goals" : "skin_type";
  return { quiz, page: component === "goals" ? "goals" : "skin", component, kind: "choice", op, operand };
};
const older = (quiz: number, operand: number): AskedTerm => {
  return { quiz, page: "age", component: "age", kind: "number", op: "gt", operand };
};
const says = (quiz: number, operand: string): AskedTerm => {
  return { quiz, page: "contact", component: "remark", kind: "text", op: "contains", operand };
};

const quizOf = ({ quizzes }: SeededStore, number: number): string => quizzes[number % quizzes.length]?.quiz ?? "";
/** UUID */
const quizIn = (store: SeededStore, number: number): string => parseId("quiz", quizOf(store, number)) ?? "";

function termOf(store: SeededStore, { quiz, page, component, kind, op, operand }: AskedTerm): object {
  const target = { quiz_id: quizOf(store, quiz), page_key: page, component_key: component, kind, op };
  return Array.isArray(operand) ? { ...target, option_ids: operand } : { ...target, value: operand };
}

const question = (name: string, groups: Question["groups"]): Question => ({
  name,
  groups,
  bodyOf: (store) => ({ groups: groups.map((group) => ({ all: group.map((term) => termOf(store, term)) })) }),
});

/** Four groups of eight slots over five quizzes: everything has to be searched. */
const worst = Array.from({ length: 4 }, (_, group) => [
  pick(group, "in", "skin_type_0", "skin_type_1", "skin_type_2", "skin_type_3"),
  pick(group + 1, "not_in", "skin_type_4"),
  pick(group, "in", "goals_0", "goals_1", "goals_4", "goals_5"),
  pick(group + 1, "not_in", "goals_3"),
  older(group, 20 + group),
  older(group + 1, 22 + group),
  says(group, "dry"),
  says(group + 1, "shopper"),
]);

export const questions: readonly Question[] = [
  question("one option", [[pick(1, "in", "skin_type_1")]]),
  question("one number", [[older(1, 40)]]),
  question("one text", [[says(1, "shopper 12")]]),
  question("answered, none of these", [[pick(1, "not_in", "skin_type_1")]]),
  question("two groups of two", [
    [pick(1, "in", "skin_type_1"), older(2, 40)],
    [pick(3, "in", "goals_1"), pick(1, "not_in", "skin_type_2")],
  ]),
  question("four groups of eight", worst),
];

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const list = (operand: AskedTerm["operand"]) => (Array.isArray(operand) ? operand.map(quoted).join(", ") : "");

/** A set of people for each term, intersected and united: a straightforward statement without optimisation. */
export function handWritten(store: SeededStore, { groups }: Question): string {
  const questionOf = ({ quiz, component }: AskedTerm) =>
    `(SELECT question FROM questions WHERE component_key = '${component}' AND quiz = (SELECT quiz FROM quizzes WHERE id = '${quizIn(store, quiz)}'))`;
  const peopleOf = (term: AskedTerm): string => {
    const where = `person IS NOT NULL AND question = ${questionOf(term)}`;
    const options = `(SELECT "option" FROM options WHERE question = ${questionOf(term)} AND option_id IN (${list(term.operand)}))`;
    switch (term.op) {
      case "in":
        return `SELECT person FROM answers WHERE ${where} AND "option" IN ${options}`;
      case "not_in":
        return `SELECT any_value(person) FROM answers WHERE ${where} GROUP BY session HAVING NOT bool_or("option" IN ${options})`;
      case "gt":
        return `SELECT person FROM answers WHERE ${where} AND number > ${term.operand}`;
      case "contains":
        return `SELECT person FROM answers WHERE ${where} AND contains("text", ${quoted(String(term.operand))})`;
    }
  };
  const holds = groups.map((group) => group.map((term) => `p.person IN (${peopleOf(term)})`).join(" AND "));
  return `WITH m AS MATERIALIZED (SELECT p.id, p.last_seen, p.visits_count FROM people p WHERE (${holds.join(") OR (")}))
    SELECT (SELECT count(*) FROM m) AS total, (SELECT count(*) FROM m WHERE visits_count >= 2) AS returning, CAST(id AS VARCHAR)
    FROM (SELECT * FROM m ORDER BY last_seen DESC, id DESC LIMIT 21)`;
}

/**
 * Answers as rows, with an index for each kind of term, which PostgreSQL needs to compete; and an index of the
 * product's own rows.
 */
export async function preparePostgres(client: pg.Client, store: SeededStore): Promise<void> {
  await client.query("CREATE INDEX ON sessions USING gin ((state -> 'answers') jsonb_path_ops)");
  await client.query("ANALYZE sessions");
  await client.query(`CREATE TABLE bench_answers AS
    SELECT s.profile_id, s.id AS session_id, s.quiz_id, a.component_key, o.option_id,
      CASE WHEN a.kind = 'number' THEN (a.value #>> '{}')::double precision END AS number,
      CASE WHEN a.kind = 'text' THEN lower(a.value #>> '{}') END AS text
    FROM sessions s CROSS JOIN LATERAL jsonb_to_recordset(s.state -> 'answers')
      AS a (component_key text, kind text, option_ids jsonb, value jsonb)
    LEFT JOIN LATERAL jsonb_array_elements_text(a.option_ids) AS o (option_id) ON true
    WHERE s.store_id = '${store.id}' AND s.profile_id IS NOT NULL`);
  await client.query("CREATE INDEX ON bench_answers (quiz_id, component_key, option_id, profile_id, session_id)");
  await client.query("CREATE INDEX ON bench_answers (quiz_id, component_key, number, profile_id)");
  await client.query("VACUUM ANALYZE bench_answers");
  await client.query("SET work_mem = '256MB'");
}

const json = (value: unknown) => `${quoted(JSON.stringify(value))}::jsonb`;

/** The same over the product's own tables, where an answer is in its session's JSON: nothing is stored twice. */
export function inOwnTables(store: SeededStore, question: Question): string {
  const holds = ({ component, op, operand }: AskedTerm): string => {
    const picked = (Array.isArray(operand) ? operand : [])
      .map((option) => `state -> 'answers' @> ${json([{ component_key: component, option_ids: [option] }])}`)
      .join(" OR ");
    const path = (test: string) => `state @? '$.answers[*] ? (@.component_key == "${component}" && ${test})'`;
    switch (op) {
      case "in":
        return `(${picked})`;
      case "not_in":
        return `state -> 'answers' @> ${json([{ component_key: component }])} AND NOT (${picked})`;
      case "gt":
        return path(`@.value > ${operand}`);
      case "contains":
        return path(`@.value like_regex "${operand}" flag "i"`);
    }
  };
  return statementOf(
    store,
    question,
    (
      term,
    ) => `SELECT profile_id FROM sessions WHERE store_id = '${store.id}' AND quiz_id = '${quizIn(store, term.quiz)}'
      AND profile_id IS NOT NULL AND ${holds(term)}`,
  );
}

export function inPostgres(store: SeededStore, question: Question): string {
  const peopleOf = (term: AskedTerm): string => {
    const where = `quiz_id = '${quizIn(store, term.quiz)}' AND component_key = '${term.component}'`;
    switch (term.op) {
      case "in":
        return `SELECT profile_id FROM bench_answers WHERE ${where} AND option_id IN (${list(term.operand)})`;
      case "not_in":
        return `SELECT profile_id FROM bench_answers WHERE ${where} GROUP BY profile_id, session_id
          HAVING NOT bool_or(option_id IN (${list(term.operand)}))`;
      case "gt":
        return `SELECT profile_id FROM bench_answers WHERE ${where} AND number > ${term.operand}`;
      case "contains":
        return `SELECT profile_id FROM bench_answers WHERE ${where} AND text LIKE ${quoted(`%${term.operand}%`)}`;
    }
  };
  return statementOf(store, question, peopleOf);
}

function statementOf(store: SeededStore, { groups }: Question, peopleOf: (term: AskedTerm) => string): string {
  const holds = groups.map((group) => group.map((term) => `p.id IN (${peopleOf(term)})`).join(" AND "));
  return `WITH m AS MATERIALIZED (SELECT p.id, p.last_seen_at, p.visits_count FROM profiles p
      WHERE p.store_id = '${store.id}' AND p.removed_at IS NULL AND ((${holds.join(") OR (")})))
    SELECT (SELECT count(*) FROM m), (SELECT count(*) FROM m WHERE visits_count >= 2), id
    FROM (SELECT * FROM m ORDER BY last_seen_at DESC, id DESC LIMIT 21) t`;
}
