import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Client, client } from "../journeys/http.ts";
import { run } from "../journeys/program.ts";
import { everyScope } from "../journeys/shop.ts";
import { openEmbedded } from "../server/platform/embedded-postgres/open-embedded.ts";
import { parseId } from "../server/platform/ids.ts";
import { freePort } from "../testkit/machine.ts";
import { databaseUrl, entryOf, type RealProcess, startProcess } from "../testkit/real-processes.ts";
import { type AttackedQuiz, attackedQuizzes } from "./attack-quizzes.ts";

/**
 * Where attacks take place: PostgreSQL, `quizstore serve` and `quizstore work` of any checkout, an attacked store and
 * two neighbours. That checkout's own command line creates everything, so that the program can be attacked before and
 * after a change.
 */

export interface WorldQuiz {
  quiz_id: string;
  version_id: string;
}

export interface WorldShop {
  storeId: string;
  uuid: string;
  publishableKey: string;
  commerceSecret: string;
  domain: string;
  /** with every scope */
  key: string;
}

export interface AttackedShop extends WorldShop {
  quizzes: Record<AttackedQuiz, WorldQuiz>;
}

export interface NeighbourShop extends WorldShop {
  quiz: WorldQuiz;
}

/** The program, as started for one attack. */
export interface Ground {
  url: string;
  victim: AttackedShop;
  neighbours: readonly NeighbourShop[];
  /** for the attacked store */
  api: Client;
  client: pg.Client;
  connection: pg.ClientConfig;
  postmaster: number;
  data: string;
  serve: RealProcess;
  work: RealProcess;
  clockSpeed: number;
  /** faults in how it ended, such as a process that ignores SIGTERM */
  close(): Promise<string[]>;
}

export interface World {
  open(settings?: Readonly<Record<string, string>>): Promise<Ground>;
  close(): Promise<void>;
}

// the same as in deploy/
const memoryOfServe = { NODE_OPTIONS: "--max-semi-space-size=16", UV_THREADPOOL_SIZE: "8" };
const memoryOfWork = { NODE_OPTIONS: "--max-semi-space-size=16 --max-old-space-size=1024", MALLOC_ARENA_MAX: "2" };

/** High limits for keys, so that none is reached by accident; requests without a key have their usual limits. */
const roomy = JSON.stringify({ capacity: 1_000_000, leak_per_second: 1_000_000, analytics_soft_ttl_seconds: 1 });

type Operate = <T>(...args: string[]) => Promise<T>;

function operator(checkout: string, settings: Readonly<Record<string, string>>): Operate {
  return async <T>(...args: string[]): Promise<T> => {
    const outcome = await run([...args, "--json"], settings, entryOf(checkout));
    if (outcome.status !== 0) throw new Error(`quizstore ${args.join(" ")}: ${outcome.status}\n${outcome.stderr}`);
    // the caller knows the type of a command's result
    return outcome.json as T;
  };
}

async function openShop(operate: Operate, name: string): Promise<WorldShop> {
  const domain = `shop-${randomBytes(5).toString("hex")}.myshopify.com`;
  const made = await operate<{ store_id: string; publishable_key: string; commerce_secret: string }>(
    ...["store", "create", "--name", name, "--shop-domain", domain, "--plan", "enterprise"],
    ...["--timezone", "UTC", "--currency", "EUR"],
  );
  const { store_id: storeId, publishable_key: publishableKey, commerce_secret: commerceSecret } = made;
  await operate("store", "update", storeId, "--limits", roomy);
  const { key } = await operate<{ key: string }>("key", "create", "--store", storeId, "--scopes", everyScope.join(","));
  return { storeId, uuid: parseId("store", storeId) ?? "", publishableKey, commerceSecret, domain, key };
}

async function importQuiz(operate: Operate, folder: string, shop: WorldShop, name: AttackedQuiz): Promise<WorldQuiz> {
  const file = join(folder, `${shop.storeId}-${name}.json`);
  await writeFile(file, JSON.stringify(attackedQuizzes[name]));
  return operate<WorldQuiz>("quiz", "import", file, "--store", shop.storeId, "--name", name, "--publish");
}

