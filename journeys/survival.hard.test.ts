import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../testkit/slowness.ts";
import { shortQuiz } from "./documents.ts";
import { type Answer, type Client, client, type ListOf, type Person, type Problem, request } from "./http.ts";
import { cleanUp, freshFolder, type Program, postmasterPid, start } from "./program.ts";
import { type Key, openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { type Live, newId, type StorefrontEvent, type Taken, Visit } from "./visit.ts";

/** What was promised stands after the program or its database died. */

let data: string;
let program: Program;
let shop: Shop;
let key: Key;
let api: Client;
let live: Live;

beforeAll(async () => {
  data = await freshFolder();
  program = await start(data);
  ({ shop, key, api } = await openShopWithKey(program, { limits: { capacity: 100_000, leak_per_second: 10_000 } }));
  live = await publishQuiz(program, shop, shortQuiz);
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await cleanUp(data);
});

interface Posted {
  visit: Visit;
  events: StorefrontEvent[];
  mail: string;
  status: number | null;
  answer: Answer<Taken> | null;
}

let shoppers = 0;

/** One shopper's whole session in one batch; null where no answer came. */
async function post(): Promise<Posted> {
  shoppers += 1;
  const mail = `survivor.${shoppers}@example.com`;
  const visit = new Visit(live);
  const answered = [visit.opened(), visit.chose("first", "pick", "one"), visit.wrote("contact", "mail", mail)];
  const events = [...answered, visit.entered("result"), visit.finished("result")];
  const answer = await visit.send(...events).catch(() => null);
  return { visit, events, mail, answer, status: answer?.status ?? null };
}

/** Posts on `width` connections until told to stop, one shopper after the other on each. */
function load(width: number): { stop: () => Promise<Posted[]>; acknowledged: () => number } {
  const posted: Posted[] = [];
  let going = true;
  const one = async (): Promise<void> => {
    while (going) {
      const sent = await post();
      posted.push(sent);
      if (sent.status !== 202) await pause(20);
    }
  };
  const all = Array.from({ length: width }, one);
  const stop = async (): Promise<Posted[]> => {
    going = false;
    await Promise.all(all);
    return posted;
  };
  return { stop, acknowledged: () => posted.filter(({ status }) => status === 202).length };
}

async function waitFor(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 400 * patience; tries += 1) await pause(25);
  expect(holds()).toBe(true);
}

/** The program anew on the same data; clients and shoppers follow to its port. */
async function restart(): Promise<void> {
  program = await start(data, {}, program.port);
  api = client(program.url, key.key);
}

/** Every acknowledged batch answers as repeated, and its person is there with a completed session, once. */
async function expectKept(posted: readonly Posted[]): Promise<void> {
  const kept = posted.filter(({ status }) => status === 202);
  for (const { visit, events } of kept) {
    const again = await visit.send(...events);
    expect(again.body).toEqual({ accepted: 0, duplicates: events.length, rejected: [] });
  }
  const found = new Map<string | null, Person>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: ListOf<Person> = (await api.get<ListOf<Person>>(`/v1/profiles?limit=100&q=survivor${more}`)).body;
    for (const person of page.data) found.set(person.email, person);
    cursor = page.next_cursor;
  }
  for (const { mail } of kept) expect(found.get(mail)).toMatchObject({ sessions_count: 1, completed_count: 1 });
}

describe("kill -9 of the program under load", () => {
  it("loses no acknowledged event, and repeats change nothing [storefront.accepted, storefront.repeated-events]", async () => {
    const shopping = load(8);
    await waitFor(() => shopping.acknowledged() > 60);
    await program.kill();
    const posted = await shopping.stop();
    await restart();
    await expectKept(posted);
    for (const { visit, events } of posted.filter(({ status }) => status !== 202)) {
      const again = await visit.send(...events);
      expect([again.body.accepted + again.body.duplicates, again.body.rejected]).toEqual([events.length, []]);
    }
    expect(posted.some(({ status }) => status === null)).toBe(true);
  }, 60_000);
});

