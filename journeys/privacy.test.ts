import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../testkit/machine.ts";
import { fullQuiz } from "./documents.ts";
import { type Client, client, type ListOf, type Person, request } from "./http.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, freshFolder, type Program, run, start, until } from "./program.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { newKey, openShop, publishQuiz, type Shop } from "./shop.ts";
import { order, product, Shopify } from "./shopify.ts";
import { type Live, Visit } from "./visit.ts";
import { rawRequest } from "./wire.ts";

/**
 * Nothing of shoppers and no secret is written anywhere but into the database: canaries travel through everything that
 * the program does and fails at, on its most talkative level, and are then looked for.
 */

const mark = "canary7f3a";
const secretKey = `${mark}-secret-key-0123456789abcdef`;
const mail = `${mark}.mail@example.com`;
const address = "203.0.113.77";

let data: string;
let program: Program;
let shop: Shop;
let key: string;
let api: Client;
let receiver: Receiver;
let live: Live;
/** whatever must be found nowhere, beside the mark */
const secrets: string[] = [address, "2025550143", "202 555 0143"];

beforeAll(async () => {
  data = await installedFolder();
  receiver = await openReceiver();
  program = await start(data, {
    ...{ LOG_LEVEL: "trace", TRUST_PROXY: "1", WEBHOOK_ALLOW_HOSTS: receiver.host, GEO_REGION_HEADER: "x-region" },
  });
  shop = await openShop(data, { name: `Shop ${mark}` });
  key = (await newKey(data, shop.store_id)).key;
  api = client(program.url, key);
  live = await publishQuiz(
    program,
    shop,
    JSON.parse(JSON.stringify(fullQuiz).replaceAll("Label of", mark)),
    `Quiz ${mark}`,
  );
  secrets.push(key.slice(13, 40), shop.commerce_secret, shop.publishable_key);
  secrets.push((await readFile(join(data, "secret.key"), "utf8")).trim());
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await receiver?.close();
  await cleanUp(data);
});

const headers = {
  ...{ "x-forwarded-for": address, "user-agent": `${mark} agent`, cookie: `session=${mark}`, "x-region": mark },
  ...{ referer: `https://shop.example/?mail=${mail}`, "x-unknown": mark },
};

const visit = (session: Record<string, unknown> = {}): Visit =>
  new Visit(live, {
    headers,
    session: { page_url: `https://${mark}.example/?mail=${mail}`, placement: mark, channel: mark, ...session },
  });

async function shopperVisits(): Promise<void> {
  const v = visit();
  const answer = await v.send(
    v.opened(),
    v.entered("skin_page", "start"),
    v.chose("skin_page", "skin", "oily"),
    v.wrote("about_page", "story", `my story is ${mark}`),
    v.wrote("contact", "mail", mail, true),
    v.wrote("contact", "tel", "+1 202 555 0143"),
    v.entered("result"),
    v.finished("result"),
  );
  expect([answer.status, answer.body.accepted]).toEqual([202, 8]);
  const shopify = new Shopify(program, shop);
  const variants = [{ id: 1, title: mark, price: "1.00" }];
  await shopify.send("products/create", product({ id: 101, title: mark, variants }));
  const bought = { ...order({ at: Date.now(), total: "12.00", email: mail, name: `#${mark}` }), note: mark };
  expect((await shopify.send("orders/create", bought)).status).toBe(200);
}

async function integratorReads(): Promise<void> {
  const people = await api.get<ListOf<Person>>(`/v1/profiles?q=${encodeURIComponent(mail)}`, headers);
  expect(people.body.data).toHaveLength(1);
  await api.get(`/v1/profiles/${people.body.data[0]?.id}`);
  const text = { quiz_id: live.quiz_id, kind: "text", page_key: "about_page", component_key: "story", op: "matches" };
  const search = { groups: [{ all: [{ ...text, value: mark }] }] };
  expect((await api.post<ListOf<Person>>("/v1/profiles/search", search)).body.data).toHaveLength(1);
  expect((await api.get(`/v1/analytics/quizzes?q=${mark}`)).status).toBe(200);
  const made = await api.post<{ id: string }>(
    "/v1/exports",
    { dataset: "responses", search },
    { "idempotency-key": mark },
  );
  expect(made.status).toBe(202);
  const path = `/v1/exports/${made.body.id}`;
  const done = await until(
    () => api.get<{ download_url?: string }>(path),
    ({ body }) => body.download_url !== undefined,
  );
  const link = done.body.download_url ?? "";
  expect((await request(link)).text).toContain(mark);
  secrets.push(link.split("token=")[1] ?? link);
  await request(link.replace("token=", "token=A"), { headers });
}

