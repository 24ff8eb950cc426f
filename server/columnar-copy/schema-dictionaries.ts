/**
 * The dictionaries of a store's columnar copy: what the small integers of the other tables (schema.ts) stand for. Those of
 * keys hold the keys of the versions that some session took; a key that they lack was never answered, reached or scored by
 * anyone. What no session names any more stays in a dictionary; an erasure does away with the whole file.
 */

export interface TableDefinition {
  name: string;
  /** column and type, in order */
  columns: readonly (readonly [name: string, type: string])[];
}

/** What makes a segment: columns of `sessions`, none of them NULL. */
export const segmentColumns = ["channel", "device", "country", "is_returning", "status"] as const;

/** A segment's country where `sessions` has none: keys are compared, and NULL is equal to nothing. */
export const unknownCountry = "unknown";

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
    // What the numbers of a version's keys (engine/numbering.ts) are in the dictionaries: for the sync alone.
    name: "places",
    columns: [
      // page, question, option, formula, dimension, rule, block
      ["kind", "VARCHAR"],
      // version_no, the key's number, and an option's within its question, in one (placeNumber of mapping.ts)
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
    // A text has one number, whichever of `originColumns` has it.
    name: "origins",
    columns: [
      ["origin", "INTEGER"],
      ["value", "VARCHAR"],
    ],
  },
  {
    // browsers; counting the bits of small numbers takes a fifth of the time of telling UUIDs apart
    name: "visitors",
    columns: [
      ["visitor", "INTEGER"],
      // sessions.visitor_id
      ["id", "UUID"],
    ],
  },
  {
    // What filters and cohorts ask of a session. Every table of what sessions did or led to says its session's segment, so
    // that it is narrowed by a few hundred numbers instead of by the sessions themselves.
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
