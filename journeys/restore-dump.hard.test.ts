import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../testkit/machine.ts";
import { planVisit } from "./buyer.ts";
import { startDebianPostgres } from "./debian-postgres.ts";
import { shortQuiz } from "./documents.ts";
import { type Client, client, type ListOf, type Person } from "./http.ts";
import { answers, cleanUp, freshFolder, launch, type Running, run, type Settings } from "./program.ts";
import type { Live } from "./visit.ts";

/** The database of a server of its own, dumped, restored after somebody was erased (docs/operations.md). */

const postgres = await startDebianPostgres();

const anna = "anna.dumped@example.com";
const berta = "berta.dumped@example.com";

let folder: string;
let serve: (Running & { url: string }) | null = null;
let api: Client;
let key: string;
let store_id: string;
let settings: Settings;

beforeAll(async () => {
  folder = await freshFolder();
});

afterAll(async () => {
  await serve?.stop();
  await postgres?.stop();
  await cleanUp(folder);
});

const machine = () => join(folder, "machine");
/** Where a job keeps the ledger of erasures that all machines together have made. */
const ledger = () => join(folder, "ledger");

async function begin(database: string): Promise<void> {
  settings = { DATABASE_URL: postgres?.url(database) ?? "", SECRET_KEY: "a key of this test, of more than 32 letters" };
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ["serve", "--data", machine(), "--port", String(port)];
  serve = { url, ...(await launch(args, settings, () => answers(url))) };
  api = client(url, key);
}

async function commandOf<T>(data: string, ...args: string[]): Promise<T> {
  const { status, json, stderr } = await run([...args, "--data", data, "--json"], settings);
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return json as T;
}

const replay = () => commandOf<Record<string, number>>(ledger(), "person", "replay-erasures");
const people = async () => (await api.get<ListOf<Person>>("/v1/profiles")).body.data;
const mails = async () => (await people()).map(({ email }) => email ?? "").sort();
const found = async () => {
  const asked = await api.post<ListOf<Person>>("/v1/profiles/search", { has_email: true });
  expect(asked.status, asked.text).toBe(200);
  return asked.body.data.map(({ email }) => email ?? "").sort();
};

describe.runIf(postgres)("a dump that is restored", () => {
  let bertaId: string;

  it("is made of people, while the program serves", async () => {
    await Promise.all([postgres?.tool("createdb", "before"), mkdir(ledger(), { recursive: true })]);
    await begin("before");
    const facts = ["--plan", "enterprise", "--timezone", "UTC", "--currency", "EUR", "--name", "Shop"];
    const made = await commandOf<{ store_id: string; publishable_key: string }>(
      machine(),
      ...["store", "create", "--shop-domain", "dumped.myshopify.com", ...facts],
    );
    store_id = made.store_id;
    const scopes = ["--scopes", "quizzes:read,profiles:read,analytics:read"];
    ({ key } = await commandOf<{ key: string }>(machine(), "key", "create", "--store", store_id, ...scopes));
    api = client(serve?.url ?? "", key);
    const file = join(folder, "quiz.json");
    await writeFile(file, JSON.stringify(shortQuiz));
    const quiz = await commandOf<{ quiz_id: string; version_id: string }>(
      machine(),
      ...["quiz", "import", file, "--store", store_id, "--name", "Quiz", "--publish"],
    );
    const live: Live = { url: serve?.url ?? "", store: made.publishable_key, ...quiz };
    for (const mail of [anna, berta]) {
      const { shopper, events } = planVisit(live, mail);
      expect((await shopper.visit.send(...events)).status).toBe(202);
    }
    expect(await found()).toEqual([anna, berta]);
    await postgres?.tool("pg_dump", "--format=custom", `--file=${await dumpFile()}`, "before");
  }, 120_000);

  it("lacks an erasure, which the ledger outside the database has [erasure.restore]", async () => {
    bertaId = (await people()).find(({ email }) => email === berta)?.id ?? "";
    await commandOf(machine(), "person", "erase", bertaId, "--store", store_id);
    expect(await mails()).toEqual([anna]);
    // the job of deploy/helm: it takes over what any machine has erased
    expect(await replay()).toMatchObject({ replayed: 0, noted: 1 });
    expect(await replay()).toMatchObject({ replayed: 0, noted: 0 });
    expect(await readFile(join(ledger(), "erasures.ndjson"), "utf8")).not.toContain(berta);
    await serve?.stop();
  }, 120_000);

  it("brings nobody back, and the copies of before are made anew [erasure.restore, copy.restored-database]", async () => {
    await postgres?.tool("createdb", "after");
    await postgres?.tool("pg_restore", "--dbname=after", "--no-owner", "--exit-on-error", await dumpFile());
    settings = { ...settings, DATABASE_URL: postgres?.url("after") ?? "" };
    expect(await replay()).toMatchObject({ replayed: 1, people_erased: 1, noted: 0 });
    await begin("after");
    expect([await mails(), await found()]).toEqual([[anna], [anna]]);
    const verify = ["person", "verify-erased", bertaId, "--store", store_id, "--value", berta];
    expect(await commandOf(machine(), ...verify)).toMatchObject({ ok: true, found: [] });
  }, 120_000);
});

/** Where the account that PostgreSQL runs as may write. */
async function dumpFile(): Promise<string> {
  await mkdir(join(folder, "dumps"), { recursive: true });
  await Promise.all([chmod(folder, 0o755), chmod(join(folder, "dumps"), 0o777)]);
  return join(folder, "dumps", "before.dump");
}