describe("SIGTERM under load", () => {
  it("answers requests in flight, ends with status 0, and the rest is refused by the closed port [operations.stop]", async () => {
    const shopping = load(8);
    await waitFor(() => shopping.acknowledged() > 40);
    expect(await program.stop()).toBe(0);
    const posted = await shopping.stop();
    expect(await postmasterPid(data)).toBeNull();
    const statuses = new Set(posted.map(({ status }) => status));
    for (const status of statuses) expect([202, 503, null]).toContain(status);
    await restart();
    await expectKept(posted);
  }, 60_000);

  it("keeps keys and cursors over a restart [api.cursors, api.keys]", async () => {
    const first = (await api.get<ListOf<Person>>("/v1/profiles?limit=5")).body;
    const second = (await api.get<ListOf<Person>>(`/v1/profiles?limit=5&cursor=${first.next_cursor}`)).body;
    await program.stop();
    await restart();
    const again = await api.get<ListOf<Person>>(`/v1/profiles?limit=5&cursor=${first.next_cursor}`);
    expect([again.status, again.body]).toEqual([200, second]);
    const shown = await request(`${program.url}/storefront/v1/quizzes/${live.quiz_id}?store=${live.store}`);
    expect(shown.status).toBe(200);
  }, 60_000);
});

describe("kill -9 of the database under load", () => {
  it("answers 503 with Retry-After, comes back by itself, and keeps what it acknowledged [api.dependencies, storefront.accepted]", async () => {
    const shopping = load(6);
    const reads: Answer<Problem>[] = [];
    await waitFor(() => shopping.acknowledged() > 30);
    const before = await postmasterPid(data);
    expect(before).not.toBeNull();
    process.kill(before ?? 0, "SIGKILL");
    const started = performance.now();
    let recovered = 0;
    while (recovered < 5 && performance.now() - started < 25_000 * patience) {
      const answer = await api.get("/v1/quizzes").catch(() => null);
      expect(answer).not.toBeNull();
      if (answer !== null) reads.push(answer);
      recovered = answer?.status === 200 ? recovered + 1 : 0;
      await pause(50);
    }
    const count = shopping.acknowledged();
    await waitFor(() => shopping.acknowledged() > count + 10);
    const posted = await shopping.stop();
    expect(recovered).toBe(5);
    const answers: Answer<unknown>[] = [...reads, ...posted.flatMap(({ answer }) => answer ?? [])];
    expect(posted.filter(({ status }) => status === null)).toEqual([]);
    for (const { status, headers, body } of answers.filter((answer) => answer.status >= 300)) {
      expect([status, (body as Problem).title]).toEqual([503, "dependency_unavailable"]);
      expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      expect((body as Problem).retry_after).toBe(Number(headers.get("retry-after")));
    }
    expect(answers.some(({ status }) => status === 503)).toBe(true);
    await expectKept(posted);
  }, 90_000);
});

describe("secrets", () => {
  it("are in no file of the data directory as plain text: keys and the commerce secret [operations.secrets]", async () => {
    const marker = newId("vis");
    const visit = new Visit(live, { session: { visitor_id: marker } });
    await visit.send(visit.chose("first", "pick", "one"));
    await program.stop();
    const names = await readdir(data, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const found: string[] = [];
    const rows: string[] = [];
    for (const file of files) {
      const bytes = await readFile(file).catch(() => Buffer.alloc(0));
      for (const secret of [key.key, key.key.slice(9), shop.commerce_secret]) {
        if (bytes.includes(secret)) found.push(file);
      }
      if (bytes.includes(shop.domain)) rows.push(file);
    }
    expect(found).toEqual([]);
    expect(rows.length).toBeGreaterThan(0);
    await restart();
  }, 60_000);
});
