import { trafficDimensions } from "../../contract/analytics-values.ts";
import {
  answerText,
  day,
  exitReason,
  firstShown,
  flag,
  isCompleted,
  item,
  key,
  knownKey,
  leftContact,
  type MappedTable,
  mapped,
  moment,
  moveCause,
  no,
  numberOf,
  only,
  own,
  sessionSegment,
  shownProduct,
  whereFinished,
} from "./mapping.ts";
import { dictionaryTables, type TableDefinition } from "./schema-dictionaries.ts";

/**
 * The tables of a store's columnar copy (DuckDB) [copy.contents], which questions name without qualification. No table
 * has a key or an index: they would make the file five times as large, and only the sync writes to a copy, replacing
 * whole rows.
 *
 * Conventions: moments are milliseconds since 1970 (BIGINT). People, sessions, quizzes, pages, questions, options,
 * dimensions, browsers, segments and origins are small integers, since tables are joined and filtered by them (18 ms
 * compared with 55 ms for UUIDs). People and sessions have the numbers that the database gave them. All other numbers
 * belong to this copy: they differ between copies and are lost with the file, so they are looked up in the dictionaries
 * (schema-dictionaries.ts) by the same read that uses them, and never stored.
 *
 * Preview sessions and removed people are in no table; a session whose person was removed has no person.
 */

/** Incremented with every change to the tables below; a file with another number is deleted and rebuilt. */
export const schemaNumber = 12;

/** The traffic columns of `sessions`, as numbers in `origins`; NULL if unknown. */
export const originColumns = trafficDimensions;

/** The sources that several columns of `shown` use. */
const shown = { block: key("block", 1), product: shownProduct(2), at: moment(3) };

/**
 * The tables filled from PostgreSQL. A column without a source takes the column of the same name from the received
 * rows.
 */