async function webhooksGo(): Promise<void> {
  const url = receiver.address(`/${mark}?token=${mark}`);
  receiver.behave(`/${mark}?token=${mark}`, () => 500);
  const body = { url, topics: ["identity.captured", "quiz.started"], include_pii: true, description: mark };
  const made = await api.post<{ id: string; secret: string }>("/v1/webhooks", body);
  expect(made.status).toBe(201);
  secrets.push(made.body.secret.slice(6, 40));
  await api.post(`/v1/webhooks/${made.body.id}/ping`);
  const v = visit();
  await v.send(v.wrote("contact", "mail", `${mark}.second@example.com`, true));
  await receiver.wait(`/${mark}?token=${mark}`, (all) => all.length >= 2);
  const rotated = await api.post<{ secret: string }>(`/v1/webhooks/${made.body.id}/rotate-secret`);
  secrets.push(rotated.body.secret.slice(6, 40));
  const closed = { url: `https://${mark}.invalid/${mark}`, topics: ["quiz.started"] };
  expect((await api.post("/v1/webhooks", closed)).status).toBe(201);
}

async function everythingRefused(): Promise<void> {
  const { url, port } = program;
  const asked = { headers: { ...headers, authorization: `Bearer svc_live_${mark}` } };
  await request(`${url}/v1/store`, asked);
  await request(`${url}/v1/profiles?q=${mark}`, asked);
  await request(`${url}/${mark}?mail=${mail}`, { headers });
  await request(`${url}/v1/store?api_key=${key}&x=${mark}`, { headers });
  await request(`${url}/v1/%zz${mark}`, { headers });
  await request(`${url}/v1/profiles/${mark}`, { headers: { ...headers, authorization: `Bearer ${key}` } });
  await api.post("/v1/profiles/search", `{"email": ${mail}}`, { "content-type": "application/json" });
  await api.post("/v1/webhooks", { url: `http://${mark}:${mark}@127.0.0.1/`, topics: ["quiz.started"] });
  await request(`${url}/storefront/v1/events`, { method: "POST", headers, body: `{"mail": "${mail}", ${mark}` });
  await visit().post({ store: mark, sent_at: mark, session: { id: mark }, events: [{ id: mark, value: mail }] });
  const unsigned = { "x-shopify-shop-domain": shop.domain, "x-shopify-hmac-sha256": mark, "x-shopify-topic": mark };
  await request(`${url}/commerce/v1/shopify/webhooks`, { method: "POST", headers: unsigned, body: { note: mail } });
  await new Shopify(program, shop).send(mark, { id: mark });
  await new Shopify(program, shop).send("orders/create", { id: mark, email: mail });
  await rawRequest(port, `GET /${mark} HTTP/1.1\r\nHost: x\r\nCookie ${mark}\r\n\r\n`);
  await rawRequest(
    port,
    `GET /v1/store HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${mark}${"a".repeat(20_000)}\r\n\r\n`,
  );
}

/** A client of the embedded database, over its socket. */
async function database(): Promise<pg.Client> {
  const pid = await readFile(join(data, "postgres", "postmaster.pid"), "utf8");
  const client = new pg.Client({
    host: pid.split("\n")[4] ?? "",
    port: 5432,
    user: "quizstore",
    database: "quizstore",
  });
  await client.connect();
  return client;
}

/** Statements that fail over rows of shoppers: the driver's errors quote them. */
async function statementsFail(): Promise<void> {
  const sql = await database();
  await sql.query("ALTER TABLE sessions ADD CONSTRAINT broken CHECK (placement <> 'poison7f3a') NOT VALID");
  await sql.query("ALTER TABLE orders ADD CONSTRAINT broken CHECK (name <> 'poison7f3a') NOT VALID");
  const v = visit({ placement: "poison7f3a" });
  const answer = await v.send(v.wrote("contact", "mail", mail), v.wrote("about_page", "story", mark));
  const bought = { ...order({ at: Date.now(), total: "12.00", email: mail, name: "poison7f3a" }), note: mark };
  const taken = await new Shopify(program, shop).send("orders/create", bought);
  expect([answer.status, taken.status]).toEqual([500, 500]);
  await sql.query("ALTER TABLE identities RENAME TO identities_away");
  expect((await api.get(`/v1/profiles?q=${mark}`)).status).toBe(500);
  await sql.query("ALTER TABLE identities_away RENAME TO identities");
  await sql.end();
}

