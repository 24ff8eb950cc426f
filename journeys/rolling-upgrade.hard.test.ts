import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../testkit/machine.ts";
import { startRedis } from "../testkit/redis.ts";
import { planVisit } from "./buyer.ts";
import { type Checkout, layOut, newestMigration } from "./checkout.ts";
import { shortQuiz } from "./documents.ts";
import { client, type ListOf, type Person, pagesOf, request } from "./http.ts";
import { askingAgain, openDatabase } from "./machines.ts";
import { answers, cleanUp, freshFolder, launch, type Running, run, type Settings } from "./program.ts";
import { openReceiver, type Receiver, subscribe, verified } from "./receiver.ts";
import type { Shop } from "./shop.ts";
import type { Live } from "./visit.ts";

/** Two releases on one database, one migration apart, while shoppers and integrators go on (docs/operations.md). */

const redis = await startRedis();

interface Serve extends Running {
  url: string;
}

let folder: string;
let database: Awaited<ReturnType<typeof openDatabase>>;
let receiver: Receiver;
let settings: Settings;
let release: { old: Checkout | null; next: Checkout; contracted: Checkout };
let first: number;
let shop: Shop & { key: string };
let live: Omit<Live, "url">;
let secret: string;
let processes = 0;
const running: Running[] = [];

const expand = "ALTER TABLE profiles ADD COLUMN shoe_size integer;\n";
const index = `-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS profiles_by_shoe_size;
CREATE INDEX CONCURRENTLY profiles_by_shoe_size ON profiles (store_id, shoe_size);
`;
const numbered = (number: number, name: string): string => `${String(number).padStart(4, "0")}_${name}.sql`;

beforeAll(async () => {
  [folder, database, receiver, first] = await Promise.all([
    freshFolder(),
    openDatabase(),
    openReceiver(),
    newestMigration(),
  ]);
  settings = {
    ...{ DATABASE_URL: database.url, SECRET_KEY: randomBytes(32).toString("hex"), BASE_URL: "https://quiz.test" },
    ...{ EXPORT_STORAGE: join(folder, "exports"), WEBHOOK_ALLOW_HOSTS: receiver.host },
    ...(redis ? { REDIS_URL: redis.url } : {}),
  };
  const added = { [numbered(first + 1, "shoe_size")]: expand, [numbered(first + 2, "shoe_size_index")]: index };
  const dropped = `-- programs from ${String(first + 1).padStart(4, "0")} on\nALTER TABLE profiles DROP COLUMN visits_count;\n`;
  const next = await layOut(join(folder, "next"), added);
  const contracted = await layOut(join(folder, "contracted"), { ...added, [numbered(first + 3, "dropped")]: dropped });
  release = { old: null, next, contracted };
  await openShop();
}, 120_000);

afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await receiver?.close();
  await redis?.stop();
  await database?.drop();
  await cleanUp(folder);
});

const runOf = (checkout: Checkout | null, ...args: string[]) =>
  run([...args, "--data", join(folder, "operator")], { ...settings, ...checkout?.settings }, checkout?.program);

async function commandOf<T>(...args: string[]): Promise<T> {
  const { status, json, stderr } = await runOf(release.old, ...args, "--json");
  if (status !== 0) throw new Error(`quizstore ${args.join(" ")}: ${stderr}`);
  return json as T;
}

async function openShop(): Promise<void> {
  const facts = ["--plan", "enterprise", "--timezone", "UTC", "--currency", "EUR", "--name", "Shop"];
  const domain = "rolling.myshopify.com";
  const made = await commandOf<Omit<Shop, "domain">>("store", "create", "--shop-domain", domain, ...facts);
  const limits = JSON.stringify({ capacity: 100_000, leak_per_second: 10_000 });
  await commandOf("store", "update", made.store_id, "--limits", limits);
  const scopes = "quizzes:read,analytics:read,profiles:read,webhooks:manage";
  const { key } = await commandOf<{ key: string }>("key", "create", "--store", made.store_id, "--scopes", scopes);
  shop = { ...made, domain, key };
}

async function serveOf(checkout: Checkout | null): Promise<Serve> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ["serve", "--port", String(port), "--data", join(folder, `machine-${++processes}`)];
  const own = { ...settings, ...checkout?.settings };
  const serve = { url, ...(await launch(args, own, () => answers(url), checkout?.program)) };
  running.push(serve);
  return serve;
}

