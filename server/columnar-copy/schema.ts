import { trafficDimensions } from "../../contract/analytics-shapes.ts";
import { dictionaryTables, type TableDefinition } from "./schema-dictionaries.ts";

/**
 * The tables of a store's columnar copy (DuckDB). A question may name them unqualified. None has a key or an index: they
 * would make the file five times as large, and a copy is only ever written by the sync, which replaces whole rows.
 *
 * Conventions: moments are milliseconds since 1970 (BIGINT); a person, a session, a quiz, a page, a question, an option,
 * a dimension, a browser, a segment and where somebody came from are small integers, since the tables are joined and
 * filtered by them (18 ms against 55 with UUIDs). People and sessions carry the numbers that the database gave them. The
 * other numbers are this copy's own: they differ between copies and end with the file, so they are looked up in the
 * dictionaries (schema-dictionaries.ts) by the same read that uses them, never remembered.
 *
 * Preview sessions and removed people are in no table; a session whose person was removed has no person.
 */

/** Raised with every change of the tables below; a file with another number is deleted and built anew. */
export const schemaNumber = 8;

/** Columns of `sessions` that say where it came from, by its number in `origins`; NULL: it did not say. */
export const originColumns = trafficDimensions;

export const tables: readonly TableDefinition[] = [
  {
    // One row: what this file is a copy of.
    name: "meta",
    columns: [
      ["schema", "INTEGER"],
      ["revision", "BIGINT"],
      // of the newest change taken over; NULL while the store has none
      ["token", "VARCHAR"],
      // the store's, which `in_currency` goes by
      ["currency", "VARCHAR"],
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
      // in `visitors`
      ["visitor", "INTEGER"],
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
      ["channel", "VARCHAR"],
      ["device", "VARCHAR"],
      // two capital letters, or NULL
      ["country", "VARCHAR"],
      // not its visitor's first session in this store [figures.new-returning]
      ["is_returning", "BOOLEAN"],
      ...originColumns.map((column) => [column, "INTEGER"] as const),
      // when it left an email, and a phone, that its checkbox does not deny, and any contact that it does; else NULL
      // [figures.opt-ins]
      ["email_at", "BIGINT"],
      ["phone_at", "BIGINT"],
      ["denied_at", "BIGINT"],
      // where its way ended; NULL when it entered no page
      ["exit_page", "INTEGER"],
      // finished, closed, restarted, timed_out, still_here; NULL when it entered no page
      ["exit_reason", "VARCHAR"],
    ],
  },
  {
    // one row for each page that a session opened, whatever was done after the finish left out [paths.cohort]
    name: "visits",
    columns: [
      ["session", "BIGINT"],
      ["quiz", "INTEGER"],
      ["segment", "INTEGER"],
      // the session's, so that a cohort needs no join
      ["started", "BIGINT"],
      ["page", "INTEGER"],
      // arrivals
      ["entries", "INTEGER"],
      ["entries_by_jump", "INTEGER"],
      // whether the first arrival was a jump rule
      ["first_by_jump", "BOOLEAN"],
      // sum of the stays that ended with another arrival or the finish; NULL while there is none [funnel.page-time]
      ["time_ms", "BIGINT"],
      // left with the skip button, or the back button, at least once
      ["skipped", "BOOLEAN"],
      ["went_back", "BOOLEAN"],
    ],
  },
  {
    // one row for each edge that a session used: summed they count moves, counted they count sessions [paths.edges]
    name: "moves",
    columns: [
      ["session", "BIGINT"],
      ["quiz", "INTEGER"],
      ["segment", "INTEGER"],
      ["started", "BIGINT"],
      ["from_page", "INTEGER"],
      ["to_page", "INTEGER"],
      // next, jump, skip, back, restart
      ["cause", "VARCHAR"],
      // in `rules`; NULL for other causes and for rules that the version lacks
      ["rule", "INTEGER"],
      ["moves", "INTEGER"],
    ],
  },
  {
    // pages that a session's moves passed over because they were hidden
    name: "hidden",
    columns: [
      ["session", "BIGINT"],
      ["quiz", "INTEGER"],
      ["segment", "INTEGER"],
      ["started", "BIGINT"],
      ["page", "INTEGER"],
      ["times", "INTEGER"],
    ],
  },
  {
    // one row for each product and block that showed it to a session
    name: "shown",
    columns: [
      ["session", "BIGINT"],
      ["quiz", "INTEGER"],
      ["segment", "INTEGER"],
      ["product", "INTEGER"],
      ["block", "INTEGER"],
      // first showing in this block
      ["shown_at", "BIGINT"],
      // whether it is the first block that showed it in this session: summed, it counts sessions
      ["first", "BOOLEAN"],
    ],
  },
  {
    // Orders that are not cancelled, whether or not they have a session.
    name: "orders",
    columns: [
      // orders.id
      ["id", "UUID"],
      // NULL: no session (or one of a preview)
      ["session", "BIGINT"],
      // the session's
      ["quiz", "INTEGER"],
      // NULL without a session
      ["segment", "INTEGER"],
      ["created", "BIGINT"],
      // from the start that attribution goes by to the order; NULL without a session
      ["after_start_ms", "BIGINT"],
      // from its session's completion, and from its end, to the order; NULL without, negative where the order came first
      ["after_completed_ms", "BIGINT"],
      ["after_ended_ms", "BIGINT"],
      // line_item, cart, visitor, email, phone; NULL without a session
      ["tier", "VARCHAR"],
      // whether it is in the store's currency; the others count in `orders` and in no money [figures.revenue]
      ["in_currency", "BOOLEAN"],
      // total_price as last sent; a sum of a billion amounts of any size that an order can have fits (server/platform/money.ts)
      ["total", "DECIMAL(38, 4)"],
    ],
  },
  {
    // the lines of those orders that have a session, with what their order says, so that they need no join
    name: "lines",
    columns: [
      ["order_id", "UUID"],
      ["session", "BIGINT"],
      ["quiz", "INTEGER"],
      ["segment", "INTEGER"],
      ["created", "BIGINT"],
      ["after_start_ms", "BIGINT"],
      ["tier", "VARCHAR"],
      ["in_currency", "BOOLEAN"],
      // NULL: a line without a product, such as a tip
      ["product", "INTEGER"],
      // the line's own
      ["title", "VARCHAR"],
      ["units", "INTEGER"],
      // price x quantity - discounts
      ["amount", "DECIMAL(38, 4)"],
      // added_from_quiz, shown_bought_later, bought_not_shown
      ["bucket", "VARCHAR"],
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
      // when it was given
      ["answered", "BIGINT"],
      ["question", "INTEGER"],
      // choice and image; else NULL
      ["option", "INTEGER"],
      // kind number
      ["number", "DOUBLE"],
      // kind date, without its time
      ["day", "DATE"],
      // kind text, folded as `foldText` of server/platform folds; NULL for email and phone, whose content is not copied
      ["text", "VARCHAR"],
      // the session's
      ["segment", "INTEGER"],
      // what became of the session, so that a question's outcomes need no join: whether it is completed, and whether it has
      // an `email_at` or a `phone_at`
      ["completed", "BOOLEAN"],
      ["opted_in", "BOOLEAN"],
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
  ...dictionaryTables,
];

export function tableOf(name: string): TableDefinition {
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`no table ${name}`);
  return table;
}

export const columnsSql = ({ columns }: TableDefinition): string =>
  columns.map(([column, type]) => `"${column}" ${type}`).join(", ");

export const createTable = (table: TableDefinition, schema: string): string =>
  `CREATE TABLE ${schema}.${table.name} (${columnsSql(table)})`;
