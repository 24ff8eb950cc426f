import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { copyOut } from "../server/columnar-copy/copy-out.ts";
import { ColumnarCopies } from "../server/columnar-copy/public.ts";
import { buildDueExports } from "../server/exports/writing/builds.ts";
import type { BuildDeps } from "../server/exports/writing/deps.ts";
import { Database } from "../server/platform/database/database.ts";
import { LocalFiles } from "../server/platform/files/local.ts";
import { openLog } from "../server/platform/log.ts";
import { VersionCache } from "../server/quizzes/public.ts";
import { untold } from "../server/sessions/payloads/read.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { benchQuiz, benchStore, historyEnd, seedFacts } from "./facts-data.ts";
import { printRow } from "./support.ts";

/**
 * Building files: rows a second, and memory above that of the idle process. Beside it the least that the same rows can
 * cost: PostgreSQL's own COPY of what the responses are made from, to a file.
 *
 *   node --expose-gc --max-semi-space-size=64 bench/exports.ts [sessions, 50000] [people, three in ten] [pause between pages in ms, 0]
 *
 * Against TEST_DATABASE_URL, in a database of its own that is dropped; without one, embedded.
 */

const sessions = Number(process.argv[2] ?? 50_000);
const people = Number(process.argv[3] ?? Math.round(sessions * 0.3));
const pauseMs = Number(process.argv[4] ?? 0);
const log = openLog("warn", { write: (line) => void process.stderr.write(line) });
const closers: (() => Promise<unknown> | unknown)[] = [];

/** What an export reads of a session and of a quiz, and the columnar copy does not. */
const completing = [
  `UPDATE sessions SET state = state || jsonb_build_object('opened_at', ${ms("opened_at")}, 'started_at', ${ms("started_at")},
     'completed_at', ${ms("completed_at")}, 'ended_at', ${ms("ended_at")}, 'answered_count', 4,
     'terminal_page_key', CASE WHEN completed_at IS NOT NULL THEN 'result' END) WHERE store_id = $1`,
  "UPDATE quizzes SET versions_numbered = 1 WHERE store_id = $1",
  `UPDATE stores SET limits = '{"export_page_pause_ms": ${pauseMs}}' WHERE id = $1`,
];