async function workOf(checkout: Checkout | null, more: Settings = {}): Promise<Running> {
  const args = ["work", "--data", join(folder, `machine-${++processes}`)];
  const own = { ...settings, ...checkout?.settings, ...more };
  const isReady = ({ stderr }: { stderr: () => string }) => stderr().includes('"ready"');
  const work = await launch(args, own, isReady, checkout?.program);
  running.push(work);
  return work;
}

type Ask = (url: string) => Promise<{ status: number; text: string }>;

/** Shoppers and an integrator, whose requests go to one process after the other, as behind a balancer. */
function traffic() {
  const behind: Serve[] = [];
  const mails: string[] = [];
  const errors: string[] = [];
  let [going, requests, turn] = [true, 0, 0];
  const underWay = new Map<string, number>();
  /** Of whoever is behind at this moment, and has not left before it has answered. */
  const answerTo = async (ask: Ask) => {
    turn += 1;
    const url = behind[turn % behind.length]?.url ?? "";
    const count = (more: number) => underWay.set(url, (underWay.get(url) ?? 0) + more);
    count(1);
    try {
      return await ask(url);
    } catch (error) {
      return { status: 0, text: String(error) };
    } finally {
      count(-1);
    }
  };
  const note = async (what: string, wanted: number, ask: Ask) => {
    requests += 1;
    let { status, text } = await answerTo(ask);
    // a machine that stalls for a tenth of a second finds Redis away [api.limiter-away]; whoever was told so asks again
    for (let tries = 0; status === 503 && text.includes("limiter_unavailable") && tries < 10; tries += 1) {
      await pause(500);
      ({ status, text } = await answerTo(ask));
    }
    if (status !== wanted) errors.push(`${what}: ${status} ${text}`);
    return status === wanted;
  };
  const shopping = async (): Promise<void> => {
    while (going) {
      const mail = `shopper.${randomBytes(5).toString("hex")}@example.com`;
      const at = { ...live, url: "" };
      const { shopper, events } = planVisit(at, mail);
      const send: Ask = (url) => {
        at.url = url;
        return shopper.visit.send(...events);
      };
      if (await note("events", 202, send)) mails.push(mail);
      await pause(15);
    }
  };
  const today = new Date().toISOString().slice(0, 10);
  const overview = `/v1/analytics/overview?from=${today}&to=${today}&tz=UTC`;
  const reading = async (): Promise<void> => {
    const of = (url: string) => client(url, shop.key);
    while (going) {
      await note("people", 200, (url) => of(url).get("/v1/profiles?limit=5"));
      await note("search", 200, (url) => of(url).post("/v1/profiles/search", { has_email: true }));
      await note("overview", 200, (url) => of(url).get(overview));
      await note("live quiz", 200, (url) =>
        request(`${url}/storefront/v1/quizzes/${live.quiz_id}?store=${live.store}`),
      );
      await pause(10);
    }
  };
  let under: Promise<void>[] = [];
  return {
    behind,
    mails,
    errors,
    begin: () => {
      under = [shopping(), shopping(), reading()];
    },
    /** Until that many requests more were answered by whoever is behind now. */
    more: async (count: number) => {
      for (const wanted = requests + count; requests < wanted && errors.length === 0; ) await pause(20);
    },
    /** A balancer stops sending before the process is told to stop. */
    leave: async (serve: Serve) => {
      behind.splice(behind.indexOf(serve), 1);
      while ((underWay.get(serve.url) ?? 0) > 0) await pause(20);
    },
    end: async () => {
      going = false;
      await Promise.all(under);
    },
  };
}

async function asked<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const db = new pg.Client(database.connection);
  await db.connect();
  return (await db.query<Row>(sql).finally(() => db.end())).rows;
}

