/**
 * The tables of a store's columnar copy (DuckDB). A question may name them unqualified. None has a key or an index: they
 * would make the file five times as large, and a copy is only ever written by the sync, which replaces whole rows.
 *
 * Conventions: moments are milliseconds since 1970 (BIGINT); a person, a session, a quiz, a page, a question, an option
 * and a dimension are small integers, since the tables are joined and filtered by them (18 ms against 55 with UUIDs).
 * People and sessions carry the numbers that the database gave them. The other numbers are this copy's own: they
 * differ between copies and end with the file, so they are looked up in the dictionaries (quizzes, pages, questions,
 * options, dimensions) by the same read that uses them, never remembered. A dictionary holds what occurs in some
 * session; a key that it lacks was never answered, reached or scored by anyone.
 *
 * Preview sessions and removed people are in no table; a session whose person was removed has no person.
 */

/** Raised with every change of the tables below; a file with another number is deleted and built anew. */
export const schemaNumber = 1;

export interface TableDefinition {
  name: string;
  /** column and type, in order */
  columns: readonly (readonly [name: string, type: string])[];
}

export const tables: readonly TableDefinition[] = [
  {
    // One row: what this file is a copy of.
    name: "meta",
    columns: [
      ["schema", "INTEGER"],
      ["revision", "BIGINT"],
      // of the newest change taken over; NULL while the store has none
      ["token", "VARCHAR"],
      // the calendar's time at which the last change was taken over
      ["as_of", "BIGINT"],
    ],
  },
  {
    name: "people",
    columns: [
      ["person", "BIGINT"],
      // profiles.id
      ["id", "UUID"],
      ["last_seen", "BIGINT"],
      ["first_seen", "BIGINT"],
      ["sessions_count", "INTEGER"],
      ["completed_count", "INTEGER"],
      // separate visits; 2 and more is returning
      ["visits_count", "INTEGER"],
      ["orders_count", "INTEGER"],
      ["has_email", "BOOLEAN"],
      ["has_phone", "BOOLEAN"],
      // an identity whose consent is true
      ["has_consent", "BOOLEAN"],
    ],
  },
  {
    // one row a session, whether it has a person or not
    name: "sessions",
    columns: [
      ["session", "BIGINT"],
      // sessions.id
      ["id", "UUID"],
      // NULL: nobody known
      ["person", "BIGINT"],
      ["quiz", "INTEGER"],
      // quiz_versions.number
      ["version", "INTEGER"],
      // sessions.visitor_id
      ["visitor", "UUID"],
      ["opened", "BIGINT"],
      // NULL without an answer
      ["started", "BIGINT"],
      ["completed", "BIGINT"],
      ["ended", "BIGINT"],
      // in_progress, completed, left (= ended without completing, that is abandoned)
      ["status", "VARCHAR"],
      // the page entered last: where the shopper left, or finished
      ["last_page", "INTEGER"],
      // dimension with the highest total; of completed sessions only, else NULL
      ["winner", "INTEGER"],
      // whether it is its person's newest completed session of its quiz; never NULL, false without a person
      ["latest_completed", "BOOLEAN"],
    ],
  },
  {
    // The answers in force, of sessions with and without a person, completed or not: one row for each chosen option, one
    // for any other answer. No row: not answered. Repeats the session's person and quiz, so that a term needs no join.
    name: "answers",
    columns: [
      ["session", "BIGINT"],
      ["person", "BIGINT"],
      ["quiz", "INTEGER"],
      ["question", "INTEGER"],
      // choice and image; else NULL
      ["option", "INTEGER"],
      // kind number
      ["number", "DOUBLE"],
      // kind date, without its time
      ["day", "DATE"],
      // kind text, folded as `foldText` of server/platform folds; NULL for email and phone, whose content is not copied
      ["text", "VARCHAR"],
    ],
  },
  {
    // every dimension's total; of completed sessions only
    name: "points",
    columns: [
      ["session", "BIGINT"],
      ["person", "BIGINT"],
      ["dimension", "INTEGER"],
      ["total", "DOUBLE"],
    ],
  },
  {
    // formulas that have a value; of completed sessions only
    name: "formulas",
    columns: [
      ["session", "BIGINT"],
      ["person", "BIGINT"],
      // in `questions`, with kind formula
      ["question", "INTEGER"],
      ["value", "DOUBLE"],
    ],
  },
  {
    // the versions that sessions took
    name: "versions",
    columns: [
      ["quiz_id", "UUID"],
      ["version", "INTEGER"],
      // whether its labels are in
      ["labelled", "BOOLEAN"],
    ],
  },
  {
    name: "quizzes",
    columns: [
      ["quiz", "INTEGER"],
      ["id", "UUID"],
    ],
  },
  {
    name: "pages",
    columns: [
      ["page", "INTEGER"],
      ["quiz", "INTEGER"],
      ["page_key", "VARCHAR"],
    ],
  },
  {
    // questions and formulas; one that moved to another page between versions is there once for each page
    name: "questions",
    columns: [
      ["question", "INTEGER"],
      ["quiz", "INTEGER"],
      ["page_key", "VARCHAR"],
      ["component_key", "VARCHAR"],
      // choice, image, text, email, phone, number, date, formula
      ["kind", "VARCHAR"],
    ],
  },
  {
    name: "options",
    columns: [
      ["option", "INTEGER"],
      ["question", "INTEGER"],
      ["option_id", "VARCHAR"],
    ],
  },
  {
    name: "dimensions",
    columns: [
      ["dimension", "INTEGER"],
      ["quiz", "INTEGER"],
      ["dimension_id", "VARCHAR"],
    ],
  },
  {
    // Every label that an option had in some version that a session took, and every name of a dimension (component_key
    // NULL, option_id = dimension_id).
    name: "labels",
    columns: [
      ["quiz_id", "UUID"],
      ["component_key", "VARCHAR"],
      ["option_id", "VARCHAR"],
      ["label", "VARCHAR"],
      // as `foldText` folds
      ["folded", "VARCHAR"],
    ],
  },
];

export const createTable = ({ name, columns }: TableDefinition, schema: string): string =>
  `CREATE TABLE ${schema}.${name} (${columns.map(([column, type]) => `"${column}" ${type}`).join(", ")})`;
