import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import type { Plan, StoreAllowances } from "../contract/limits.ts";
import { allScopes, type Scope } from "../contract/scopes.ts";
import { type Api, type ApiFoundations, composeApi, nothingServed } from "../server/main/compose.ts";
import { MemoryCache } from "../server/platform/cache/memory.ts";
import type { Calendar } from "../server/platform/clock.ts";
import { readConfig } from "../server/platform/config.ts";
import type { Database } from "../server/platform/database/database.ts";
import { openFiles } from "../server/platform/files/open.ts";
import { parseId } from "../server/platform/ids.ts";
import { openLog } from "../server/platform/log.ts";
import { openSecrets } from "../server/platform/secrets.ts";
import { StoreCalendars } from "../server/platform/store-calendars.ts";
import { createKey, createStore, updateStore } from "../server/stores/admin.ts";
import { TestCopies } from "./copies.ts";
import { openTestDatabase } from "./database.ts";
import { inMemory } from "./in-memory.ts";

/** A calendar that stands still until it is moved. */
export class ManualCalendar implements Calendar {
  #now = Date.parse("2026-03-10T12:00:00.000Z");
  now = (): number => this.#now;
  afterReal = (milliseconds: number): number => this.#now + milliseconds;
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export interface TestStore {
  /** public id */
  id: string;
  /** UUID */
  uuid: string;
  publishableKey: string;
  commerceSecret: string;
  /** a key with every scope */
  key: string;
}

/** JSON of any shape: tests assert the fields that they expect. */
export type Body = ReturnType<typeof JSON.parse>;

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
  body: Body;
}

export interface TestApp {
  app: FastifyInstance;
  api: Api;
  database: Database;
  connection: pg.ClientConfig;
  calendar: ManualCalendar;
  /** elapsed time of limiter and caches; it stands still unless moved, so that buckets do not leak while a test runs */
  passTime(milliseconds: number): void;
  foundations: ApiFoundations;
  logged: string[];
  store(options?: { plan?: Plan; timezone?: string; currency?: string }): Promise<TestStore>;
  /** does the same as `quizstore store update` */
  update(store: TestStore, change: { plan?: Plan; limits?: Partial<StoreAllowances> }): Promise<void>;
  /** another app with the same database, closed together with this one */
  compose(overrides: Partial<ApiFoundations>): FastifyInstance;
  key(
    store: TestStore,
    scopes: readonly Scope[],
    options?: { expires?: string; admin?: string; test?: boolean },
  ): Promise<string>;
  request(
    method: string,
    url: string,
    options?: { key?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answered>;
  close(): Promise<void>;
}

/** For a worker that polls for its work. */
export const neverWoken = { on: () => () => undefined };

/** Sends requests to an app without a network. */
export const requester =
  (app: FastifyInstance): TestApp["request"] =>
  async (method, url, { key: apiKey, body, headers = {} } = {}) => {
    const answer = await app.inject({
      method: method as "GET",
      url,
      headers: {
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = answer.body;
    const json = /json/.test(String(answer.headers["content-type"] ?? ""));
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      body: json && text !== "" ? JSON.parse(text) : null,
    };
  };

/** The whole API with its own database, without a network. */
export async function openTestApp(overrides: Partial<ApiFoundations> = {}): Promise<TestApp> {
  const logged: string[] = [];
  const log = openLog("debug", { write: (line: string) => void logged.push(line) });
  const { database, intakeDatabase, connection, close } = await openTestDatabase(log);
  const calendar = new ManualCalendar();
  const dataDir = mkdtempSync(join(tmpdir(), "quizstore-app-"));
  let elapsed = 0;
  const facts = new TestCopies({ database, calendar, elapsed: () => performance.now(), random: randomBytes, log });
  const { config = readConfig({ BASE_URL: "http://api.test", DATA_DIR: dataDir }) } = overrides;
  const foundations: ApiFoundations = {
    ...nothingServed,
    config,
    database,
    intakeDatabase,
    calendar: new StoreCalendars(calendar),
    ...inMemory(() => elapsed),
    random: randomBytes,
    secrets: openSecrets("a secret key for tests, long enough", randomBytes),
    log,
    facts,
    files: openFiles(config.exportStorage),
    checkAnswers: true,
    passwordCost: { N: 2 ** 8, r: 8, p: 1 },
    // names resolve by their prefix: `private.` to an internal address, `unknown.` not at all
    resolveHost: async (host) => {
      if (host.startsWith("unknown.")) throw new Error("the name has no address");
      return [host.startsWith("private.") ? "10.0.0.8" : "8.8.8.8"];
    },
    ...overrides,
  };
  const api = composeApi(foundations);
  await api.app.ready();
  const composed: FastifyInstance[] = [];
  let stores = 0;
  const key: TestApp["key"] = async (store, scopes, options = {}) => {
    const made = await database.transaction((tx) => createKey(tx, foundations, store.uuid, { scopes, ...options }));
    return made.key;
  };
  return {
    app: api.app,
    api,
    database,
    connection,
    calendar,
    passTime: (milliseconds) => {
      elapsed += milliseconds;
    },
    foundations,
    logged,
    update: (store, change) => database.transaction(async (tx) => void (await updateStore(tx, store.uuid, change))),
    compose: (more) => {
      const { app } = composeApi({ ...foundations, cache: new MemoryCache(() => elapsed), ...more });
      composed.push(app);
      return app;
    },
    key,
    store: async ({ plan = "plus", timezone = "UTC", currency = "USD" } = {}) => {
      stores += 1;
      const shopDomain = `shop-${stores}.example.com`;
      const given = { name: `Shop ${stores}`, shopDomain, plan, timezone, currency };
      const made = await database.transaction((tx) => createStore(tx, foundations, given));
      const uuid = parseId("store", made.store_id) ?? "";
      const store = {
        id: made.store_id,
        uuid,
        publishableKey: made.publishable_key,
        commerceSecret: made.commerce_secret,
        key: "",
      };
      return { ...store, key: await key(store, allScopes) };
    },
    request: requester(api.app),
    close: async () => {
      for (const app of composed) await app.close();
      await api.app.close();
      foundations.files.close();
      rmSync(dataDir, { recursive: true, force: true });
      await close();
    },
  };
}
