import { randomUUID } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../testkit/machine.ts";
import { brokenQuiz, emptyQuiz, shortQuiz } from "./documents.ts";
import { client, type ListOf, type Person, type Problem, request, type StoreObject } from "./http.ts";
import { cleanUp, command, freshFolder, type Outcome, type Program, perform, run, start, until } from "./program.ts";
import { importLines, importQuiz, type Key, newKey, openShop, publishQuiz, type Shop } from "./shop.ts";
import { Shopify } from "./shopify.ts";
import { newId, Visit } from "./visit.ts";

/** Operators work on the command line, beside a running server and without one. */

let data: string;
let program: Program;
let shop: Shop;
let key: Key;

beforeAll(async () => {
  data = await freshFolder();
  await command(data, "migrate");
  shop = await openShop(data, { name: "Made before the first start", timezone: "Europe/Berlin", currency: "JPY" });
  program = await start(data);
  key = await newKey(data, shop.domain);
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await cleanUp(data);
});

/** One JSON document and nothing else on standard output, a good end. */
function expectDocument(outcome: Outcome): void {
  expect(outcome.status, `${outcome.stdout}\n${outcome.stderr}`).toBe(0);
  expect(outcome.json, outcome.stdout).toBeDefined();
}

/** One clear line on standard error, nothing on standard output. */
function expectFailure(outcome: Outcome, status: number): string {
  const lines = outcome.stderr.trimEnd().split("\n");
  expect([outcome.status, outcome.stdout], outcome.stderr).toEqual([status, ""]);
  expect(lines, outcome.stderr).toHaveLength(1);
  expect(lines[0]?.length).toBeGreaterThan(10);
  expect(outcome.stderr).not.toMatch(/\n\s+at |TypeError|undefined/);
  return lines[0] ?? "";
}

const quizstore = (...args: string[]): Promise<Outcome> => perform([...args, "--data", data, "--json"]);
const storeOf = (text: string) => client(program.url, text).get<StoreObject & Partial<Problem>>("/v1/store");

