import type { DuckDBConnection } from "@duckdb/node-api";
import { planAllowances } from "../contract/limits.ts";
import { Ranges } from "../server/analytics/range.ts";
import { noFilters } from "../server/analytics/read-selection.ts";
import type { Selection } from "../server/analytics/selection.ts";
import { createTable, tables } from "../server/columnar-copy/schema.ts";
import { choice, number, option, page, quizDocument } from "../testkit/document-parts.ts";

/**
 * A columnar copy with one busy quiz, written by DuckDB itself: the same rows as after a sync of its sessions, without
 * the events. The same size and days give the same rows.
 */

/** the history's last day */
export const historyTo = "2026-04-30";
const dayMs = 86_400_000;

/** A selection for a quiz and some days in New York, without filters. */
export const askedOf = (id: string, quizId: string, from: string, to: string): Selection & { quizId: string } => ({
  store: {
    ...{ id, name: "", shopDomain: "", plan: "plus", currency: "USD", timezone: "UTC" },
    allowances: planAllowances.plus,
  },
  quizId,
  range: new Ranges().of(from, to, "America/New_York"),
  filters: noFilters,
});

/** The first day of a history of this many days. */
export const historyFrom = (days: number): string =>
  new Date(Date.parse(historyTo) - (days - 1) * dayMs).toISOString().slice(0, 10);

const pageCount = 12;
const pageKey = (page: number) => `page_${page}`;

const options = Array.from({ length: 6 }, (_, index) =>
  option(`option_${index + 1}`, { label: `Option ${index + 1}` }),
);
/** The questions of the first pages, in order. */
const questions = [
  choice("skin", options, { question: "Which skin?" }),
  choice("goal", options, { kind: "image", question: "Which goal?" }),
  number("age", { question: "Age?" }),
];

/** Sessions open from here to the end of the last day in UTC: within the same days in New York, whatever its offset. */
const beginOf = (days: number): number => Date.parse(`${historyFrom(days)}T05:00:00Z`);
const spanOf = (days: number): number => Date.parse(`${historyTo}T00:00:00Z`) + dayMs - beginOf(days);

/** A pseudo-random number in [0, 1) for a session and a purpose. */
const chance = (salt: number, of = "i") => `((hash(${of} * 1009 + ${salt}) % 1000003) / 1000003)`;
const oneOf = (salt: number, values: readonly string[]) =>
  `[${values.map((value) => `'${value}'`).join(", ")}][1 + CAST(floor(${chance(salt)} * ${values.length}) AS INTEGER)]`;

const sessionsOf = (count: number, days: number) => `
  INSERT INTO sessions BY NAME
  WITH base AS (
    SELECT i, ${beginOf(days)} + CAST(i * ${spanOf(days) - 4_000_000}.0 / ${count} AS BIGINT) AS opened,
      ${chance(1)} < 0.7 AS has_started, ${chance(2)} < 0.6 AS reaches_end,
      -- pages that it opened: all of them when it reaches the end
      1 + CAST(floor(${chance(3)} * 3) AS INTEGER) AS reached
    FROM range(${count}) AS r (i)),
  timed AS (
    SELECT *, CASE WHEN has_started THEN opened + CAST(2000 + ${chance(4)} * 30000 AS BIGINT) END AS started FROM base),
  ended AS (
    SELECT *, CASE WHEN reaches_end THEN started + CAST(30000 + ${chance(5)} * 400000 AS BIGINT) END AS completed FROM timed)
  SELECT i AS session, uuid() AS id, 1 AS quiz, 1 AS version,
    1 + CAST(floor(${chance(6)} * ${count} * 0.8) AS INTEGER) AS visitor,
    opened, started, completed, coalesce(completed, opened + 2000000) AS ended,
    CASE WHEN completed IS NOT NULL THEN 'completed' WHEN ${chance(7)} < 0.01 THEN 'in_progress' ELSE 'left' END AS status,
    CASE WHEN completed IS NOT NULL THEN ${pageCount} ELSE reached END AS last_page, false AS latest_completed,
    ${oneOf(8, ["onsite", "email", "social", "popup"])} AS channel, ${oneOf(9, ["mobile", "mobile", "desktop", "tablet"])} AS device,
    nullif(${oneOf(10, ["US", "US", "GB", "DE", "FR", "CA", "AU", ""])}, '') AS country, ${chance(11)} < 0.25 AS is_returning,
    1 + CAST(floor(pow(${chance(12)}, 3) * 2000) AS INTEGER) AS page_url,
    nullif(3000 + CAST(floor(pow(${chance(13)}, 4) * 500) AS INTEGER), 3000) AS referrer_host,
    [4001, 4002, 4003, NULL][1 + CAST(floor(${chance(14)} * 4) AS INTEGER)] AS utm_source,
    CASE WHEN has_started AND ${chance(15)} < 0.4 THEN started + 60000 END AS email_at,
    CASE WHEN has_started AND ${chance(16)} < 0.1 THEN started + 61000 END AS phone_at,
    CASE WHEN has_started AND ${chance(17)} < 0.05 THEN started + 60000 END AS denied_at,
    CASE WHEN completed IS NOT NULL THEN ${pageCount} ELSE reached END AS exit_page,
    CASE WHEN completed IS NOT NULL THEN 'finished' ELSE ${oneOf(18, ["closed", "timed_out", "timed_out", "restarted"])} END AS exit_reason
  FROM ended ORDER BY i`;

