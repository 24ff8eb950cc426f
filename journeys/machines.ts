import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { inject } from "vitest";
import { freePort } from "../testkit/machine.ts";
import { cloneDatabase, dropDatabase } from "../testkit/nodes.ts";
import type { TestRedis } from "../testkit/redis.ts";
import { type Answer, type Client, client, type Problem, request } from "./http.ts";
import { answers, cleanUp, documentOf, freshFolder, launch, type Running, type Settings } from "./program.ts";
import { openStorage, type Storage } from "./storage.ts";
import type { Live } from "./visit.ts";

/** One service on several machines: `serve` and `work` processes on one database, each with its own folder. */

export interface Serve extends Running {
  url: string;
}

export interface Shop {
  store_id: string;
  publishable_key: string;
  key: string;
}

export interface Machines {
  serves: Serve[];
  storage: Storage;
  /** The database, for journeys that disturb it. */
  connection: pg.ClientConfig;
  startServe: () => Promise<Serve>;
  startWork: () => Promise<Running>;
  /** Runs a command that has to succeed on the same database; returns its output document. */
  command: <T>(...args: string[]) => Promise<T>;
  openShop: (limits?: Record<string, number>) => Promise<Shop>;
  /** Imports and publishes a quiz; visits go to the given process. */
  publish: (shop: Shop, document: unknown, serve: Serve, ...more: string[]) => Promise<Live>;
  close: () => Promise<void>;
}

const scopes = "quizzes:read,quizzes:write,quizzes:publish,analytics:read,profiles:read,webhooks:manage";

/** A separate, migrated database. */
export async function openDatabase(): Promise<{ connection: pg.ClientConfig; url: string; drop: () => Promise<void> }> {
  const server = inject("postgres");
  const name = `quizstore_machines_${process.pid}_${randomBytes(4).toString("hex")}`;
  const workers = inject("workers");
  await cloneDatabase(server, inject("template"), name, workers);
  const { user = "postgres", host = "127.0.0.1", port = 5432, password = "" } = server;
  const secret = typeof password === "string" && password !== "" ? `:${encodeURIComponent(password)}` : "";
  // the embedded server listens on a socket in a folder
  const place = host.startsWith("/") ? `localhost:${port}/${name}?host=${encodeURIComponent(host)}` : "";
  const url = `postgres://${encodeURIComponent(user)}${secret}@${place === "" ? `${host}:${port}/${name}` : place}`;
  const connection = { ...server, database: name };
  return { connection, url, drop: () => dropDatabase(server, name, workers) };
}

export interface MachinesOptions {
  serve: number;
  work: number;
  redis: TestRedis;
  settings?: Settings;
}

export async function openMachines({ redis, ...options }: MachinesOptions): Promise<Machines> {
  const [database, folder] = await Promise.all([openDatabase(), freshFolder()]);
  const storage = await openStorage(folder);
  const settings: Settings = {
    ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, SECRET_KEY: randomBytes(32).toString("hex") },
    ...{ BASE_URL: "https://quiz.test", ...storage.settings, ...options.settings },
  };
  const all: Running[] = [];
  const serves: Serve[] = [];
  let folders = 0;
  const ownFolder = (): string => join(folder, `machine-${++folders}`);
  const startServe = async (): Promise<Serve> => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const args = ["serve", "--data", ownFolder(), "--port", String(port)];
    const serve = { url, ...(await launch(args, settings, () => answers(url))) };
    all.push(serve);
    serves.push(serve);
    return serve;
  };
  const startWork = async (): Promise<Running> => {
    const isReady = ({ stderr }: { stderr: () => string }): boolean => stderr().includes('"ready"');
    const work = await launch(["work", "--data", ownFolder()], settings, isReady);
    all.push(work);
    return work;
  };
  const command = <T>(...args: string[]): Promise<T> => documentOf<T>(folder, args, settings);
  const close = async (): Promise<void> => {
    storage.release();
    await Promise.all(all.map((one) => one.stop()));
    await Promise.all([storage.close(), database.drop()]);
    await cleanUp(folder);
  };
  const made = { serves, storage, connection: database.connection, startServe, startWork, command, close };
  try {
    await Promise.all([
      ...Array.from({ length: options.serve }, startServe),
      ...Array.from({ length: options.work }, startWork),
    ]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...made,
    openShop: (limits) => openShop(command, limits),
    publish: (shop, document, serve, ...more) => publish(folder, command, shop, { document, serve, more }),
  };
}