/** Files beside the database, its columnar copies, exports and the key, which are made to hold what they hold. */
async function otherFiles(): Promise<Map<string, string>> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const ours = paths.filter(
    (path) => !/^(postgres|facts|exports)\/|^secret\.key$|^quiz-[0-9a-f]+\.json$/.test(relative(data, path)),
  );
  return new Map(
    await Promise.all(ours.map(async (path) => [relative(data, path), await readFile(path, "latin1")] as const)),
  );
}

function expectNoCanary(where: string, text: string): void {
  const found = [mark, "poison7f3a", ...secrets].filter((canary) => text.includes(canary));
  const lines = text.split("\n").filter((line) => found.some((canary) => line.includes(canary)));
  expect([where, found, lines.slice(0, 3)]).toEqual([where, [], []]);
}

describe("what shoppers and shops entrust to the program", () => {
  it("is written to no log and no file, whatever is done with it and whatever fails [people.not-logged]", async () => {
    await shopperVisits();
    await integratorReads();
    await webhooksGo();
    await everythingRefused();
    await statementsFail();
    const erased = await run(["person", "erase", await personOf(mail), "--store", shop.store_id, "--data", data]);
    expect([erased.status, erased.stderr]).toEqual([0, ""]);
    // it did talk
    expect(program.stderr()).toContain('"route":"/v1/profiles/search"');
    expect(program.stderr()).toMatch(/"code":"23514","table":"sessions"/);
    expectNoCanary("standard output", program.stdout());
    expectNoCanary("standard error", program.stderr());
    const files = await otherFiles();
    expect([...files.keys()]).toContain("postgres.log");
    for (const [path, text] of files) expectNoCanary(path, text);
  }, 60_000);
});

async function personOf(email: string): Promise<string> {
  const found = await api.get<ListOf<Person>>(`/v1/profiles?q=${encodeURIComponent(email)}`);
  return found.body.data[0]?.id ?? "";
}

describe("passwords in settings", () => {
  const databaseUrl = (port: number) => `postgres://someone:${mark}@127.0.0.1:${port}/quizstore`;

  it("are in no message about a setting that is malformed, or a service that is away [operations.settings]", async () => {
    const port = await freePort();
    const common = { SECRET_KEY: secretKey, LOG_LEVEL: "trace", DATA_DIR: data };
    const attempts: [string[], Record<string, string>][] = [
      [["serve"], { ...common, DATABASE_URL: databaseUrl(port) }],
      [["serve"], { ...common, DATABASE_URL: `mysql://someone:${mark}@127.0.0.1/x` }],
      [["serve"], { ...common, DATABASE_URL: databaseUrl(port), SECRET_KEY: mark }],
      [["start"], { ...common, REDIS_URL: `http://:${mark}@127.0.0.1:${port}` }],
      [
        ["doctor", "--json"],
        { ...common, DATABASE_URL: databaseUrl(port), REDIS_URL: `redis://:${mark}@127.0.0.1:${port}` },
      ],
      [["store", "list"], { ...common, DATABASE_URL: databaseUrl(port) }],
    ];
    for (const [args, settings] of attempts) {
      const outcome = await run(args, settings);
      expect([args, outcome.status]).toEqual([args, 1]);
      expectNoCanary(args.join(" "), outcome.stdout + outcome.stderr);
    }
  }, 60_000);

  it("are in no log of a program whose Redis is away [operations.logs]", async () => {
    const folder = await freshFolder();
    const settings = {
      SECRET_KEY: secretKey,
      LOG_LEVEL: "trace",
      REDIS_URL: `redis://user:${mark}@127.0.0.1:${await freePort()}`,
    };
    const away = await start(folder, settings);
    await request(`${away.url}/v1/store`, { headers: { authorization: `Bearer ${key}` } });
    await away.stop();
    expect(away.stderr()).toContain("Redis");
    expectNoCanary("a program without its Redis", away.stdout() + away.stderr());
    await cleanUp(folder);
  }, 60_000);
});
