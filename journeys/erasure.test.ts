import { cp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shortQuiz } from "./documents.ts";
import { client, type ListOf, type Person } from "./http.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, command, type Program, run, start } from "./program.ts";
import { type Key, newKey, openShop, publishQuiz, type Shop } from "./shop.ts";
import { type Live, Visit } from "./visit.ts";

/** A person asks to be forgotten: erased on the command line beside the running server, and not brought back. */

let data: string;
let program: Program;
let shop: Shop;
let key: Key;
let live: Live;

beforeAll(async () => {
  data = await installedFolder();
  program = await start(data);
  shop = await openShop(data);
  key = await newKey(data, shop.domain);
  live = await publishQuiz(program, shop, shortQuiz);
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await cleanUp(data);
});

const mail = "canary.shopper@example.com";
const people = async () => (await client(program.url, key.key).get<ListOf<Person>>("/v1/profiles")).body.data;
const found = async () => {
  const asked = await client(program.url, key.key).post<ListOf<Person>>("/v1/profiles/search", { has_email: true });
  expect(asked.status, asked.text).toBe(200);
  return asked.body.data.map(({ id }) => id);
};
const erase = (id: string) => run(["person", "erase", id, "--store", shop.domain, "--data", data, "--json"]);
const verify = (id: string) =>
  run(["person", "verify-erased", id, "--store", shop.domain, "--data", data, "--json", "--value", mail]);

it("is told by one command that everything is gone, and by another that nothing is left [erasure.person, erasure.verify, erasure.ledger]", async () => {
  const v = new Visit(live);
  const events = [v.opened(), v.entered("first", "start"), v.chose("first", "pick", "one"), v.entered("contact")];
  await v.send(...events, v.wrote("contact", "mail", mail));
  const [person] = await people();
  const id = person?.id ?? "";
  // nothing was erased yet
  const before = await verify(id);
  expect(before.status).toBe(1);
  expect(before.json).toMatchObject({ ok: false, erased_at: null });

  await program.stop();
  await cp(join(data, "postgres"), join(data, "backup"), { recursive: true, preserveTimestamps: true });
  program = await start(data);
  expect(await found()).toEqual([id]);
  const erased = await erase(id);
  expect(erased.json, erased.stderr).toMatchObject({ profile_id: id, sessions: 1 });
  expect(await found()).toEqual([]);
  expect(await people()).toEqual([]);
  expect((await client(program.url, key.key).get(`/v1/profiles/${id}`)).status).toBe(404);
  await rename(join(data, "backup"), `${data}-backup`);
  const verified = await verify(id);
  expect(verified.json, verified.stdout).toMatchObject({ ok: true, found: [] });
  expect(verified.status).toBe(0);
  const again = await erase(id);
  expect([again.status, again.stdout]).toEqual([1, ""]);
  const said = [erased, verified, again].map(({ stderr, stdout }) => stderr + stdout);
  expect(said.join("\n") + program.stderr() + (await readFile(join(data, "erasures.ndjson"), "utf8"))).not.toContain(
    mail,
  );
}, 60_000);

it("stays gone when a backup from before is restored [erasure.restore]", async () => {
  await program.stop();
  await rm(join(data, "postgres"), { recursive: true });
  await rename(`${data}-backup`, join(data, "postgres"));
  program = await start(data);
  expect(await people()).toEqual([]);
  const replayed = await command<{ replayed: number }>(data, "person", "replay-erasures");
  expect(replayed).toMatchObject({ replayed: 0, noted: 0 });
}, 60_000);
