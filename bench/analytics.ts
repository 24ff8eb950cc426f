import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import { answers } from "../server/analytics/questions/answers.ts";
import { breakdown } from "../server/analytics/questions/breakdown.ts";
import { comparison } from "../server/analytics/questions/comparison.ts";
import { funnel } from "../server/analytics/questions/funnel.ts";
import { overview } from "../server/analytics/questions/overview.ts";
import { paths } from "../server/analytics/questions/paths.ts";
import { products } from "../server/analytics/questions/products.ts";
import { summary } from "../server/analytics/questions/summary.ts";
import { traffic } from "../server/analytics/questions/traffic.ts";
import { Ranges } from "../server/analytics/range.ts";
import type { Selection } from "../server/analytics/selection.ts";
import type { CopyQuery } from "../server/columnar-copy/public.ts";
import { putQuestions } from "../server/columnar-copy/questions.ts";
import { Database } from "../server/platform/database/database.ts";
import type { StoreRunner } from "../server/platform/database/sql.ts";
import { noDeadline } from "../server/platform/deadline.ts";
import { parseId } from "../server/platform/ids.ts";
import { openLog } from "../server/platform/log.ts";
import { openSecrets } from "../server/platform/secrets.ts";
import { importQuiz } from "../server/quizzes/public.ts";
import { createStore } from "../server/stores/admin.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { askedOf, benchDocument, type History, historyFrom, historyTo, seedCopy } from "./analytics-data.ts";
import { minimal } from "./analytics-minimal.ts";
import { median, printRow } from "./support.ts";

/**
 * Measures every analytical question, uncached, about a busy quiz, over all the days of its history, compared with
 * minimal hand-written SQL for the same main figures, on the same file and with the same settings.
 *
 *   node bench/analytics.ts [sessions, 1000000; four visits each] [rounds, 7] [days of the history, 30]
 *
 * The file has the layout of a store's copy; DuckDB has 512 MB. Names come from a separate database, which is dropped
 * afterwards.
 */

const [, program = "", first, ...more] = process.argv;
const memoryLimitMb = 512;

const calendar = { now: () => Date.now(), afterReal: (milliseconds: number) => Date.now() + milliseconds };

interface Names {
  db: StoreRunner;
  storeId: string;
  quizId: string;
  close(): Promise<void>;
}

async function openNames(): Promise<Names> {
  const bench = await openOwnDatabase();
  const log = openLog("error", { write: (line) => void process.stderr.write(line) });
  const database = new Database({ connection: bench.connection, size: 2, log });
  const deps = {
    calendar,
    random: randomBytes,
    secrets: openSecrets("a secret key for benchmarks, long enough", randomBytes),
  };
  const { storeId, quizId } = await database.transaction(async (tx) => {
    const given = {
      name: "Shop",
      shopDomain: "shop.example.com",
      plan: "plus",
      timezone: "UTC",
      currency: "USD",
    } as const;
    const store = parseId("store", (await createStore(tx, deps, given)).store_id) ?? "";
    const quiz = await importQuiz(tx, deps, store, { document: benchDocument, publish: true, name: "Busy quiz" });
    return { storeId: store, quizId: parseId("quiz", quiz.quiz_id) ?? "" };
  });
  const close = async () => {
    await database.close();
    await bench.close();
  };
  return { db: database.reader().forStore(storeId), storeId, quizId, close };
}

const attach = (file: string, mode: string) => `ATTACH '${file}' AS copy (BLOCK_SIZE 16384, ${mode}); USE copy.main`;

/** Runs in a separate process, so that its memory is not included in the figures. */
async function seed(file: string, history: History): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(attach(file, "RECOVERY_MODE no_wal_writes"));
  await seedCopy(connection, history);
  await connection.run("CHECKPOINT copy");
  connection.closeSync();
  instance.closeSync();
}

const queryOf =
  (connection: DuckDBConnection): CopyQuery =>
  async <Row>({ sql, parameters }: Parameters<CopyQuery>[0]) => {
    const reader = await connection.runAndReadAll(
      sql,
      parameters.length === 0 ? undefined : ([...parameters] as DuckDBValue[]),
    );
    const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
    return reader
      .getRowObjectsJS()
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]))) as Row[];
  };