const keys = [
  "INSERT INTO visitors SELECT visitor, uuid() FROM (SELECT DISTINCT visitor FROM sessions)",
  `INSERT INTO segments SELECT row_number() OVER (), * FROM (
    SELECT DISTINCT channel, device, coalesce(country, 'unknown'), is_returning, status FROM sessions)`,
];
/** Sessions joined with their segment. */
const told = `(SELECT s.*, g.segment FROM sessions AS s JOIN segments AS g
  ON (g.channel, g.device, g.country, g.is_returning, g.status) = (s.channel, s.device, coalesce(s.country, 'unknown'), s.is_returning, s.status))`;

/**
 * One visit per page in turn; sessions that reach the end skip every second page by a jump, so that four million visits
 * remain.
 */
const visits = `
  INSERT INTO visits
  SELECT session, 1, segment, started, page, 1 + CAST(${chance(20, "(session * 16 + page)")} < 0.1 AS INTEGER), CAST(page = 7 AS INTEGER), page = 7,
    CAST(3000 + ${chance(21, "(session * 16 + page)")} * 60000 AS BIGINT), ${chance(22, "(session * 16 + page)")} < 0.05,
    ${chance(23, "(session * 16 + page)")} < 0.08
  FROM (SELECT session, segment, started, unnest(range(1, last_page + 1)) AS page, completed FROM ${told})
  WHERE completed IS NULL OR page IN (1, 2, 3, 5, 7, 9, 12)`;

const moves = `
  INSERT INTO moves
  SELECT session, 1, segment, started, page, lead(page) OVER (PARTITION BY session ORDER BY page),
    CASE WHEN page = 5 THEN 'jump' WHEN went_back THEN 'back' ELSE 'next' END, CASE WHEN page = 5 THEN 1 END, 1
  FROM visits QUALIFY lead(page) OVER (PARTITION BY session ORDER BY page) IS NOT NULL`;

const hidden = `INSERT INTO hidden SELECT session, 1, segment, started, 4 + session % 3, 1 FROM ${told} WHERE completed IS NOT NULL AND session % 2 = 0`;

const answers = `
  INSERT INTO answers BY NAME
  SELECT session, 1 AS quiz, started + 5000 AS answered, a.question, CASE WHEN a.question < 3 THEN a.question * 10 + 1 + CAST(floor(${chance(30, "(session * 8 + a.place)")} * 6) AS INTEGER) END AS "option",
    CASE WHEN a.question = 3 THEN floor(18 + ${chance(31, "session")} * 60) END AS number,
    segment, completed IS NOT NULL AS completed, email_at IS NOT NULL OR phone_at IS NOT NULL AS opted_in
  FROM ${told}, (VALUES (1, 1), (2, 2), (3, 3)) AS a (place, question) WHERE started IS NOT NULL`;

