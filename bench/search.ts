import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { formatId } from "../server/platform/ids.ts";
import { openSecrets } from "../server/platform/secrets.ts";
import { createKey } from "../server/stores/admin.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { benchSecretKey, factsMemoryMb, openBenchApi } from "./api.ts";
import { benchQuiz, benchStore, historyEnd, seedFacts } from "./facts-data.ts";
import { handWritten, inOwnTables, inPostgres, preparePostgres, type Question, questions } from "./search-questions.ts";
import { median, printRow } from "./support.ts";

/**
 * People search, the filtered list and the detail, through the whole API. Beside each search, in the same run: the
 * statement that somebody would write by hand over the same copy; PostgreSQL's best plan over a table of answers that is
 * made and indexed for it; and its best plan over the product's own tables, their JSON indexed. Targets: one term below 100 ms, the worst legal body below 1.5 s, each at most 1.5 times the
 * hand-written statement and a fifth of PostgreSQL's time; list page below 15 ms, detail below 10 ms.
 *
 *   node bench/search.ts [sessions, 100000] [people, three in ten] [rounds, 15]
 */

const sessions = Number(process.argv[2] ?? 100_000);
const people = Number(process.argv[3] ?? Math.round(sessions * 0.3));
const rounds = Number(process.argv[4] ?? 15);

async function timed(work: () => Promise<unknown>, times = rounds): Promise<number> {
  const taken: number[] = [];
  // the first is not counted: it finds caches cold
  for (let round = 0; round <= times; round++) {
    const begun = performance.now();
    await work();
    if (round > 0) taken.push(performance.now() - begun);
  }
  return median(taken);
}

const shown = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

async function openApi(connection: pg.ClientConfig, directory: string) {
  const now = () => historyEnd + 60_000;
  const { app, database, facts, close } = await openBenchApi(connection, directory, now);
  const calendar = { now, afterReal: (milliseconds: number) => now() + milliseconds };
  const deps = { calendar, random: randomBytes, secrets: openSecrets(benchSecretKey, randomBytes) };
  const { key } = await database.transaction((tx) => createKey(tx, deps, benchStore, { scopes: ["profiles:read"] }));
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const ask = async (method: "GET" | "POST", url: string, body?: unknown) => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await app.inject({ method, url, headers, ...payload });
    if (answer.statusCode !== 200) throw new Error(`${method} ${url}: ${answer.body}`);
    return answer.json();
  };
  return { ask, facts, close };
}

type SearchApi = Awaited<ReturnType<typeof openApi>>;

async function compare({ ask, facts }: SearchApi, client: pg.Client, question: Question): Promise<void> {
  const { total } = await ask("POST", "/v1/profiles/search?limit=20", question.body);
  const ours = await timed(() => ask("POST", "/v1/profiles/search?limit=20", question.body));
  const byHand = await timed(() =>
    facts.read(benchStore, (query) => query({ sql: handWritten(question), parameters: [] })),
  );
  const indexed = await timed(() => client.query(inPostgres(question)), Math.min(rounds, 3));
  const own = await timed(() => client.query(inOwnTables(question)), 1);
  const ratios = [(ours / byHand).toFixed(2), (indexed / ours).toFixed(1), (own / ours).toFixed(0)];
  printRow(question.name, total, shown(ours), shown(byHand), shown(indexed), shown(own), ...ratios);
}

async function measureReads({ ask }: SearchApi): Promise<void> {
  const quiz = formatId("quiz", benchQuiz(1));
  const lists = {
    list: "",
    "list, one quiz": `&quiz_id=${quiz}`,
    "list, one old day": "&from=2026-01-10&to=2026-01-10",
    "list, long ago": "&to=2026-01-20",
    "list, part of an email": "&q=shopper1234",
    "list, part of many": "&q=example&has_email=true",
  };
  const { data } = await ask("GET", "/v1/profiles?limit=20");
  for (const [name, query] of Object.entries(lists)) {
    printRow(name, "", shown(await timed(() => ask("GET", `/v1/profiles?limit=20${query}`))));
  }
  printRow("detail", "", shown(await timed(() => ask("GET", `/v1/profiles/${data[0].id}`))));
}

async function main(): Promise<void> {
  const database = await openOwnDatabase();
  const directory = await mkdtemp(join(tmpdir(), "quizstore-search-"));
  try {
    const client = new pg.Client(database.connection);
    // after a failure the database goes while this is still connected
    client.on("error", () => undefined);
    await client.connect();
    await seedFacts(client, { people, sessions });
    await client.query(`UPDATE stores SET limits = '{"capacity": 1000000000, "leak_per_second": 1000000000}'`);
    await preparePostgres(client);
    const api = await openApi(database.connection, directory);
    await api.facts.ask(benchStore, { sql: "SELECT 1 AS loaded", parameters: [] });
    printRow("", "people", "product", "by hand", "PG, made for it", "PG, own tables", "/ by hand", "faster", "faster");
    for (const question of questions) await compare(api, client, question);
    await measureReads(api);
    console.log(`memory limit ${factsMemoryMb} MB; RSS ${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MB`);
    await client.end();
    await api.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
    await database.close();
  }
}

await main();