/** Queries the file like the service: a question's statements run in parallel where possible. */
function questionsOf(
  put: (question: (query: CopyQuery) => Promise<unknown>) => Promise<unknown>,
  db: StoreRunner,
  asked: Selection & { quizId: string },
): Record<keyof typeof minimal, () => Promise<unknown>> {
  const store = { ...asked, quizId: null };
  const lastWeek = new Ranges().of("2026-04-24", historyTo, "UTC");
  const page = { limit: 50, bucket: null };
  return {
    summary: () => put((query) => summary(query, db, { ...store, range: lastWeek }, new Ranges().before(lastWeek))),
    comparison: () =>
      put((query) => comparison(query, db, store, { q: null, sort: "views", dir: "desc", limit: 25, offset: 0 })),
    overview: () => put((query) => overview(query, db, asked)),
    "answers (choice)": () => put((query) => answers(query, db, asked, "skin")),
    "answers (number)": () => put((query) => answers(query, db, asked, "age")),
    funnel: () => put((query) => funnel(query, db, asked)),
    "funnel, filtered": () =>
      put((query) => funnel(query, db, { ...asked, filters: { ...asked.filters, device: "mobile" } })),
    breakdown: () => put((query) => breakdown(query, db, asked, "country")),
    paths: () => put((query) => paths(query, db, asked, "all")),
    "paths (left)": () => put((query) => paths(query, db, asked, "left")),
    products: () => put((query) => products(query, db, asked, { ...page, sort: "revenue" })),
    traffic: () => put((query) => traffic(query, db, asked, "referrer_host", 25)),
  };
}

/** Milliseconds of each run except the first, and the process's peak memory in MB. */
async function measure(rounds: number, work: () => Promise<unknown>): Promise<{ times: number[]; peak: number }> {
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss() / 2 ** 20);
  }, 5);
  await work();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  clearInterval(watch);
  return { times, peak };
}

async function main(sessions: number, rounds: number, days: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "quizstore-analytics-"));
  const names = await openNames();
  try {
    const file = join(folder, "copy.duckdb");
    const history = [String(sessions), String(days), names.quizId];
    const { status } = spawnSync(process.execPath, [program, "seed", file, ...history], { stdio: "inherit" });
    if (status !== 0) throw new Error("the copy could not be written");
    const threads = Math.min(4, availableParallelism());
    const settings = { memory_limit: `${memoryLimitMb}MB`, threads: String(threads), temp_directory: folder };
    const instance = await DuckDBInstance.create(":memory:", settings);
    const connection = await instance.connect();
    await connection.run(attach(file, "READ_ONLY"));
    const query = queryOf(connection);
    const [size] = await query<{ visits: number }>({ sql: "SELECT count(*) AS visits FROM visits", parameters: [] });
    console.log(
      `${sessions} sessions, ${size?.visits} visits, ${days} days, ${threads} threads, DuckDB ${memoryLimitMb} MB\n`,
    );
    const asked = askedOf(names.storeId, names.quizId, historyFrom(days), historyTo);
    printRow("", "median ms", "minimal ms", "ratio", "peak RSS MB");
    const asking = { folder: { connect: () => instance.connect() }, copy: { catalog: "copy" }, deadline: noDeadline };
    const put = (question: (query: CopyQuery) => Promise<unknown>) =>
      putQuestions({ ...asking, spare: () => true, bytes: async () => (await stat(file)).size }, question);
    for (const [name, question] of Object.entries(questionsOf(put, names.db, asked))) {
      const statements = minimal[name as keyof typeof minimal](asked.range);
      const least = await measure(rounds, async () => {
        for (const sql of statements) await query({ sql, parameters: [] });
      });
      const ours = await measure(rounds, question);
      const ratio = median(ours.times) / median(least.times);
      printRow(
        name,
        median(ours.times).toFixed(1),
        median(least.times).toFixed(1),
        ratio.toFixed(2),
        Math.round(ours.peak),
      );
    }
    connection.closeSync();
    instance.closeSync();
  } finally {
    await names.close();
    await rm(folder, { recursive: true, force: true });
  }
}

if (first === "seed") {
  const [file = "", sessions, days, quizId = ""] = more;
  await seed(file, { sessions: Number(sessions), days: Number(days), quizId });
} else await main(Number(first ?? 1_000_000), Number(more[0] ?? 7), Number(more[1] ?? 30));