const mappedTables: readonly MappedTable[] = [
  mapped("people", [
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
    // the revision before the one that changed `last_seen` last; NULL if unknown
    ["placed_after", "BIGINT"],
  ]),
  // one row per session, whether or not it has a person
  mapped("sessions", [
    ["session", "BIGINT"],
    // sessions.id
    ["id", "UUID"],
    // NULL if unknown
    ["person", "BIGINT"],
    ["quiz", "INTEGER"],
    // quiz_versions.number
    ["version", "INTEGER"],
    // in `visitors`
    ["visitor", "INTEGER", numberOf("visitors", "visitor")],
    ["opened", "BIGINT"],
    // NULL without an answer
    ["started", "BIGINT"],
    ["completed", "BIGINT"],
    ["ended", "BIGINT"],
    // in_progress, completed, left (= ended without completing, that is abandoned)
    ["status", "VARCHAR"],
    // the page entered last: where the shopper left, or finished
    ["last_page", "INTEGER", knownKey("page", 1)],
    // dimension with the highest total; NULL unless completed
    ["winner", "INTEGER", knownKey("dimension", 2)],
    // in `outcomes`; NULL unless it finished on a result page
    ["outcome", "INTEGER", whereFinished(4, knownKey("outcome", 3))],
    // whether it is its person's newest completed session of its quiz; never NULL, false without a person
    ["latest_completed", "BOOLEAN", no],
    ["channel", "VARCHAR"],
    ["device", "VARCHAR"],
    // two capital letters, or NULL
    ["country", "VARCHAR"],
    // with its country's letters in front, such as US-CA, or NULL
    ["region", "VARCHAR"],
    // not its visitor's first session in this store [figures.new-returning]
    ["is_returning", "BOOLEAN"],
    ...originColumns.map((column) => [column, "INTEGER", numberOf("origins", column)] as const),
    // when it left an email and a phone whose checkbox does not deny consent, and any contact whose checkbox does;
    // otherwise NULL [figures.opt-ins]
    ["email_at", "BIGINT", item(5)],
    ["phone_at", "BIGINT", item(6)],
    ["denied_at", "BIGINT", item(7)],
    // the page where it ended; NULL if it entered no page
    ["exit_page", "INTEGER", knownKey("page", 3)],
    // finished, closed, restarted, timed_out, still_here; NULL if it entered no page
    ["exit_reason", "VARCHAR", exitReason(4)],
  ]),
  // one row for each page that a session opened, without anything after the finish [paths.cohort]
  mapped("visits", [
    ["session", "BIGINT"],
    ["quiz", "INTEGER"],
    ["segment", "INTEGER"],
    // the session's, so that a cohort needs no join
    ["started", "BIGINT"],
    ["page", "INTEGER", key("page", 1)],
    // arrivals
    ["entries", "INTEGER", item(2)],
    ["entries_by_jump", "INTEGER", item(3)],
    // whether the first arrival was a jump rule
    ["first_by_jump", "BOOLEAN", flag(4)],
    // sum of the stays that ended with another arrival or the finish; NULL if there are none [funnel.page-time]
    ["time_ms", "BIGINT", item(5)],
    // left with the skip button, or the back button, at least once
    ["skipped", "BOOLEAN", flag(6)],
    ["went_back", "BOOLEAN", flag(7)],
  ]),
  // one row for each edge that a session used: the sum of `moves` counts moves, the number of rows counts sessions
  // [paths.edges]
  mapped("moves", [
    ["session", "BIGINT"],
    ["quiz", "INTEGER"],
    ["segment", "INTEGER"],
    ["started", "BIGINT"],
    ["from_page", "INTEGER", key("page", 1)],
    ["to_page", "INTEGER", key("page", 2)],
    // next, jump, skip, back, restart
    ["cause", "VARCHAR", moveCause(3)],
    // in `rules`; NULL for other causes and for rules that the version lacks
    ["rule", "INTEGER", knownKey("rule", 4)],
    ["moves", "INTEGER", item(5)],
  ]),
  // pages that a session's moves skipped because they were hidden [paths.hidden-pages]
  mapped("hidden", [
    ["session", "BIGINT"],
    ["quiz", "INTEGER"],
    ["segment", "INTEGER"],
    ["started", "BIGINT"],
    ["page", "INTEGER", key("page", 1)],
    ["times", "INTEGER", item(2)],
  ]),
  // one row for each product and block that showed it in a session
  mapped("shown", [
    ["session", "BIGINT"],
    ["quiz", "INTEGER"],
    ["segment", "INTEGER"],
    ["product", "INTEGER", shown.product],
    ["block", "INTEGER", shown.block],
    // first showing in this block
    ["shown_at", "BIGINT", shown.at],
    // whether this block showed it first in the session; the sum counts sessions
    ["first", "BOOLEAN", firstShown(shown.product, shown.at, shown.block)],
  ]),
  // Orders that are not cancelled, whether or not they have a session.
  mapped("orders", [
    // orders.id
    ["id", "UUID"],
    // NULL: no session (or one of a preview)
    ["session", "BIGINT"],
    // the session's
    ["quiz", "INTEGER", numberOf("quizzes", "quiz_id")],
    // NULL without a session
    ["segment", "INTEGER", sessionSegment],
    ["created", "BIGINT"],
    // from the start that attribution uses until the order; NULL without a session
    ["after_start_ms", "BIGINT"],
    // from the session's completion, and from its end, until the order; NULL without one, negative if the order came
    // first
    ["after_completed_ms", "BIGINT"],
    ["after_ended_ms", "BIGINT"],
    // line_item, cart, visitor, email, phone; NULL without a session
    ["tier", "VARCHAR"],
    // whether it is in the store's currency; others are counted as orders but add no money [figures.revenue]
    ["in_currency", "BOOLEAN"],
    // what was bought, whatever was refunded; the type can hold the sum of a billion orders of any possible amount
    // (server/platform/money.ts) [copy.exact-amounts]
    ["total", "DECIMAL(38, 4)"],
    // what was paid back of it so far
    ["refunded", "DECIMAL(38, 4)"],
  ]),
  // the lines of orders with a session, repeating the order's columns so that they need no join
  mapped("lines", [
    ["order_id", "UUID", own("id")],
    ["session", "BIGINT"],
    ["quiz", "INTEGER", numberOf("quizzes", "quiz_id")],
    ["segment", "INTEGER", sessionSegment],
    ["created", "BIGINT"],
    ["after_start_ms", "BIGINT"],
    ["tier", "VARCHAR"],
    ["in_currency", "BOOLEAN"],
    // NULL: a line without a product, such as a tip; of a component that counts as its bundle: the bundle
    ["product", "INTEGER", numberOf("products", "product_id")],
    // the line's own
    ["title", "VARCHAR"],
    ["units", "INTEGER"],
    // price x quantity - discounts
    ["amount", "DECIMAL(38, 4)"],
    ["refunded", "DECIMAL(38, 4)"],
    // added_from_quiz, shown_bought_later, bought_not_shown
    ["bucket", "VARCHAR"],
  ]),
  // The answers in force, of sessions with or without a person, completed or not: one row for each chosen option, one
  // for any other answer. No row means not answered. Repeats the session's person and quiz, so that a search term needs
  // no join.
  mapped("answers", [
    ["session", "BIGINT"],
    ["person", "BIGINT"],
    ["quiz", "INTEGER"],
    // when it was given
    ["answered", "BIGINT", moment(3)],
    ["question", "INTEGER", key("question", 1)],
    // choice and image; else NULL
    ["option", "INTEGER", only("a", knownKey("option", 1, 2))],
    // kind number
    ["number", "DOUBLE", only("n", item(2))],
    // kind date, without its time
    ["day", "DATE", only("d", day(2))],
    // kind text, folded by `foldText` of server/platform; NULL for email and phone, whose content is not copied
    ["text", "VARCHAR", only("t", answerText)],
    // the session's
    ["segment", "INTEGER"],
    // outcome of the session, so that a question's figures need no join: whether it is completed, and whether it has an
    // `email_at` or a `phone_at`
    ["completed", "BOOLEAN", isCompleted],
    ["opted_in", "BOOLEAN", leftContact(5, 6)],
  ]),
  // total of every dimension; only for completed sessions
  mapped("points", [
    ["session", "BIGINT"],
    ["person", "BIGINT"],
    ["dimension", "INTEGER", key("dimension", 1)],
    ["total", "DOUBLE", item(2)],
  ]),
  // formulas that have a value; only for completed sessions
  mapped("formulas", [
    ["session", "BIGINT"],
    ["person", "BIGINT"],
    // in `questions`, with kind formula
    ["question", "INTEGER", key("formula", 1)],
    ["value", "DOUBLE", item(2)],
  ]),
];