async function openVictim(operate: Operate, folder: string): Promise<AttackedShop> {
  const shop = await openShop(operate, "Attacked");
  const quizzes: Partial<Record<AttackedQuiz, WorldQuiz>> = {};
  for (const name of Object.keys(attackedQuizzes) as AttackedQuiz[]) {
    quizzes[name] = await importQuiz(operate, folder, shop, name);
  }
  return { ...shop, quizzes: quizzes as Record<AttackedQuiz, WorldQuiz> };
}

async function openNeighbour(operate: Operate, folder: string): Promise<NeighbourShop> {
  const shop = await openShop(operate, "Neighbour");
  const quiz = await importQuiz(operate, folder, shop, "short");
  await operate("demo", "--store", shop.storeId, "--sessions", "60", "--days", "10");
  return { ...shop, quiz };
}

interface Made {
  victim: AttackedShop;
  neighbours: NeighbourShop[];
}

async function fillTemplate(operate: Operate, folder: string): Promise<Made> {
  await operate("migrate");
  const [victim, ...neighbours] = await Promise.all([
    openVictim(operate, folder),
    openNeighbour(operate, folder),
    openNeighbour(operate, folder),
  ]);
  return { victim, neighbours };
}

/** Sends SIGTERM, and kills the process if it ignores it. */
async function end(name: string, process: RealProcess): Promise<string[]> {
  if (process.ended()) return [`${name} ended by itself`];
  const timer = setTimeout(() => void process.kill(), 45_000);
  const status = await process.stop();
  clearTimeout(timer);
  return status === 0 ? [] : [`${name} did not end within 45 s of SIGTERM (${status})`];
}

interface Template {
  admin: pg.Client;
  made: Made;
  secretKey: string;
  postmaster: number;
  checkout: string;
}

async function openGround({ admin, made, secretKey, postmaster, checkout }: Template, more: Record<string, string>) {
  const database = `attack_${randomBytes(4).toString("hex")}`;
  await admin.query(`CREATE DATABASE ${database} TEMPLATE attack_template`);
  const { host, port, user } = admin;
  const connection: pg.ClientConfig = { host, port, database, ...(user ? { user } : {}) };
  const data = await mkdtemp(join(tmpdir(), "quizstore-attack-"));
  const listens = await freePort();
  const url = `http://127.0.0.1:${listens}`;
  const settings = { DATABASE_URL: databaseUrl(connection), SECRET_KEY: secretKey, DATA_DIR: data, ...more };
  const addressed = { ...settings, BASE_URL: url, WEBHOOK_ALLOW_HOSTS: "127.0.0.1:9" };
  const serve = startProcess(["serve", "--port", String(listens)], { ...addressed, ...memoryOfServe }, checkout);
  const work = startProcess(["work"], { ...addressed, ...memoryOfWork }, checkout);
  const looking = new pg.Client(connection);
  const close = async () => {
    const faults = (await Promise.all([end("serve", serve), end("work", work)])).flat();
    await looking.end();
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await rm(data, { recursive: true, force: true });
    return faults;
  };
  try {
    await looking.connect();
    await Promise.all([serve.untilReady(180), work.untilReady(180)]);
  } catch (error) {
    await close();
    throw error;
  }
  const api = client(url, made.victim.key);
  const clockSpeed = Number(more["CLOCK_SPEED"] ?? 1);
  return { ...made, url, api, client: looking, connection, postmaster, data, serve, work, clockSpeed, close };
}

/** @param checkout the root of the checkout whose program is attacked */
export async function openWorld(checkout: string): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "quizstore-attacks-"));
  // what requests cost is measured for a second or two, in which an analysis of tables would count as theirs
  const settings = { autovacuum_naptime: "60s" };
  const embedded = await openEmbedded({ dataDir: folder, role: "command", log: () => undefined, settings });
  const admin = new pg.Client(embedded.connection);
  const close = async () => {
    await admin.end();
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await admin.connect();
    await admin.query("CREATE DATABASE attack_template");
    const connection = { ...embedded.connection, database: "attack_template" };
    const secretKey = randomBytes(32).toString("hex");
    const settings = {
      DATABASE_URL: databaseUrl(connection),
      SECRET_KEY: secretKey,
      DATA_DIR: join(folder, "commands"),
    };
    const made = await fillTemplate(operator(checkout, settings), folder);
    const template = { admin, made, secretKey, postmaster: embedded.postmasterPid, checkout };
    return { open: (more = {}) => openGround(template, more), close };
  } catch (error) {
    await close();
    throw error;
  }
}
