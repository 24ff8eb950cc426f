import type { DayRange } from "../server/analytics/selection.ts";

/** Minimal hand-written DuckDB statements for each question's main figures: quiz 1, days of 24 hours, no filters. */

const dayMs = 86_400_000;

export interface Plain {
  from: number;
  to: number;
}

const plainOf = ({ runs }: DayRange): Plain => ({ from: runs[0]?.start ?? 0, to: runs.at(-1)?.end ?? 0 });
const inside = (column: string, { from, to }: Plain) => `${column} >= ${from} AND ${column} < ${to}`;
const day = (column: string, { from }: Plain) => `(${column} - ${from}) // ${dayMs}`;
const perDay = (column: string, range: Plain, figures = "count(*)") =>
  `SELECT ${day(column, range)} AS d, ${figures} FROM sessions WHERE quiz = 1 AND ${inside(column, range)} GROUP BY d`;
const month = 30 * dayMs;

const outcomes = (by: string, question: number, range: Plain) => `
  SELECT ${by} AS answer, count(*), count(s.completed), count(o.session), sum(o.n), sum(o.total)
  FROM answers AS a JOIN sessions AS s USING (session)
  LEFT JOIN (SELECT session, count(*) AS n, sum(total) AS total FROM orders WHERE after_start_ms <= ${month} GROUP BY session) AS o USING (session)
  WHERE a.question = ${question} AND ${inside("a.answered", range)} GROUP BY answer`;

const counts = (range: Plain) =>
  ["opened", "started", "completed", "email_at", "phone_at"]
    .map((column) => `count(*) FILTER (WHERE ${inside(column, range)})`)
    .join(", ");

const ends = (range: Plain) =>
  `SELECT exit_page, exit_reason, count(*) FROM sessions WHERE quiz = 1 AND ${inside("started", range)} GROUP BY ALL`;

const pages = (range: Plain, narrow = "") =>
  `SELECT page, count(*), count_if(first_by_jump), count_if(skipped), count_if(went_back), avg(time_ms) FROM visits ${narrow}
   WHERE quiz = 1 AND ${inside("started", range)} GROUP BY page`;

const ways = (range: Plain, narrow = "") => [
  ends(range),
  `SELECT page, sum(entries), sum(entries_by_jump), median(time_ms) FROM visits ${narrow} WHERE quiz = 1 AND ${inside("started", range)} GROUP BY page`,
  `SELECT from_page, to_page, cause, rule, sum(moves), count(*) FROM moves ${narrow} WHERE quiz = 1 AND ${inside("started", range)}
   GROUP BY ALL ORDER BY 5 DESC LIMIT 60`,
  `SELECT page, sum(times) FROM hidden ${narrow} WHERE quiz = 1 AND ${inside("started", range)} GROUP BY page`,
];

const statements = {
  summary: (range: Plain) => {
    const week = { from: range.to - 14 * dayMs, to: range.to };
    return [
      ...["opened", "started", "completed", "least(email_at, phone_at)"].map((column) => perDay(column, week)),
      `SELECT ${day("created", week)} AS d, count(*), sum(total) FROM orders WHERE ${inside("created", week)} GROUP BY d`,
    ];
  },
  comparison: (range: Plain) => [
    `SELECT quiz, ${counts(range)}, avg(completed - started), median(completed - started) FROM sessions GROUP BY quiz`,
    `SELECT quiz, count(*), sum(total) FROM orders WHERE ${inside("created", range)} GROUP BY quiz`,
  ],
  overview: (range: Plain) => [
    perDay("opened", range, "count(*), count(DISTINCT visitor)"),
    `SELECT count(DISTINCT visitor) FROM sessions WHERE quiz = 1 AND ${inside("opened", range)}`,
    perDay("started", range),
    perDay("completed", range, "count(*), avg(completed - started), median(completed - started)"),
    `SELECT avg(completed - started), median(completed - started) FROM sessions WHERE quiz = 1 AND ${inside("completed", range)}`,
    perDay("email_at", range),
    perDay("phone_at", range),
    perDay("denied_at", range),
    `SELECT ${day("created", range)} AS d, count(*), sum(total) FROM orders WHERE quiz = 1 AND ${inside("created", range)} GROUP BY d`,
    `SELECT ${day("created", range)} AS d, bucket, sum(amount) FROM lines WHERE quiz = 1 AND ${inside("created", range)} GROUP BY ALL`,
    `SELECT o.created - s.ended < ${dayMs} AS soon, avg(o.created - s.completed), median(o.created - s.completed)
     FROM orders AS o JOIN sessions AS s USING (session) WHERE o.quiz = 1 AND ${inside("o.created", range)} GROUP BY soon`,
  ],
  "answers (choice)": (range: Plain) => [
    outcomes('a."option"', 1, range),
    `SELECT count(DISTINCT session) FROM answers WHERE question = 1 AND ${inside("answered", range)}`,
  ],
  "answers (number)": (range: Plain) => [
    `SELECT min(number), max(number), avg(number), median(number) FROM answers WHERE question = 3 AND ${inside("answered", range)}`,
    outcomes("floor(a.number / 10)", 3, range),
  ],
  funnel: (range: Plain) => [ends(range), pages(range)],
  "funnel, filtered": (range: Plain) => {
    const mobile = "SEMI JOIN (SELECT session FROM sessions WHERE device = 'mobile') AS m USING (session)";
    return [ends(range).replace("WHERE", "WHERE device = 'mobile' AND"), pages(range, mobile)];
  },
  breakdown: (range: Plain) => [
    `SELECT country, count(DISTINCT visitor), ${counts(range)} FROM sessions WHERE quiz = 1 GROUP BY country ORDER BY 3 DESC`,
  ],
  paths: (range: Plain) => ways(range),
  "paths (left)": (range: Plain) =>
    ways(range, "SEMI JOIN (SELECT session FROM sessions WHERE status = 'left') AS m USING (session)"),
  products: (range: Plain) => [
    `SELECT product, count_if("first") FROM shown WHERE quiz = 1 AND ${inside("shown_at", range)} GROUP BY product`,
    `SELECT product, block, count(*), max(shown_at) FROM shown WHERE quiz = 1 AND ${inside("shown_at", range)} GROUP BY ALL`,
    `SELECT product, bucket, sum(units), count(DISTINCT order_id), sum(amount) FROM lines WHERE quiz = 1 AND ${inside("created", range)} GROUP BY ALL`,
  ],
  traffic: (range: Plain) => [
    `SELECT o.value, c.* FROM (
       SELECT referrer_host, count(DISTINCT visitor), ${counts(range)} FROM sessions WHERE quiz = 1 GROUP BY referrer_host) AS c
     LEFT JOIN origins AS o ON o.origin = c.referrer_host ORDER BY 3 DESC`,
  ],
};

type Name = keyof typeof statements;

export const minimal = Object.fromEntries(
  Object.entries(statements).map(([name, of]) => [name, (range: DayRange) => of(plainOf(range))]),
) as Record<Name, (range: DayRange) => string[]>;