/** What this file is a copy of; one row. */
const meta: TableDefinition = {
  name: "meta",
  columns: [
    ["schema", "INTEGER"],
    ["revision", "BIGINT"],
    // token of the newest change; NULL while the store has none
    ["token", "VARCHAR"],
    // the store's currency, which `in_currency` refers to
    ["currency", "VARCHAR"],
    // calendar ms at which the last change was applied
    ["as_of", "BIGINT"],
  ],
};

export const tables: readonly TableDefinition[] = [meta, ...mappedTables, ...dictionaryTables];

export function tableOf(name: string): TableDefinition {
  const table = tables.find((candidate) => candidate.name === name);
  if (!table) throw new Error(`no table ${name}`);
  return table;
}

export function mappedTable(name: string): MappedTable {
  const table = mappedTables.find((candidate) => candidate.name === name);
  if (!table) throw new Error(`no table ${name}`);
  return table;
}

/**
 * The table for each list of a session's fact text. `i`, about the session itself, is a single entry; `t` are its
 * texts.
 */
export const sessionLists = [
  ["i", "sessions"],
  ["v", "visits"],
  ["m", "moves"],
  ["h", "hidden"],
  ["a", "answers"],
  ["n", "answers"],
  ["d", "answers"],
  ["t", "answers"],
  ["p", "points"],
  ["f", "formulas"],
  ["s", "shown"],
] as const;

export type SessionList = (typeof sessionLists)[number][0];

export const sessionTables = [...new Set(sessionLists.map(([, table]) => table))];

export const columnsSql = ({ columns }: TableDefinition): string =>
  columns.map(([column, type]) => `"${column}" ${type}`).join(", ");

export const createTable = (table: TableDefinition, schema: string): string =>
  `CREATE TABLE ${schema}.${table.name} (${columnsSql(table)})`;
