import pg from "pg";
import { answers } from "../server/analytics/questions/answers.ts";
import { breakdown } from "../server/analytics/questions/breakdown.ts";
import { funnel } from "../server/analytics/questions/funnel.ts";
import { overview } from "../server/analytics/questions/overview.ts";
import { paths } from "../server/analytics/questions/paths.ts";
import { traffic } from "../server/analytics/questions/traffic.ts";
import type { CopyQuery } from "../server/columnar-copy/public.ts";
import { parseId } from "../server/platform/ids.ts";
import { type OwnApi, openOwnApi, untilCopied } from "../testkit/own-api.ts";
import { historyDays } from "../testkit/seeded/history.ts";
import { seedStores } from "../testkit/seeded/stores.ts";
import { askedOf } from "./analytics-data.ts";
import { dayBefore, printRow, timed } from "./support.ts";

/**
 * Compares analytical questions with PostgreSQL: the product answers them from a copy loaded from the same rows,
 * including the check for freshness; PostgreSQL computes the main figures of the same question with one or two
 * hand-written statements, on analysed tables, with 256 MB for sorting and hashing. Target: a fifth of PostgreSQL's
 * time.
 *
 *   node bench/analytics-postgres.ts [sessions, 1000000; a fifth of them of the quiz] [rounds, 5]
 */

const sessions = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 5);
const quizCount = 5;
const zone = "America/New_York";
const from = dayBefore(historyDays + 1);
const to = dayBefore(0);

const localDay = (column: string) => `(${column} AT TIME ZONE '${zone}')::date`;
/** $1 is the store, $2 the quiz. */
const taken = (column: string) => `FROM sessions s
  WHERE s.store_id = $1 AND s.quiz_id = $2 AND NOT s.preview
    AND ${column} >= '${from}'::timestamp AT TIME ZONE '${zone}' AND ${column} < ('${to}'::date + 1)::timestamp AT TIME ZONE '${zone}'`;
const entries = (part: string, columns: string) =>
  taken("s.started_at").replace(
    "WHERE",
    `CROSS JOIN LATERAL jsonb_to_recordset(s.state -> '${part}') AS x (${columns}) WHERE`,
  );
const split = (by: string) =>
  `SELECT ${by}, count(DISTINCT s.visitor_id), count(*), count(s.started_at), count(s.completed_at) ${taken("s.opened_at")} GROUP BY 1`;

/** The main figures of each question. */
const byHand: Record<string, string[]> = {
  overview: [
    `SELECT ${localDay("s.opened_at")} AS day, count(*), count(DISTINCT s.visitor_id) ${taken("s.opened_at")} GROUP BY GROUPING SETS ((1), ())`,
    `SELECT ${localDay("s.started_at")} AS day, count(*) ${taken("s.started_at")} GROUP BY 1`,
    `SELECT ${localDay("s.completed_at")} AS day, count(*), avg(s.completed_at - s.started_at),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY s.completed_at - s.started_at) ${taken("s.completed_at")} GROUP BY GROUPING SETS ((1), ())`,
  ],
  funnel: [
    `SELECT x.page_key, count(*), count(*) FILTER (WHERE x.entries_by_jump > 0), count(*) FILTER (WHERE x.skipped), avg(x.time_ms)
     ${entries("visits", "page_key text, entries_by_jump int, skipped boolean, time_ms bigint")} GROUP BY 1`,
    `SELECT s.state #>> '{exit,page_key}', s.state #>> '{exit,reason}', count(*) ${taken("s.started_at")} GROUP BY 1, 2`,
  ],
  answers: [
    `SELECT o.id, count(*), count(s.completed_at) ${entries("answers", "component_key text, option_ids jsonb").replace(
      " WHERE",
      " CROSS JOIN LATERAL jsonb_array_elements_text(x.option_ids) AS o (id) WHERE x.component_key = 'goals' AND",
    )} GROUP BY 1`,
  ],
  breakdown: [split("s.device_class")],
  paths: [
    `SELECT x.from_page_key, x.to_page_key, x.cause, count(*) ${entries("moves", "from_page_key text, to_page_key text, cause text")} GROUP BY 1, 2, 3`,
  ],
  traffic: [split("s.referrer_host")],
};

async function compare({ opened }: OwnApi, client: pg.Client, storeId: string, quizId: string): Promise<void> {
  const db = opened.database.reader().forStore(storeId);
  const asked = askedOf(storeId, quizId, from, to);
  const questions: Record<string, (query: CopyQuery) => Promise<unknown>> = {
    overview: (query) => overview(query, db, asked),
    funnel: (query) => funnel(query, db, asked),
    answers: (query) => answers(query, db, asked, "goals"),
    breakdown: (query) => breakdown(query, db, asked, "device"),
    paths: (query) => paths(query, db, asked, "all"),
    traffic: (query) => traffic(query, db, asked, "referrer_host", 25),
  };
  printRow("", "product ms", "PostgreSQL ms", "times as long");
  for (const [name, question] of Object.entries(questions)) {
    const ours = await timed(() => opened.facts.read(storeId, question), rounds);
    const theirs = await timed(async () => {
      for (const sql of byHand[name] ?? []) await client.query(sql, [storeId, quizId]);
    }, rounds);
    printRow(name, ours.toFixed(1), theirs.toFixed(0), (theirs / ours).toFixed(1));
  }
}

const api = await openOwnApi();
try {
  const [store] = await seedStores(api, [{ sessions, quizzes: quizCount, plan: "plus", limits: {} }]);
  if (store === undefined) throw new Error("no store was made");
  const client = new pg.Client(api.database.connection);
  // after a failure, the database is dropped while this is still connected
  client.on("error", () => undefined);
  await client.connect();
  await client.query("SET work_mem = '256MB'");
  await untilCopied(api, store.id);
  console.log(`${sessions} sessions, ${Math.round(sessions / quizCount)} of the quiz, ${from} to ${to}`);
  await compare(api, client, store.id, parseId("quiz", store.quizzes[1]?.quiz ?? "") ?? "");
  await client.end();
} finally {
  await api.close();
}
