import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { copyOut } from "../server/columnar-copy/copy-out.ts";
import { buildDueExports } from "../server/exports/writing/builds.ts";
import type { Database } from "../server/platform/database/database.ts";
import { LocalFiles } from "../server/platform/files/local.ts";
import { VersionCache } from "../server/quizzes/public.ts";
import { omittedFields } from "../server/sessions/payloads/read.ts";
import { type OwnApi, openOwnApi, untilCopied } from "../testkit/own-api.ts";
import type { SeededStore } from "../testkit/seeded/history.ts";
import { seedStores } from "../testkit/seeded/stores.ts";
import { printRow } from "./support.ts";

/**
 * Measures building export files: rows per second, and memory above that of the idle process. The baseline is
 * PostgreSQL's own COPY of the responses' source rows to a file.
 *
 *   node --expose-gc --max-semi-space-size=64 bench/exports.ts [sessions, 50000] [people, three in ten] [pause between pages in ms, 0]
 */

const sessions = Number(process.argv[2] ?? 50_000);
const people = Number(process.argv[3] ?? Math.round(sessions * 0.3));
const pauseMs = Number(process.argv[4] ?? 0);

const sameRows = (
  storeId: string,
) => `SELECT id, quiz_id, version_id, visitor_id, channel, placement, country, region, page_url, utm_source,
    utm_medium, utm_campaign, utm_content, utm_term, device_class, device, state - '{${omittedFields.join()}}'::text[] AS state
  FROM sessions WHERE store_id = '${storeId}' AND started_at IS NOT NULL AND NOT preview ORDER BY started_at, id`;

interface Measured {
  seconds: number;
  processor: number;
  /** MB above that of the idle process */
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

async function copyAlone(database: Database, storeId: string, folder: string): Promise<void> {
  const client = await database.dedicated();
  let parts = 0;
  const nextPath = () => join(folder, `copy-${++parts}.csv`);
  try {
    await client.query("SET statement_timeout = 0");
    await copyOut(client, sameRows(storeId), { partBytes: 8 << 20, nextPath, work: (path) => rm(path) });
  } finally {
    // its changed setting makes it useless to others
    client.release(true);
  }
}

interface Wanted {
  dataset: string;
  format?: "json" | "ndjson" | "xlsx" | "parquet";
  ofOneQuiz?: true;
  search?: object;
}

async function ask(client: pg.PoolClient, store: SeededStore, { dataset, format, ofOneQuiz, search }: Wanted) {
  const quiz_id = ofOneQuiz ? store.quizzes[0]?.quiz : null;
  const filters = { from: null, to: null, quiz_id, search: search ?? null, tz: null };
  const id = randomUUID();
  // overdue by a margin, whatever the database's clock says
  const at = new Date(Date.now() - 60_000);
  await client.query(
    `INSERT INTO exports (store_id, id, dataset, format, status, source, filters, requested_at, expires_at, due_at)
     VALUES ($1, $2, $3, $4, 'pending', 'api', $5, $6, $6::timestamptz + interval '1 day', $6)`,
    [store.id, id, dataset, format ?? "csv", JSON.stringify(filters), at],
  );
  return id;
}

async function builtRow(client: pg.PoolClient, id: string): Promise<{ row_count: number; bytes: number }> {
  const sql = "SELECT row_count::int, bytes::float8, status FROM exports WHERE id = $1";
  const [row] = (await client.query(sql, [id])).rows;
  if (row.status !== "completed") throw new Error(`the export is ${row.status}`);
  return row;
}

type Case = [name: string, wanted: Wanted];

const withoutCopy: Case[] = [
  ["responses, CSV", { dataset: "responses" }],
  ["responses, JSON", { dataset: "responses", format: "json" }],
  ["responses, NDJSON", { dataset: "responses", format: "ndjson" }],
  ["responses, XLSX", { dataset: "responses", format: "xlsx" }],
  ["responses, Parquet", { dataset: "responses", format: "parquet" }],
  ["responses of one quiz, CSV", { dataset: "responses", ofOneQuiz: true }],
  ["profiles, CSV", { dataset: "profiles" }],
];

const withCopy: Case[] = [
  ["responses of a search, CSV", { dataset: "responses", search: { has_email: true } }],
  ["profiles of a search, CSV", { dataset: "profiles", search: { has_marketing_consent: true } }],
  ["quiz_analytics, CSV", { dataset: "quiz_analytics" }],
];

/**
 * Measures the memory of a process that has built something small, and again after it has loaded the copy: the rest is
 * the build's.
 */
function rest(): void {
  globalThis.gc?.();
  idle = process.memoryUsage.rss();
}

async function measureBuilds(api: OwnApi): Promise<void> {
  const limits = { export_page_pause_ms: pauseMs };
  const [store] = await seedStores(api, [{ sessions, people, quizzes: 5, plan: "plus", limits }]);
  if (store === undefined) throw new Error("no store was made");
  const { database } = api.opened;
  const folder = await mkdtemp(join(tmpdir(), "quizstore-exports-"));
  const client = await database.dedicated();
  const storage = new LocalFiles(join(folder, "files"));
  const deps = {
    ...{ ...api.opened, versions: new VersionCache(), storage },
    baseUrl: "https://api.example.com",
  };
  const cells = ["rows", "MB", "rows/s", "times COPY", "processor s", "MB above"];
  printRow(`${sessions} sessions, pause ${pauseMs} ms`, ...cells);
  try {
    // the first of each runs with the database's cache, and the program, cold
    await ask(client, store, { dataset: "responses", format: "json", ofOneQuiz: true });
    await buildDueExports(deps);
    rest();
    await copyAlone(database, store.id, folder);
    const copy = await measure(() => copyAlone(database, store.id, folder));
    const floor = sessions / copy.seconds;
    printRow("COPY of the rows", sessions, "", Math.round(floor), "", copy.processor.toFixed(1), copy.memory);
    const build = async ([name, wanted]: Case) => {
      const asked = await ask(client, store, wanted);
      const measured = await measure(() => buildDueExports(deps));
      const { row_count: rows, bytes } = await builtRow(client, asked);
      const rate = rows / measured.seconds;
      const figures = [rows, (bytes / 1e6).toFixed(1), Math.round(rate), (rate / floor).toFixed(2)];
      printRow(name, ...figures, measured.processor.toFixed(1), measured.memory);
    };
    for (const each of withoutCopy) await build(each);
    const load = await measure(() => untilCopied(api, store.id));
    printRow("(load of the columnar copy)", sessions, "", "", "", load.processor.toFixed(1), load.memory);
    rest();
    for (const each of withCopy) await build(each);
    console.log(`${(await readdir(join(folder, "files", store.id))).length} files`);
  } finally {
    client.release();
    await rm(folder, { recursive: true, force: true });
  }
}

const api = await openOwnApi();
try {
  await measureBuilds(api);
} finally {
  await api.close();
}