it("goes from one release to the next and nobody notices [operations.migrations, operations.newer-database]", async () => {
  const old = { serve: await serveOf(release.old), work: await workOf(release.old) };
  live = { store: shop.publishable_key, ...(await importQuiz()) };
  const api = askingAgain(client(old.serve.url, shop.key));
  secret = (await subscribe(api, receiver.address("/told"), ["profile.created"], { include_pii: true })).secret;

  const load = traffic();
  load.behind.push(old.serve);
  load.begin();
  await load.more(40);

  // two machines that migrate at once take turns
  const outcomes = await Promise.all([1, 2].map(() => runOf(release.next, "migrate", "--json")));
  expect(outcomes.map(({ status, stderr }) => [status, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  const applied = outcomes.map(({ json }) => (json as { applied: string[] }).applied);
  expect(applied.flat().sort()).toEqual(["shoe_size", "shoe_size_index"]);
  await load.more(40);

  const next = { serve: await serveOf(release.next), work: await workOf(release.next) };
  load.behind.push(next.serve);
  await load.more(60);

  // a machine of the old release may fail meanwhile, and come back
  const again = await serveOf(release.old);
  expect(again.stderr()).toContain(`the schema is newer than this program: migration ${first + 2}, it knows ${first}`);
  load.behind.push(again);
  await load.more(60);

  for (const serve of [old.serve, again]) {
    await load.leave(serve);
    expect(await serve.stop()).toBe(0);
  }
  expect(await old.work.stop()).toBe(0);
  await load.more(40);
  await load.end();
  expect(load.errors.slice(0, 5)).toEqual([]);
  expect(load.mails.length).toBeGreaterThan(50);
  await expectAll(next.serve, load.mails);
  const [valid] = await asked<{ valid: boolean }>(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'profiles_by_shoe_size'::regclass",
  );
  expect(valid).toEqual({ valid: true });
}, 300_000);

async function importQuiz(): Promise<{ quiz_id: string; version_id: string }> {
  const file = join(folder, "quiz.json");
  await writeFile(file, JSON.stringify(shortQuiz));
  return commandOf("quiz", "import", file, "--store", shop.store_id, "--name", "Quiz", "--publish");
}

/** Every shopper whose events were taken is a person, once, and was told of once. */
async function expectAll(serve: Serve, mails: readonly string[]): Promise<void> {
  const api = client(serve.url, shop.key);
  const people = (await pagesOf<Person>(api, "/v1/profiles?limit=100")).flat();
  expect(people.map(({ email }) => email).sort()).toEqual([...mails].sort());
  for (const person of people) expect(person).toMatchObject({ sessions_count: 1, completed_count: 1 });
  const all = await receiver.wait("/told", (some) => some.length >= mails.length, 30);
  const told = all.map((one) => verified(secret, one));
  expect(new Set(told.map(({ id }) => id)).size).toBe(mails.length);
  expect(new Set(told.map(({ data }) => data.object["id"]))).toEqual(new Set(people.map(({ id }) => id)));
}

it("can be taken back as long as nothing was contracted [operations.newer-database]", async () => {
  const back = await serveOf(release.old);
  const answer = await client(back.url, shop.key).get<ListOf<Person>>("/v1/profiles?limit=1");
  expect([answer.status, answer.body.data.length]).toEqual([200, 1]);
  const ready = await request(`${back.url}/readyz`);
  expect(ready.status, ready.text).toBe(200);
  expect(await back.stop()).toBe(0);
}, 120_000);

it("refuses the release before once the schema needs a newer one, with a sentence [operations.newer-database]", async () => {
  expect((await runOf(release.contracted, "migrate")).stdout).toBe("applied: dropped\n");
  const refused = await runOf(release.old, "serve", "--port", "0");
  const sentence = `quizstore: the database is at migration ${first + 3}, which needs a program that knows migration ${first + 1}; this one knows ${first}: run a newer quizstore\n`;
  expect([refused.status, refused.stderr]).toEqual([1, sentence]);
  // the release between the two knows that one, and starts
  const said = await runOf(release.next, "store", "list", "--json");
  expect(said.status, said.stderr).toBe(0);
}, 120_000);

it("runs from the files that the image holds, and tells its health as the image asks for it [operations.start, operations.health]", async () => {
  const dockerfile = await readFile(join(import.meta.dirname, "../deploy/Dockerfile"), "utf8");
  const [, asks = "[]"] = /^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [program = "", ...args] = JSON.parse(asks) as string[];
  const health = async (port: number) => {
    const child = spawn(program, args, { env: { ...process.env, METRICS_PORT: String(port) }, stdio: "ignore" });
    return (await once(child, "close"))[0] as number;
  };
  const port = await freePort();
  await workOf(release.next, { METRICS_PORT: String(port) });
  expect(await health(port)).toBe(0);
  expect(await health(await freePort())).toBe(1);
  const ready = await request(`http://127.0.0.1:${port}/readyz`);
  expect(ready.status, ready.text).toBe(200);
}, 120_000);
