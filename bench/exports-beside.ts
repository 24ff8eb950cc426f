import { setTimeout as pause } from "node:timers/promises";
import { Closers } from "../server/main/closers.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { seedDatabase } from "../testkit/seeded/stores.ts";
import type { RunReport } from "./load-generator.ts";
import type { LoadTarget } from "./load-mix.ts";
import { Clients, newSecretKey, startProgram } from "./load-programs.ts";
import { median, printRow, roomy } from "./support.ts";

/**
 * Measures how builds of export files affect shopper events and people searches at a fixed rate, alternating between
 * phases without builds and with continuous builds; for one large shop, and for three at once (two build, one waits),
 * each with the default pause between pages. Targets: p99 of shopper events rises by less than 20 %, and searches are
 * not starved.
 *
 *   node bench/exports-beside.ts [sessions of each of three shops, 100000] [requests a second, 60] [seconds a phase, 30]
 */

const sessions = Number(process.argv[2] ?? 100_000);
const requestsPerSecond = Number(process.argv[3] ?? 60);
const milliseconds = Number(process.argv[4] ?? 30) * 1_000;
const turns = 3;
const formats = ["csv", "json"] as const;

const closers = new Closers();

interface Built {
  id: string;
  status: string;
  row_count: number | null;
}

async function ask(origin: string, { key }: LoadTarget, format: string): Promise<string> {
  const answer = await fetch(`${origin}/v1/exports`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ dataset: "responses", format }),
  });
  if (answer.status !== 202) throw new Error(`an export was refused: ${await answer.text()}`);
  return ((await answer.json()) as Built).id;
}

async function read(origin: string, { key }: LoadTarget, id: string): Promise<Built> {
  const answer = await fetch(`${origin}/v1/exports/${id}`, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.json()) as Built;
}

/** Keeps one export of each shop running until it is told to stop; returns the number of rows built. */
function keepBuilding(origin: string, shops: readonly LoadTarget[]): () => Promise<number> {
  let going = true;
  const each = async (shop: LoadTarget): Promise<number> => {
    let rows = 0;
    for (let turn = 0; going; turn++) {
      const id = await ask(origin, shop, formats[turn % formats.length] ?? "csv");
      for (let built = await read(origin, shop, id); ; built = await read(origin, shop, id)) {
        if (built.status === "completed") rows += built.row_count ?? 0;
        if (built.status === "completed" || built.status === "failed") break;
        await pause(250);
      }
    }
    return rows;
  };
  const all = Promise.all(shops.map(each));
  return async () => {
    going = false;
    return (await all).reduce((sum, rows) => sum + rows, 0);
  };
}

const kindOf = ({ kinds }: RunReport, name: string) => {
  const found = kinds.find(({ kind }) => kind === name);
  if (!found) throw new Error(`${name} was never asked`);
  return found;
};

async function main(): Promise<void> {
  const secretKey = newSecretKey();
  const database = await openOwnDatabase();
  closers.add(() => database.close());
  const plan = { sessions, quizzes: 2, plan: "enterprise" as const, limits: roomy };
  // the mix requests exports itself, here of a small store, and exceeds another store's limits
  const small = { ...plan, sessions: 100 };
  const plans = [plan, plan, plan, small, { ...small, limits: {} }];
  const stores = await seedDatabase(database.connection, secretKey, plans);
  const targets = stores.map((store, index) => ({
    ...{ ...store, subscribed: false, exported: index === 3, hammered: index === 4 },
  }));
  const program = await startProgram(database.connection, secretKey, "127.0.0.1:1");
  closers.add(() => program.stop());
  const clients = new Clients(() => undefined);
  closers.add(() => clients.stop());
  await clients.prepare({ origin: program.origin, targets });
  const phases = { none: [], one: targets.slice(0, 1), three: targets.slice(0, 3) };
  const runs: Record<keyof typeof phases, RunReport[]> = { none: [], one: [], three: [] };
  for (let turn = 0; turn < turns; turn++) {
    for (const [name, shops] of Object.entries(phases)) {
      const stop = keepBuilding(program.origin, shops);
      runs[name as keyof typeof phases].push(await clients.run({ requestsPerSecond, milliseconds, warmUpMs: 5_000 }));
      const rows = await stop();
      if (shops.length > 0) console.log(`${rows.toLocaleString("en")} rows built beside it`);
    }
  }
  printRow("exports under way", "events p50", "events p99", "searches p50", "searches p99", "errors");
  for (const [name, reports] of Object.entries(runs)) {
    const of = (kind: string, figure: "p50" | "p99") =>
      `${median(reports.map((report) => kindOf(report, kind)[figure])).toFixed(1)} ms`;
    const errors = reports.reduce((sum, report) => sum + report.errors, 0);
    const events = [of("shopper events", "p50"), of("shopper events", "p99")];
    printRow(name, ...events, of("people search", "p50"), of("people search", "p99"), errors);
  }
}

try {
  await main();
} finally {
  await closers.close();
}
