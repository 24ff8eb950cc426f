import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { answers } from "../server/analytics/questions/answers.ts";
import { breakdown } from "../server/analytics/questions/breakdown.ts";
import { funnel } from "../server/analytics/questions/funnel.ts";
import { overview } from "../server/analytics/questions/overview.ts";
import { paths } from "../server/analytics/questions/paths.ts";
import { traffic } from "../server/analytics/questions/traffic.ts";
import { ColumnarCopies, type CopyQuery } from "../server/columnar-copy/public.ts";
import { Database } from "../server/platform/database/database.ts";
import { openLog } from "../server/platform/log.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { askedOf } from "./analytics-data.ts";
import { benchQuiz, benchStore, historyEnd, quizCount, seedFacts } from "./facts-data.ts";
import { median, printRow } from "./support.ts";

/**
 * Analytical questions beside PostgreSQL's own answers to them: the product's over a copy that was loaded from the very
 * rows that PostgreSQL is asked about, freshness included; PostgreSQL's the main figures of the same question by hand, in
 * one statement or two, its tables analysed, with 256 MB to sort and hash in. Target: a fifth of its time.
 *
 *   node bench/analytics-postgres.ts [sessions, 1000000; a fifth of them of the quiz] [rounds, 5]
 */

const sessions = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 5);
const zone = "America/New_York";
const secondsApart = 15;
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const from = day(Math.max(historyEnd - sessions * secondsApart * 1000, historyEnd - 365 * 86_400_000));
const to = day(historyEnd - 86_400_000);
const log = openLog("error", { write: (line) => void process.stderr.write(line) });

const localDay = (column: string) => `(${column} AT TIME ZONE '${zone}')::date`;
const taken = (column: string) => `FROM sessions s
  WHERE s.store_id = '${benchStore}' AND s.quiz_id = '${benchQuiz(1)}' AND NOT s.preview
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

const asked = askedOf(benchStore, benchQuiz(1), from, to);

async function timed(work: () => Promise<unknown>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function compare(facts: ColumnarCopies, database: Database, client: pg.Client): Promise<void> {
  const db = database.reader();
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
    const ours = await timed(() => facts.read(benchStore, question));
    const theirs = await timed(async () => {
      for (const sql of byHand[name] ?? []) await client.query(sql);
    });
    printRow(name, ours.toFixed(1), theirs.toFixed(0), (theirs / ours).toFixed(1));
  }
}

const bench = await openOwnDatabase();
const directory = await mkdtemp(join(tmpdir(), "quizstore-analytics-"));
try {
  const client = new pg.Client(bench.connection);
  // after a failure the database goes while this is still connected
  client.on("error", () => undefined);
  await client.connect();
  await seedFacts(client, { people: Math.round(sessions * 0.3), sessions });
  // what the question on answers asks of the quiz's definition
  await client.query("UPDATE quizzes SET versions_numbered = 1");
  await client.query("VACUUM ANALYZE");
  await client.query("SET work_mem = '256MB'");
  const database = new Database({ connection: bench.connection, size: 6, log });
  const calendar = { now: () => historyEnd, afterReal: (milliseconds: number) => historyEnd + milliseconds };
  const facts = await ColumnarCopies.open({
    directory,
    database,
    calendar,
    elapsed: () => performance.now(),
    random: randomBytes,
    log,
    loadWaitMs: 3_600_000,
  });
  await facts.ask(benchStore, { sql: "SELECT 1 AS loaded", parameters: [] });
  console.log(`${sessions} sessions, ${Math.round(sessions / quizCount)} of the quiz, ${from} to ${to}`);
  await compare(facts, database, client);
  await client.end();
  await facts.close();
  await database.close();
} finally {
  await rm(directory, { recursive: true, force: true });
  await bench.close();
}
