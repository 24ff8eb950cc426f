import pg from "pg";
import { type OwnApi, openOwnApi, untilCopied } from "../testkit/own-api.ts";
import type { SeededStore } from "../testkit/seeded/history.ts";
import { seedStores } from "../testkit/seeded/stores.ts";
import { handWritten, inOwnTables, inPostgres, preparePostgres, type Question, questions } from "./search-questions.ts";
import { dayBefore, printRow, roomy, timed } from "./support.ts";

/**
 * Measures people search, the filtered list and the detail, through the whole API. Each search is compared, in the same
 * run, with: a hand-written statement over the same copy; PostgreSQL's best plan over a table of answers that is
 * created and indexed for it; and its best plan over the product's own tables, with their JSON indexed. Targets: one
 * term below 100 ms, the worst legal body below 1.5 s, each at most 1.5 times the hand-written statement and a fifth of
 * PostgreSQL's time; list page below 15 ms, detail below 10 ms.
 *
 *   node bench/search.ts [sessions, 100000] [people, three in ten] [rounds, 15]
 */

const sessions = Number(process.argv[2] ?? 100_000);
const people = Number(process.argv[3] ?? Math.round(sessions * 0.3));
const rounds = Number(process.argv[4] ?? 15);

const shown = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

function searchApi({ api, opened }: OwnApi, store: SeededStore) {
  const headers = { authorization: `Bearer ${store.key}`, "content-type": "application/json" };
  const ask = async (method: "GET" | "POST", url: string, body?: unknown) => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await api.app.inject({ method, url, headers, ...payload });
    if (answer.statusCode !== 200) throw new Error(`${method} ${url}: ${answer.body}`);
    return answer.json();
  };
  return { ask, facts: opened.facts, store };
}

type SearchApi = ReturnType<typeof searchApi>;

async function compare({ ask, facts, store }: SearchApi, client: pg.Client, question: Question): Promise<void> {
  const body = question.bodyOf(store);
  const { total } = await ask("POST", "/v1/profiles/search?limit=20", body);
  const ours = await timed(() => ask("POST", "/v1/profiles/search?limit=20", body), rounds);
  const statement = { sql: handWritten(store, question), parameters: [] };
  const byHand = await timed(() => facts.read(store.id, (query) => query(statement)), rounds);
  const indexed = await timed(() => client.query(inPostgres(store, question)), Math.min(rounds, 3));
  const own = await timed(() => client.query(inOwnTables(store, question)), 1);
  const ratios = [(ours / byHand).toFixed(2), (indexed / ours).toFixed(1), (own / ours).toFixed(0)];
  printRow(question.name, total, shown(ours), shown(byHand), shown(indexed), shown(own), ...ratios);
}

async function measureReads({ ask, store }: SearchApi): Promise<void> {
  const lists = {
    list: "",
    "list, one quiz": `&quiz_id=${store.quizzes[1]?.quiz}`,
    "list, one old day": `&from=${dayBefore(80)}&to=${dayBefore(80)}`,
    "list, long ago": `&to=${dayBefore(70)}`,
    "list, part of an email": "&q=shopper1234",
    "list, part of many": "&q=example&has_email=true",
  };
  const { data } = await ask("GET", "/v1/profiles?limit=20");
  for (const [name, query] of Object.entries(lists)) {
    printRow(name, "", shown(await timed(() => ask("GET", `/v1/profiles?limit=20${query}`), rounds)));
  }
  printRow("detail", "", shown(await timed(() => ask("GET", `/v1/profiles/${data[0].id}`), rounds)));
}

async function main(): Promise<void> {
  const own = await openOwnApi();
  try {
    const [store] = await seedStores(own, [{ sessions, people, quizzes: 5, plan: "plus", limits: roomy }]);
    if (store === undefined) throw new Error("no store was made");
    const client = new pg.Client(own.database.connection);
    // after a failure, the database is dropped while this is still connected
    client.on("error", () => undefined);
    await client.connect();
    await preparePostgres(client, store);
    await untilCopied(own, store.id);
    const api = searchApi(own, store);
    printRow("", "people", "product", "by hand", "PG, made for it", "PG, own tables", "/ by hand", "faster", "faster");
    for (const question of questions) await compare(api, client, question);
    await measureReads(api);
    const { factsMemoryMb } = own.config;
    console.log(`memory limit ${factsMemoryMb} MB; RSS ${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MB`);
    await client.end();
  } finally {
    await own.close();
  }
}

await main();
