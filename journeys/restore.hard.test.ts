import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { planVisit } from "./buyer.ts";
import { shortQuiz } from "./documents.ts";
import { type Client, client, type ListOf, type Person, type PersonDetail } from "./http.ts";
import { cleanUp, freshFolder, type Program, run, start, until } from "./program.ts";
import { type Endpoint, openReceiver, type Received, type Receiver, subscribe, verified } from "./receiver.ts";
import { openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { order, Shopify } from "./shopify.ts";
import type { Live } from "./visit.ts";

/** A backup of the stopped data directory, restored after somebody was erased: the cold copy of docs/operations.md. */

const anna = "anna.kept@example.com";
const berta = "berta.erased@example.com";

let data: string;
let backup: string;
let receiver: Receiver;
let settings: Record<string, string>;
let program: Program;
let shop: Shop;
let api: Client;
let live: Live;
let key: string;
let endpoint: Endpoint & { secret: string };

beforeAll(async () => {
  [data, backup] = await Promise.all([freshFolder(), freshFolder()]);
  receiver = await openReceiver();
  settings = { WEBHOOK_ALLOW_HOSTS: receiver.host };
  await begin();
  const opened = await openShopWithKey(program);
  ({ shop, api } = opened);
  key = opened.key.key;
  live = await publishQuiz(program, shop, shortQuiz);
  endpoint = await subscribe(api, receiver.address("/told"), ["profile.created"], { include_pii: true });
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await receiver?.close();
  await cleanUp(data);
  await rm(backup, { recursive: true, force: true });
});

async function begin(): Promise<void> {
  program = await start(data, settings, program?.port);
  api = client(program.url, key);
}

async function takesQuiz(mail: string): Promise<void> {
  const { shopper, events } = planVisit({ ...live, url: program.url }, mail);
  expect((await shopper.visit.send(...events)).body).toMatchObject({ accepted: events.length });
}

async function get<T>(path: string): Promise<T> {
  const answer = await api.get<T>(path);
  expect([path, answer.status], answer.text).toEqual([path, 200]);
  return answer.body;
}

const people = async () => (await get<ListOf<Person>>("/v1/profiles")).data.map(({ email }) => email ?? "").sort();
const personOf = async (mail: string) => (await get<ListOf<Person>>(`/v1/profiles?q=${mail}`)).data[0]?.id ?? "";
const found = async () => {
  const asked = await api.post<ListOf<Person>>("/v1/profiles/search", { has_email: true });
  expect(asked.status, asked.text).toBe(200);
  return asked.body.data.map(({ email }) => email ?? "").sort();
};

interface Figures {
  totals: Record<string, number>;
}

/** Today's views and completions; asked until the answer is not one kept from before. */
const figures = async () => {
  const today = new Date().toISOString().slice(0, 10);
  const { totals } = await get<Figures>(`/v1/analytics/overview?from=${today}&to=${today}&tz=UTC`);
  return totals;
};

const about = (mail: string) => (one: Received) => one.text.includes(mail);
const toldOf = (mail: string, status: number) =>
  receiver.wait("/told", (all) => all.some((one) => about(mail)(one) && one.status === status));

let export_id: string;
let bertaId: string;
let before: Record<string, number>;

it("is made of a shop with people, an order, an export, and webhooks that wait", async () => {
  receiver.behave("/told", () => 503);
  await takesQuiz(anna);
  await takesQuiz(berta);
  const payload = order({ at: Date.now(), total: "20.00", email: anna });
  expect((await new Shopify(program, shop).send("orders/create", payload)).status).toBe(200);
  const asked = await api.post<{ id: string }>("/v1/exports", { dataset: "profiles", format: "csv" });
  export_id = asked.body.id;
  const done = await until(
    () => get<{ status: string }>(`/v1/exports/${export_id}`),
    ({ status }) => status === "completed",
  );
  expect(done.status).toBe("completed");
  expect(await found()).toEqual([anna, berta]);
  before = await figures();
  for (const mail of [anna, berta]) expect((await toldOf(mail, 503)).some(about(mail))).toBe(true);
  expect(await program.stop()).toBe(0);
  // the copies are made anew, and need no place in a backup
  const wanted = (path: string) => path !== join(data, "facts");
  await cp(data, backup, { recursive: true, preserveTimestamps: true, filter: wanted });
  expect(await readdir(backup)).toEqual(expect.arrayContaining(["postgres", "secret.key", "exports"]));
}, 120_000);

it("is followed by deliveries and an erasure that it knows nothing of", async () => {
  receiver.behave("/told", () => 200);
  await begin();
  for (const mail of [anna, berta]) expect((await toldOf(mail, 200)).some(about(mail))).toBe(true);
  bertaId = await personOf(berta);
  const erased = await run(["person", "erase", bertaId, "--store", shop.domain, "--data", data, "--json"]);
  expect([erased.status, erased.stderr]).toEqual([0, expect.any(String)]);
  expect(await people()).toEqual([anna]);
  await program.stop();
}, 120_000);

it("does not start with another key or without one, and says what is missing [operations.secret-key]", async () => {
  // the newest ledger outlives what a restore puts back
  const ledger = await readFile(join(data, "erasures.ndjson"));
  await rm(data, { recursive: true });
  await cp(backup, data, { recursive: true, preserveTimestamps: true });
  await writeFile(join(data, "erasures.ndjson"), ledger);
  const file = join(data, "secret.key");
  await rm(file);
  const attempt = async () => {
    const { status, stderr } = await run(["start", "--data", data, "--port", "0", "--no-demo"], {
      LOG_LEVEL: "silent",
    });
    return [status, stderr.trim()];
  };
  expect(await attempt()).toEqual([
    1,
    `quizstore: ${file} is missing, and the secrets of this database are encrypted with what was in it; put it back from the backup`,
  ]);
  expect(await readdir(data)).not.toContain("secret.key");
  await writeFile(file, `${"f".repeat(64)}\n`);
  expect(await attempt()).toEqual([1, expect.stringContaining("is not the key that the secrets of this database")]);
  const created = await run(["store", "list", "--data", data, "--json"]);
  expect([created.status, created.stderr]).toEqual([1, expect.stringContaining("put back the one that was in use")]);
  await cp(join(backup, "secret.key"), file);
}, 120_000);

it("brings nobody back who was erased since, and everything else [erasure.restore, exports.erasure]", async () => {
  const sentBefore = receiver.at("/told").length;
  await begin();
  expect(await people()).toEqual([anna]);
  expect(await found()).toEqual([anna]);
  expect((await api.get(`/v1/profiles/${bertaId}`)).status).toBe(404);
  const kept = await get<PersonDetail>(`/v1/profiles/${await personOf(anna)}`);
  expect(kept).toMatchObject({ orders_count: 1, spent: { amount: "20.00", currency: "EUR" }, completed_count: 1 });
  // the copy is made anew, and counts stay
  expect(await figures()).toEqual(before);
  const verify = ["person", "verify-erased", bertaId, "--store", shop.domain, "--data", data, "--json"];
  const verified_ = await run([...verify, "--value", berta]);
  expect(verified_.json, verified_.stdout).toMatchObject({ ok: true, found: [] });
  // the file that held her is gone too
  expect((await api.get(`/v1/exports/${export_id}`)).status).toBe(404);

  // what waited in the backup is sent again under its old id, signed with the secret of then; nothing of her
  const again = await receiver.wait("/told", (all) => all.slice(sentBefore).some(about(anna)));
  const repeated = again.slice(sentBefore);
  const [first] = again.filter((one) => one.status === 200 && about(anna)(one));
  expect(repeated.filter(about(anna)).map((one) => verified(endpoint.secret, one).id)).toEqual([
    first && verified(endpoint.secret, first).id,
  ]);
  expect(repeated.filter(about(berta))).toEqual([]);
}, 120_000);

it("goes on as before: new visits, people and figures [copy.restored-database]", async () => {
  await takesQuiz("carla.new@example.com");
  expect(await people()).toEqual([anna, "carla.new@example.com"]);
  expect(await found()).toEqual([anna, "carla.new@example.com"]);
  await program.stop();
  await begin();
  const replayed = await run(["person", "replay-erasures", "--data", data, "--json"]);
  expect(replayed.json).toMatchObject({ replayed: 0, noted: 0, broken_lines: 0 });
}, 120_000);