const shown = `
  INSERT INTO shown
  SELECT session, 1, segment, 1 + CAST(floor(pow(${chance(40, "(session * 8 + place)")}, 2) * 200) AS INTEGER), 1 + place % 2, completed, true
  FROM ${told}, range(4) AS p (place) WHERE completed IS NOT NULL`;

const orders = `
  INSERT INTO orders
  SELECT uuid(), session, 1, segment, created, created - started, created - completed, created - ended, CASE WHEN session % 5 = 0 THEN 'email' ELSE 'cart' END, session % 50 <> 0,
    CAST(20 + ${chance(50, "session")} * 100 AS DECIMAL(18, 2))
  FROM (SELECT session, segment, started, completed, ended, completed + CAST(pow(${chance(51, "session")}, 6) * 4000000000 AS BIGINT) AS created FROM ${told}
    WHERE completed IS NOT NULL AND ${chance(52, "session")} < 0.1)`;

const lines = `
  INSERT INTO lines
  SELECT id, session, 1, segment, created, after_start_ms, tier, in_currency,
    1 + CAST(floor(pow(${chance(53, "(session * 4 + place)")}, 2) * 400) AS INTEGER), 'Product', 1, total / 2,
    ['added_from_quiz', 'shown_bought_later', 'bought_not_shown'][1 + CAST((session + place) % 3 AS INTEGER)]
  FROM orders, range(2) AS p (place)`;

const dictionaries = [
  `INSERT INTO pages SELECT i, 1, 'page_' || i FROM range(1, ${pageCount + 1}) AS r (i)`,
  "INSERT INTO questions VALUES (1, 1, 'page_1', 'skin', 'choice'), (2, 1, 'page_2', 'goal', 'image'), (3, 1, 'page_3', 'age', 'number')",
  `INSERT INTO options SELECT q * 10 + o, q, 'option_' || o FROM range(1, 3) AS q (q), range(1, 7) AS o (o)`,
  "INSERT INTO rules VALUES (1, 1, 'to_seven')",
  `INSERT INTO blocks VALUES (1, 1, 'page_${pageCount}', 'main'), (2, 1, 'page_${pageCount}', 'more')`,
  "INSERT INTO origins SELECT i, 'https://shop.example/page/' || i FROM range(1, 2001) AS r (i)",
  "INSERT INTO origins SELECT 3000 + i, 'site' || i || '.example' FROM range(1, 500) AS r (i)",
  "INSERT INTO origins VALUES (4001, 'newsletter'), (4002, 'google'), (4003, 'meta')",
  "INSERT INTO products SELECT i, 'gid://shopify/Product/' || i FROM range(1, 401) AS r (i)",
];

export interface History {
  sessions: number;
  /** number of days over which they are spread evenly */
  days: number;
  /** UUID */
  quizId: string;
}

/** Fills the connection's current database. */
export async function seedCopy(connection: DuckDBConnection, { sessions, days, quizId }: History): Promise<void> {
  for (const table of tables) await connection.run(createTable(table, "main"));
  await connection.run("INSERT INTO meta (revision) VALUES (1)");
  await connection.run("INSERT INTO quizzes VALUES (1, CAST($1 AS UUID))", [quizId]);
  await connection.run(sessionsOf(sessions, days));
  for (const statement of [...keys, visits, moves, hidden, answers, shown, orders, lines, ...dictionaries])
    await connection.run(statement);
}

/** The quiz that the sessions took, with the parts that the questions read from the database. */
export const benchDocument = quizDocument(
  Array.from({ length: pageCount }, (_, index) =>
    page(pageKey(index + 1), questions.slice(index, index + 1), {
      title: `Page ${index + 1}`,
      kind: index + 1 === pageCount ? "result" : "question",
      skippable: true,
    }),
  ),
  {
    jump_rules: [
      {
        jump_rule_key: "to_seven",
        source_page_key: pageKey(5),
        when: { component_key: "age", op: "gt", value: 30 },
        target_page_key: pageKey(7),
      },
    ],
  },
);