function ms(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000)::bigint`;
}

const sameRows = `SELECT id, quiz_id, version_id, visitor_id, channel, placement, country, region, page_url, utm_source,
    utm_medium, utm_campaign, utm_content, utm_term, device_class, device, state - '{${untold.join()}}'::text[] AS state
  FROM sessions WHERE store_id = '${benchStore}' AND started_at IS NOT NULL AND NOT preview ORDER BY started_at, id`;

interface Measured {
  seconds: number;
  processor: number;
  /** MB above the idle process */
  memory: number;
}

let idle = 0;

async function measure(work: () => Promise<unknown>): Promise<Measured> {
  let most = process.memoryUsage.rss();
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  const begun = performance.now();
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  clearInterval(watch);
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, processor: (user + system) / 1e6, memory: Math.round((most - idle) / 1024 / 1024) };
}

async function copyAlone(database: Database, folder: string): Promise<void> {
  const client = await database.dedicated();
  let parts = 0;
  const nextPath = () => join(folder, `copy-${++parts}.csv`);
  try {
    await client.query("SET statement_timeout = 0");
    await copyOut(client, sameRows, { partBytes: 8 << 20, nextPath, take: (path) => rm(path) });
  } finally {
    // with its setting it is of no use to others
    client.release(true);
  }
}

async function ask(client: pg.Client, dataset: string, format: string, quizId: string | null, search: object | null) {
  const filters = { from: null, to: null, quiz_id: quizId, search, tz: null };
  const at = new Date(historyEnd);
  const id = randomUUID();
  await client.query(
    `INSERT INTO exports (store_id, id, dataset, format, status, source, filters, requested_at, expires_at, due_at)
     VALUES ($1, $2, $3, $4, 'pending', 'api', $5, $6, $6, $6)`,
    [benchStore, id, dataset, format, JSON.stringify(filters), at],
  );
  return id;
}

async function builtRow(client: pg.Client, id: string): Promise<{ row_count: number; bytes: number }> {
  const sql = "SELECT row_count::int, bytes::float8, status FROM exports WHERE id = $1";
  const [row] = (await client.query(sql, [id])).rows;
  if (row.status !== "completed") throw new Error(`the export is ${row.status}`);
  return row;
}

async function openTools(database: Database, folder: string): Promise<BuildDeps> {
  const calendar = { now: () => Date.now(), afterReal: (milliseconds: number) => Date.now() + milliseconds };
  const elapsed = () => performance.now();
  const shared = { database, calendar, elapsed, random: randomBytes, log };
  const facts = await ColumnarCopies.open({ ...shared, directory: join(folder, "facts"), loadWaitMs: 3_600_000 });
  closers.push(() => facts.close());
  const storage = new LocalFiles(join(folder, "files"));
  return { ...shared, facts, versions: new VersionCache(), storage, baseUrl: "https://api.example.com" };
}

type Case = [name: string, dataset: string, format: string, quizId: string | null, search: object | null];

const smallQuiz = `quiz_${benchQuiz(0).replaceAll("-", "")}`;

const withoutCopy: Case[] = [
  ["responses, CSV", "responses", "csv", null, null],
  ["responses, JSON", "responses", "json", null, null],
  ["responses of one quiz, CSV", "responses", "csv", smallQuiz, null],
  ["profiles, CSV", "profiles", "csv", null, null],
];

const withCopy: Case[] = [
  ["responses of a search, CSV", "responses", "csv", null, { has_email: true }],
  ["profiles of a search, CSV", "profiles", "csv", null, { has_marketing_consent: true }],
  ["quiz_analytics, CSV", "quiz_analytics", "csv", null, null],
];

/** What a process holds that has built something small, and again when it has loaded the copy: what is beyond it is the build's. */
function rest(): void {
  globalThis.gc?.();
  idle = process.memoryUsage.rss();
}

async function main(): Promise<void> {
  const bench = await openOwnDatabase();
  closers.push(() => bench.close());
  const client = new pg.Client(bench.connection);
  await client.connect();
  await seedFacts(client, { people, sessions });
  for (const sql of completing) await client.query(sql, sql.includes("$1") ? [benchStore] : []);
  await client.query("VACUUM ANALYZE");
  const database = new Database({ connection: bench.connection, size: 6, log });
  closers.push(() => client.end());
  closers.push(() => database.close());
  const folder = await mkdtemp(join(tmpdir(), "quizstore-exports-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const deps = await openTools(database, folder);
  printRow(
    `${sessions} sessions, pause ${pauseMs} ms`,
    "rows",
    "MB",
    "rows/s",
    "times COPY",
    "processor s",
    "MB above",
  );
  // the first of each finds the database's cache, and the program, cold
  await ask(client, "responses", "json", smallQuiz, null);
  await buildDueExports(deps);
  rest();
  await copyAlone(database, folder);
  const copy = await measure(() => copyAlone(database, folder));
  const floor = sessions / copy.seconds;
  printRow("COPY of the responses' rows", sessions, "", Math.round(floor), "", copy.processor.toFixed(1), copy.memory);
  const build = async ([name, dataset, format, quizId, search]: Case) => {
    const asked = await ask(client, dataset, format, quizId, search);
    const measured = await measure(() => buildDueExports(deps));
    const { row_count: rows, bytes } = await builtRow(client, asked);
    const rate = rows / measured.seconds;
    const cells = [rows, (bytes / 1e6).toFixed(1), Math.round(rate), (rate / floor).toFixed(2)];
    printRow(name, ...cells, measured.processor.toFixed(1), measured.memory);
  };
  for (const each of withoutCopy) await build(each);
  const load = await measure(() => deps.facts.read(benchStore, async () => null));
  printRow("(load of the columnar copy)", sessions, "", "", "", load.processor.toFixed(1), load.memory);
  rest();
  for (const each of withCopy) await build(each);
  const sizes = await Promise.all(
    (await readdir(join(folder, "files", benchStore))).map(async (file) =>
      stat(join(folder, "files", benchStore, file)),
    ),
  );
  console.log(`${sizes.length} files`);
}

try {
  await main();
} finally {
  for (const closer of closers.reverse()) await closer();
}
