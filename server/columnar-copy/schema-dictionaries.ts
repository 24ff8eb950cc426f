import { filterNames, filters } from "../../contract/analytics-filters.ts";

/**
 * The dictionaries of a store's columnar copy: the meaning of the small integers in the other tables (schema.ts).
 * Dictionaries of keys contain the keys of versions that some session took; a key that is missing was never answered,
 * reached or scored by anyone. Entries that no session uses any more remain; an erasure deletes the whole file.
 */

export interface TableDefinition {
  name: string;
  /** column and type, in order */
  columns: readonly (readonly [name: string, type: string])[];
}

const filtered = filterNames.map((name) => filters[name]);

/** The columns of `sessions` that make up a segment. None of them is NULL. */
export const segmentColumns: readonly string[] = [...filtered.map(({ column }) => column), "status"];

/**
 * The columns in which sessions may lack a value; then their segment has `unknownValue`. NULL would not work, since keys
 * are compared and NULL equals nothing.
 */
export const maybeUnknown: readonly string[] = filtered.flatMap(({ column, unknown }) => (unknown ? [column] : []));

export const dictionaryTables: readonly TableDefinition[] = [
  {
    // the versions that sessions took
    name: "versions",
    columns: [
      ["version_no", "INTEGER"],
      ["quiz_id", "UUID"],
      ["quiz", "INTEGER"],
      ["version", "INTEGER"],
    ],
  },
  {
    // Maps the numbers of a version's keys (engine/numbering.ts) to dictionary numbers; used only by the sync.
    name: "places",
    columns: [
      // page, question, option, formula, dimension, rule, block; outcome, by the number of its result page
      ["kind", "VARCHAR"],
      // version_no, the key's number, and an option's number within its question, combined (placeNumber of mapping.ts)
      ["place", "BIGINT"],
      ["number", "INTEGER"],
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
    // questions and formulas; one that moved to another page between versions has one row per page
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
    name: "rules",
    columns: [
      ["rule", "INTEGER"],
      ["quiz", "INTEGER"],
      ["jump_rule_key", "VARCHAR"],
    ],
  },
  {
    name: "blocks",
    columns: [
      ["block", "INTEGER"],
      ["quiz", "INTEGER"],
      ["page_key", "VARCHAR"],
      ["block_key", "VARCHAR"],
    ],
  },
  {
    name: "products",
    columns: [
      ["product", "INTEGER"],
      // the platform's global id
      ["product_id", "VARCHAR"],
    ],
  },
  {
    // A text has one number, whichever of `originColumns` contains it.
    name: "origins",
    columns: [
      ["origin", "INTEGER"],
      ["value", "VARCHAR"],
    ],
  },
  {
    // browsers; counting distinct small numbers by bitmap takes a fifth of the time of comparing UUIDs
    name: "visitors",
    columns: [
      ["visitor", "INTEGER"],
      // sessions.visitor_id
      ["id", "UUID"],
    ],
  },
  {
    // The properties of a session that filters and cohorts use. Every table of what sessions did or led to has the
    // session's segment, so that filtering compares a few hundred numbers instead of joining the sessions.
    name: "segments",
    columns: [
      ["segment", "INTEGER"],
      ...segmentColumns.map((column) => [column, column === "is_returning" ? "BOOLEAN" : "VARCHAR"] as const),
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
    // what finishes on result pages amount to: a dimension's id, else `page:` and the page's key [figures.outcomes]
    name: "outcomes",
    columns: [
      ["outcome", "INTEGER"],
      ["quiz", "INTEGER"],
      ["value", "VARCHAR"],
    ],
  },
  {
    // their names in each version
    name: "outcome_names",
    columns: [
      ["version_no", "INTEGER"],
      ["value", "VARCHAR"],
      ["name", "VARCHAR"],
    ],
  },
  {
    // Every label that an option had in a version that some session took, and every name of a dimension (component_key
    // NULL, option_id = dimension_id).
    name: "labels",
    columns: [
      ["quiz_id", "UUID"],
      ["component_key", "VARCHAR"],
      ["option_id", "VARCHAR"],
      ["label", "VARCHAR"],
      // as folded by `foldText`
      ["folded", "VARCHAR"],
    ],
  },
];