type Command = Machines["command"];

async function openShop(command: Command, limits?: Record<string, number>): Promise<Shop> {
  const facts = ["--plan", "enterprise", "--timezone", "UTC", "--currency", "EUR"];
  const domain = `shop-${randomBytes(5).toString("hex")}.myshopify.com`;
  const made = await command<Omit<Shop, "key">>("store", "create", "--name", "Shop", "--shop-domain", domain, ...facts);
  if (limits) await command("store", "update", made.store_id, "--limits", JSON.stringify(limits));
  const { key } = await command<{ key: string }>("key", "create", "--store", made.store_id, "--scopes", scopes);
  return { ...made, key };
}

async function publish(
  folder: string,
  command: Command,
  shop: Shop,
  { document, serve, more }: { document: unknown; serve: Serve; more: string[] },
): Promise<Live> {
  const file = join(folder, `quiz-${randomBytes(5).toString("hex")}.json`);
  await writeFile(file, JSON.stringify(document));
  const args = ["quiz", "import", file, "--store", shop.store_id, "--name", "Quiz", "--publish", ...more];
  const { quiz_id, version_id } = await command<{ quiz_id: string; version_id: string }>(...args);
  return { url: serve.url, store: shop.publishable_key, quiz_id, version_id };
}

/**
 * A client that asks again, as it is told to, where Redis was not heard of within 50 ms [api.limiter-away]: on a busy
 * machine that happens to a Redis that is well.
 */
export function askingAgain(one: Client): Client {
  const again = async <T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> => {
    for (let tries = 1; ; tries += 1) {
      const answer = await ask();
      const isUnheard = answer.status === 503 && answer.text.includes("limiter_unavailable");
      if (!isUnheard || tries === 10) return answer;
      await pause(Number(answer.headers.get("retry-after")) * 1_000);
    }
  };
  return {
    get: <T = Problem>(...given: Parameters<Client["get"]>) => again(() => one.get<T>(...given)),
    post: <T = Problem>(...given: Parameters<Client["post"]>) => again(() => one.post<T>(...given)),
    delete: <T = Problem>(...given: Parameters<Client["delete"]>) => again(() => one.delete<T>(...given)),
    ask: <T = Problem>(...given: Parameters<Client["ask"]>) => again(() => one.ask<T>(...given)),
  };
}

/** A client whose calls go to the processes in turn, as behind a load balancer. */
export function inTurns(serves: readonly Serve[], key: string): Client {
  const clients = serves.map(({ url }) => askingAgain(client(url, key)));
  let calls = 0;
  const next = (): Client => {
    const chosen = clients[calls % clients.length];
    calls += 1;
    if (!chosen) throw new Error("no process serves");
    return chosen;
  };
  return {
    get: (path, headers) => next().get(path, headers),
    post: (path, body, headers) => next().post(path, body, headers),
    delete: (path) => next().delete(path),
    ask: (method, path, body) => next().ask(method, path, body),
  };
}

/** The same address on another process: links contain the load balancer's. */
export const at = (serve: Serve, address: string): string => {
  const { pathname, search } = new URL(address);
  return `${serve.url}${pathname}${search}`;
};

/** Loads a quiz like a shopper's browser. */
export const loadQuiz = (serve: Serve, { store, quiz_id }: Live): Promise<Answer<{ version_id: string }>> =>
  request(`${serve.url}/storefront/v1/quizzes/${quiz_id}?store=${store}`);