describe("stores and keys", () => {
  it("are known to a server that started later [command-line.stores, command-line.keys]", async () => {
    const answer = await storeOf(key.key);
    expect(answer.body).toMatchObject({
      ...{ name: "Made before the first start", shop_domain: shop.domain, currency: "JPY", timezone: "Europe/Berlin" },
      ...{ plan_class: "enterprise" },
    });
    expect(shop.store_id).toMatch(/./);
    expect(shop.publishable_key).toMatch(/^pub_[0-9a-f]{32}$/);
    expect(key.key_id).toMatch(/^key_[0-9a-f]{32}$/);
    expect(key.key).toMatch(/^svc_live_[0-9A-Za-z]{36}$/);
    const listed = await quizstore("store", "list");
    expectDocument(listed);
    expect(listed.stdout).toContain(shop.domain);
  });

  it("a key without scopes is read-only, and a mistyped one is refused [api.default-scopes, api.key-required]", async () => {
    const plain = await command<Key>(data, "key", "create", "--store", shop.domain, "--name", "Plain");
    expect((await storeOf(plain.key)).body.scopes.toSorted()).toEqual(["analytics:read", "quizzes:read"]);
    const wrong = `${plain.key.slice(0, -1)}${plain.key.endsWith("a") ? "b" : "a"}`;
    expect((await storeOf(wrong)).status).toBe(401);
    const keys = await quizstore("key", "list", "--store", shop.domain);
    expectDocument(keys);
    expect(keys.stdout).toContain(plain.key_id);
    expect(keys.stdout).not.toContain(plain.key);
    expect(keys.stdout).toContain(plain.key.slice(-4));
  });

  it("an expired key answers 401 [api.key-end]", async () => {
    const past = await quizstore("key", "create", "--store", shop.domain, "--expires", "2020-01-01");
    if (past.status === 0) expect((await storeOf((past.json as Key).key)).status).toBe(401);
    else expectFailure(past, past.status === 2 ? 2 : 1);
  });

  it("revoking a key shows on the running server [api.key-end]", async () => {
    const doomed = await newKey(data, shop.domain);
    expect((await storeOf(doomed.key)).status).toBe(200);
    expectDocument(await quizstore("key", "revoke", doomed.key_id));
    const answer = await until(
      () => storeOf(doomed.key),
      ({ status }) => status !== 200,
    );
    expect([answer.status, answer.body.title]).toEqual([401, "invalid_api_key"]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("a plan change shows on the running server, both ways; shoppers are served by plan [api.plans, storefront.live-version]", async () => {
    const other = await openShop(data, { plan: "other" });
    const paused = await newKey(data, other.store_id);
    const refused = await storeOf(paused.key);
    expect([refused.status, refused.body.title]).toEqual([403, "plan_required"]);
    expect(refused.headers.get("ratelimit")).toBeNull();
    const live = await publishQuiz(program, other, shortQuiz);
    const served = () => request(`${program.url}/storefront/v1/quizzes/${live.quiz_id}?store=${live.store}`);
    expect((await served()).status).toBe(404);
    const v = new Visit(live);
    expect(
      (await v.send(v.chose("first", "pick", "one"), v.wrote("contact", "mail", "paused@example.com"))).status,
    ).toBe(202);
    expectDocument(await quizstore("store", "update", other.domain, "--plan", "plus"));
    const open = await until(
      () => storeOf(paused.key),
      ({ status }) => status === 200,
    );
    expect([open.status, open.body.plan_class]).toEqual([200, "plus"]);
    expect((await until(served, ({ status }) => status === 200)).status).toBe(200);
    const people = await client(program.url, paused.key).get<ListOf<Person>>("/v1/profiles");
    expect(people.body.data.map(({ email }) => email)).toEqual(["paused@example.com"]);
    expectDocument(await quizstore("store", "update", other.domain, "--plan", "other"));
    const closed = await until(
      () => storeOf(paused.key),
      ({ status }) => status === 403,
    );
    expect(closed.status).toBe(403);
  });

  it("disconnecting a store revokes every key [command-line.disconnect, api.key-end]", async () => {
    const other = await openShop(data);
    const keys = [await newKey(data, other.domain), await newKey(data, other.domain)];
    for (const { key: text } of keys) expect((await storeOf(text)).status).toBe(200);
    expectDocument(await quizstore("store", "disconnect", other.domain));
    for (const { key: text } of keys) {
      const answer = await until(
        () => storeOf(text),
        ({ status }) => status !== 200,
      );
      expect(answer.status).toBe(401);
    }
    const create = () => quizstore("key", "create", "--store", other.domain);
    expect(expectFailure(await create(), 1)).toContain("disconnected");
    expectDocument(await quizstore("store", "reconnect", other.domain));
    expectDocument(await create());
  });
});

describe("customers' requests for their data", () => {
  it("are listed, and answered once with a file for their eyes [command-line.data-request]", async () => {
    const live = await publishQuiz(program, shop, shortQuiz);
    const v = new Visit(live);
    expect((await v.send(v.opened(), v.wrote("contact", "mail", "asks@example.com"))).status).toBe(202);
    const at = ["--store", shop.domain];
    const requests = ["person", "data-request"];
    const listed = async () => (await quizstore(...requests, "list", ...at)).json as Record<string, unknown>[];
    expect(await listed()).toEqual([]);
    const asked = { id: 1, shop_domain: shop.domain, customer: { id: 1, email: "Asks@example.com" } };
    expect((await new Shopify(program, shop).send("customers/data_request", asked)).status).toBe(200);
    const [waiting, ...others] = await listed();
    expect([waiting, others]).toEqual([{ ...waiting, answered_at: null }, []]);
    const id = String(waiting?.["request_id"]);
    const out = join(data, "asks.json");
    const answered = await quizstore(...requests, "answer", id, ...at, "--out", out);
    expectDocument(answered);
    expect(answered.stdout).not.toContain("asks@");
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(out, "utf8"))).toMatchObject({
      asked_for: { emails: ["asks@example.com"] },
      identities: [{ value: "asks@example.com" }],
      sessions: [{ quiz_id: expect.any(String) }],
    });
    expect(await listed()).toEqual([{ ...waiting, answered_at: expect.any(String) }]);
    const again = join(data, "again.json");
    expectFailure(await quizstore(...requests, "answer", id, ...at, "--out", again), 1);
    expectFailure(await quizstore(...requests, "answer", newId("prof"), ...at, "--out", again), 2);
    expectFailure(await quizstore(...requests, "answer", randomUUID(), ...at, "--out", again), 1);
    expect(await readdir(data)).not.toContain("again.json");
  });
});

describe("quizzes and history", () => {
  it("import keeps a draft without a version, and --quiz replaces it [quizzes.import]", async () => {
    const api = client(program.url, key.key);
    const made = await importQuiz(data, shop.domain, shortQuiz, "--name", "Once");
    expect(made).toMatchObject({ quiz_id: expect.stringMatching(/^quiz_[0-9a-f]{32}$/), version_id: null });
    const again = await importQuiz(data, shop.domain, emptyQuiz, "--quiz", made.quiz_id);
    expect(again).toMatchObject({ quiz_id: made.quiz_id, version_id: null });
    const { body } = await api.get<{ name: string; page_count: number; status: string }>(`/v1/quizzes/${made.quiz_id}`);
    expect(body).toMatchObject({ name: "Once", page_count: 0, status: "draft" });
  });

  it("import refuses to publish an invalid document or one without pages [quizzes.import]", async () => {
    for (const document of [brokenQuiz, emptyQuiz]) {
      const file = join(data, "refused.json");
      await writeFile(file, JSON.stringify(document));
      expectFailure(await quizstore("quiz", "import", file, "--store", shop.domain, "--publish"), 1);
    }
  });

  it("lint names what is wrong with a document, without a store [quiz-documents.lint, command-line.files]", async () => {
    const lint = async (document: unknown): Promise<Outcome> => {
      const file = join(data, "lint.json");
      await writeFile(file, JSON.stringify(document));
      return quizstore("quiz", "lint", file);
    };
    const fine = await lint(shortQuiz);
    expectDocument(fine);
    const broken = await lint(brokenQuiz);
    expect(broken.stdout + broken.stderr).toContain("target_page_key");
    const dimensions = [{ dimension_id: "never", name: "Never" }];
    expect((await lint({ ...shortQuiz, dimensions })).stdout).toContain("Never");
  });

  it("demo and simulate send shoppers [command-line.demo]", async () => {
    const { quiz_id: _quiz, ...live } = await publishQuiz(program, shop, shortQuiz);
    expectDocument(await quizstore("demo", "--store", shop.domain, "--days", "2", "--sessions", "12", "--seed", "7"));
    const people = async () =>
      (await client(program.url, key.key).get<ListOf<Person>>("/v1/profiles?limit=100")).body.data;
    const before = (await storeOf(key.key)).body.credits.used;
    const rates = ["--rate", "4", "--seconds", "3"];
    expectDocument(await perform(["simulate", "--url", program.url, "--store", live.store, ...rates, "--json"]));
    expect((await storeOf(key.key)).body.credits.used).toBeGreaterThan(before);
    expect((await people()).length).toBeGreaterThan(0);
  });

  it("doctor lists every setting with its default and finds nothing to mend [command-line.doctor]", async () => {
    const outcome = await quizstore("doctor");
    expectDocument(outcome);
    const settings = ["PORT", "BASE_URL", "DATA_DIR", "DATABASE_URL", "REDIS_URL", "EXPORT_STORAGE", "SECRET_KEY"];
    const more = ["GEO_COUNTRY_HEADER", "GEO_REGION_HEADER", "TRUST_PROXY", "WEBHOOK_ALLOW_HOSTS", "LOG_LEVEL"];
    for (const name of [...settings, ...more, "CLOCK_SPEED"]) expect(outcome.stdout).toContain(name);
  });

  it("migrate has nothing left to do [operations.migrations]", async () => {
    expectDocument(await quizstore("migrate"));
  });
});

describe("failures", () => {
  it("are one clear line and status 1 [command-line.output]", async () => {
    const file = join(data, "fine.json");
    await writeFile(file, JSON.stringify(shortQuiz));
    await writeFile(join(data, "text.json"), "not json");
    const asked = [
      ["key", "create", "--store", "nobody.myshopify.com"],
      ["quiz", "import", join(data, "absent.json"), "--store", shop.domain],
      ["quiz", "import", join(data, "text.json"), "--store", shop.domain],
      ["quiz", "import", file, "--store", shop.domain, "--quiz", newId("quiz")],
      ["import", "events", join(data, "absent.ndjson"), "--store", shop.domain],
    ];
    for (const args of asked) expectFailure(await quizstore(...args), 1);
    const taken = [
      "--name",
      "x",
      "--shop-domain",
      shop.domain,
      "--plan",
      "plus",
      "--timezone",
      "UTC",
      "--currency",
      "EUR",
    ];
    expectFailure(await quizstore("store", "create", ...taken), 1);
  });

  it("wrong usage is status 2 [command-line.output]", async () => {
    const facts = ["--name", "x", "--shop-domain", "usage.myshopify.com"];
    const asked = [
      ["explode"],
      ["key", "create", "--store", shop.domain, "--colour", "red"],
      ["store", "create", ...facts, "--plan", "gold", "--timezone", "UTC", "--currency", "EUR"],
      ["quiz", "ai-run", "pause", newId("quiz")],
    ];
    const outcomes: [string, number | null, string][] = [];
    for (const args of asked) {
      const { status, stdout, stderr } = await quizstore(...args);
      outcomes.push([args.join(" "), status, stdout]);
      expect(stderr.trim().length).toBeGreaterThan(10);
    }
    expect(outcomes).toEqual(asked.map((args) => [args.join(" "), 2, ""]));
  });

  it("refuse values that are none: zone, currency, scope, limits [time.zones, command-line.output]", async () => {
    const create = (zone: string, currency: string) => {
      const facts = ["--name", "x", "--shop-domain", "values.myshopify.com", "--plan", "plus"];
      return quizstore("store", "create", ...facts, "--timezone", zone, "--currency", currency);
    };
    const refused = [
      await create("ABC5", "EUR"),
      await create("europe/berlin", "EUR"),
      await quizstore("key", "create", "--store", shop.domain, "--scopes", "quizzes:read,quizzes:eat"),
      await quizstore("store", "update", shop.domain, "--limits", '{"capacty":5}'),
      await quizstore("store", "update", shop.domain, "--limits", "{"),
    ];
    for (const outcome of refused) {
      expect([1, 2], outcome.stdout).toContain(outcome.status);
      expect(outcome.stdout).toBe("");
      expect(outcome.stderr.trim().length).toBeGreaterThan(10);
    }
    expect((await quizstore("store", "list")).stdout).not.toContain("values.myshopify.com");
  });
});

describe("while nothing runs", () => {
  it("commands work on the same data, and the next start sees it [command-line.beside]", async () => {
    expect(await program.stop()).toBe(0);
    const offline = await newKey(data, shop.domain);
    const imported = await importQuiz(data, shop.domain, shortQuiz, "--name", "Offline", "--publish");
    const v = new Visit({
      url: "",
      store: shop.publishable_key,
      quiz_id: imported.quiz_id,
      version_id: imported.version_id ?? "",
    });
    const events = [v.opened(), v.chose("first", "pick", "one"), v.wrote("contact", "mail", "offline@example.com")];
    await importLines(data, "events", shop.domain, [v.line(events)]);
    program = await start(data);
    const people = await client(program.url, offline.key).get<ListOf<Person>>("/v1/profiles?q=offline@example.com");
    expect(people.body.data.map(({ sessions_count }) => sessions_count)).toEqual([1]);
    expect((await storeOf(key.key)).status).toBe(200);
  });
});

describe("starting", () => {
  it("is refused on a directory that a running program holds, naming its pid [operations.one-server]", async () => {
    // as npm starts it: what watches over npm must not hold up the refusal
    const outcome = await run(["start", "--data", data, "--port", String(await freePort()), "--no-demo"], {
      npm_lifecycle_event: "start",
    });
    expect(expectFailure({ ...outcome, stdout: "" }, 1)).toContain(String(program.pid));
    expect((await storeOf(key.key)).status).toBe(200);
  });

  it("is refused on a port that is taken, naming it [command-line.output]", async () => {
    const other = await freshFolder();
    const outcome = await run(["start", "--data", other, "--port", String(program.port), "--no-demo"]);
    // a server logs to standard error too, such as that it builds the dashboard
    const stderr = outcome.stderr.replaceAll(/^\{.*\n/gm, "");
    expect(expectFailure({ ...outcome, stdout: "", stderr }, 1)).toContain(String(program.port));
    await cleanUp(other);
  });
});
