import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { openCopies } from "../../testkit/copies.ts";
import { handOverDue } from "../../testkit/deliveries.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { erasePersonIn, verifyIn } from "../../testkit/erasure.ts";
import { completeExport, putExport } from "../../testkit/exports.ts";
import { type FinderShop, openFinderShop } from "../../testkit/finder-shop.ts";
import { startRedis } from "../../testkit/redis.ts";
import { finish, say } from "../../testkit/session-scripts.ts";
import { sessionId, sessionRow } from "../../testkit/storefront.ts";
import type { ColumnarCopies } from "../columnar-copy/public.ts";
import { sweepExports } from "../exports/sweep.ts";
import { RedisCache } from "../platform/cache/redis.ts";
import { readConfig } from "../platform/config.ts";
import { ownStore, raw, sql } from "../platform/database/sql.ts";
import { openFiles } from "../platform/files/open.ts";
import { contactIdentity } from "../sessions/public.ts";

/**
 * A store with contacts in every place and in many notations; after the erasures, everything that is left, database,
 * files, copies, logs, responses and Redis, is dumped and searched by `grep`, which knows nothing of how the program
 * finds contacts, and compared with what a verification says [erasure.places, erasure.verify].
 */

const redis = await startRedis();

interface Persona {
  /** as typed in a field of its kind, and stored */
  kind: "mail" | "phone";
  value: string;
  country: string | null;
  /** what others write about them */
  notations: string[];
}

const personas: Persona[] = [
  {
    kind: "mail",
    value: "zaphyra.quill@mail.example",
    country: null,
    notations: [
      "Zaphyra.Quill@Mail.example",
      "zaphyra.quill\u200b@mail.example",
      "ｚａｐｈｙｒａ．ｑｕｉｌｌ＠ｍａｉｌ．ｅｘａｍｐｌｅ",
      "mailto:zaphyra.quill@mail.example?subject=x",
      "<zaphyra.quill@mail.example>,",
      "zaphyra.quill%40mail.example",
    ],
  },
  {
    kind: "mail",
    value: "orlindo@bücherei.example",
    country: null,
    notations: ["ORLINDO@xn--bcherei-n2a.example", "orlindo@BÜCHEREI.example", "orlindo%40b%C3%BCcherei.example"],
  },
  {
    kind: "phone",
    value: "+525538172946",
    country: "MX",
    notations: ["+52 1 55 3817 2946", "044 55 3817 2946", "1 55 38 17 29 46", "٥٢ ١ ٥٥ ٣٨١٧ ٢٩٤٦", "55-3817-2946"],
  },
  {
    kind: "phone",
    value: "+4915127364859",
    country: "DE",
    notations: [
      "0151 / 273 648 59",
      "0049-151-27364859",
      "+49 (0)151 27364859",
      "tel:+49-151-27364859",
      "０１５１　２７３６４８５９",
      "०१५१ २७३६४८५९",
      "0151\u200b2736\u00ad4859",
      "011 49 151 27364859",
      "0 1 5 1 2 7 3 6 4 8 5 9",
      "0170 5550123 0151 27364859",
    ],
  },
  {
    kind: "phone",
    value: "+5491138274619",
    country: "AR",
    notations: ["+54 11 3827 4619", "+54 9 11 3827-4619", "011 15-3827-4619", "11 3827 4619"],
  },
  {
    kind: "phone",
    value: "+390638472915",
    country: "IT",
    notations: ["+39 06 3847 2915", "06/38472915", "+39 6 3847 2915", "٠٦ ٣٨٤٧ ٢٩١٥"],
  },
  {
    kind: "phone",
    value: "+13405182937",
    country: "VI",
    notations: ["(340) 518-2937", "1 340 518 2937", "+1.340.518.2937", "340·518·2937"],
  },
  {
    kind: "phone",
    value: "+79126483715",
    country: "RU",
    notations: ["8 (912) 648-37-15", "7 912 648 37 15", "+۷۹۱۲۶۴۸۳۷۱۵"],
  },
];

let t: TestApp;
let shop: FinderShop;
let store: TestStore;
let copies: ColumnarCopies;
let cache: RedisCache | null = null;
const dataDir = mkdtempSync(join(tmpdir(), "quizstore-erased-"));
const dumpDir = mkdtempSync(join(tmpdir(), "quizstore-dump-"));
const replayed: string[] = [];
const ids = new Map<Persona, string>();
let endpoint = "";

beforeAll(async () => {
  const config = readConfig({ BASE_URL: "http://api.test", DATA_DIR: dataDir });
  cache = redis === null ? null : await RedisCache.open({ url: redis.url, random: Math.random });
  t = await openTestApp({ config, ...(cache === null ? {} : { cache }), files: openFiles(config.exportStorage) });
  shop = await openFinderShop(t);
  ({ store } = shop);
  await t.update(store, { limits: { capacity: 1_000_000, leak_per_second: 1_000_000 } });
  const { database, calendar, log } = t.foundations;
  copies = await openCopies({ directory: join(dataDir, "facts"), database, calendar, log });
  endpoint = (
    await createEndpoint(t, store, {
      topics: ["quiz.started", "quiz.finished", "identity.captured", "profile.created", "export.completed"],
      include_pii: true,
    })
  ).id;
});
afterAll(async () => {
  await copies.close();
  await t.close();
  await cache?.close();
  await redis?.stop();
  for (const folder of [dataDir, dumpDir]) rmSync(folder, { recursive: true, force: true });
});

const db = () => t.database.reader().forStore(store.uuid);
const ask = (method: string, path: string, body?: unknown, headers = {}) =>
  t.request(method, path, { key: store.key, ...(body === undefined ? {} : { body }), headers });
const searchFor = (value: string) => {
  const term = {
    quiz_id: shop.quiz.id,
    kind: "text",
    page_key: "contact",
    component_key: "remark",
    op: "contains",
    value,
  };
  return { groups: [{ all: [term] }] };
};
const traffic = (by: string) => `/v1/quizzes/${shop.quiz.id}/analytics/traffic?by=${by}`;

let sessions = 0;
let orders = 0;

/** A visit of the person, with everything else that they leave. */
async function leaveOwn(persona: Persona): Promise<void> {
  sessions += 1;
  const more = persona.kind === "mail" ? { consent: true } : {};
  const own = [say("contact", persona.kind, persona.value, more), say("contact", "remark", `secret-of-${sessions}`)];
  await shop.take(sessions, [...own, finish("result")], { session: { utm: { term: persona.value } } });
  const id = (await sessionRow(t, store, sessionId(sessions)))?.profile_id;
  expect(id, persona.value).toEqual(expect.any(String));
  ids.set(persona, `prof_${id?.replaceAll("-", "")}`);
}

/** What others leave of a person, in one notation, wherever a text goes. */
async function leaveOthers(persona: Persona, notation: string): Promise<void> {
  sessions += 1;
  const text = `please ask ${notation} about it`;
  const link = encodeURIComponent(notation);
  const session = {
    page_url: `https://shop.example/for/${link}/x`,
    placement: `at ${notation}`.slice(0, 200),
    referrer: /^[0-9 ]{8,16}$/.test(notation) ? `https://${notation.replaceAll(" ", "")}.example/` : null,
    utm: { source: notation, medium: text, campaign: `c ${notation}`, content: notation, term: link },
    client_hints: { platform: "Android", model: `of ${notation}`, mobile: true },
  };
  const stranger = `stranger${sessions}@other.example`;
  const typed = [say("contact", "mail", stranger), say("contact", "remark", text), finish("result")];
  await shop.take(sessions, typed, { session });
  orders += 1;
  const contact = persona.kind === "mail" ? { email: notation } : { phone: notation };
  const country = { country_code: persona.country };
  // what is dialled in one country is another number in another
  const read = contactIdentity(persona.kind === "mail" ? "email" : "phone", notation, persona.country);
  const isTheirs = persona.kind === "phone" && read === contactIdentity("phone", persona.value, null);
  const payload = shopOrder(orders, t.calendar.now(), {
    email: stranger,
    lines: [{ title: text }, { title: "Cream 50 ml" }],
    ...(isTheirs ? { phone: notation, billing_address: country } : {}),
  });
  await postWebhook(t, store, { topic: "orders/create", payload });
  await postWebhook(t, store, {
    topic: "customers/data_request",
    payload: { customer: { id: orders, email: null, phone: null, ...contact }, orders_requested: [] },
  });
  const key = `key-${sessions}`;
  replayed.push(key);
  const body = { dataset: "profiles", search: searchFor(notation) };
  const asked = await ask("POST", "/v1/exports", body, { "idempotency-key": key });
  expect([asked.status, asked.body]).toEqual([202, expect.anything()]);
  await completeExport(t, store, asked.body.id);
}

const originals = new Map<string, Body>();
const readNormal = (text: string): string =>
  decoded(text)
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/\p{Nd}/gu, (digit) => digitOf(digit))
    .toLowerCase();
const decoded = (text: string): string => {
  const once = (from: string) =>
    from.replace(/(?:%[0-9a-f]{2})+/gi, (part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
  return once(once(text));
};
/** Each script has its ten digits in a row. */
const digits = new Map(
  [0x30, 0x660, 0x6f0, 0x966, 0xff10].flatMap((zero) =>
    Array.from({ length: 10 }, (_, value) => [String.fromCodePoint(zero + value), String(value)] as const),
  ),
);
const digitOf = (digit: string): string => digits.get(digit) ?? digit;

/** Writes everything that is left into files. */
async function dump(): Promise<string> {
  const folder = mkdtempSync(join(dumpDir, "at-"));
  const client = new pg.Client(t.connection);
  await client.connect();
  const { rows: tables } = await client.query(
    "SELECT c.relname AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace",
  );
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT to_jsonb(t) AS row FROM ${name} t`);
    writeFileSync(join(folder, `table-${name}`), readNormal(rows.map(({ row }) => JSON.stringify(row)).join("\n")));
  }
  await client.end();
  const copyFiles = (from: string, called: string): void => {
    for (const name of readdirSync(from)) {
      const path = join(from, name);
      if (statSync(path).isDirectory()) copyFiles(path, `${called}-${name}`);
      else writeFileSync(join(folder, `${called}-${name}`), readNormal(readFileSync(path, "utf8")));
    }
  };
  copyFiles(dataDir, "file");
  writeFileSync(join(folder, "log"), readNormal(t.logged.join("\n")));
  const answers: string[] = [];
  for (const key of replayed) {
    const again = await ask("POST", "/v1/exports", originals.get(key), { "idempotency-key": key });
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([202, "true"]);
    answers.push(again.text);
  }
  writeFileSync(join(folder, "replays"), readNormal(answers.join("\n")));
  const pages = ["/v1/exports", "/v1/events", "/v1/profiles", `/v1/webhooks/${endpoint}/deliveries`];
  const shown = await Promise.all(
    [...pages, ...["page_url", "utm_term", "utm_source"].map(traffic)].map((path) => ask("GET", path)),
  );
  writeFileSync(join(folder, "answers"), readNormal(shown.map(({ text }) => text).join("\n")));
  return folder;
}

/** The files of a dump in which `grep` finds the person: a phone with any signs between its digits. */
function grep(folder: string, { kind, value }: Persona): string[] {
  const [local = ""] = value.split("@");
  // Italy's 0 and Argentina's 9 may be missing, so the last nine digits are looked for, as nobody else has them
  const last = [...value.slice(-9).replace(/^0/, "")];
  const pattern = kind === "mail" ? local.replaceAll(".", "\\.") : last.join("[^0-9a-z]{0,6}");
  try {
    const found = execFileSync("grep", ["-alErs", pattern, folder], { encoding: "utf8" });
    return found
      .trim()
      .split("\n")
      .map((path) => path.slice(folder.length + 1))
      .sort();
  } catch (error) {
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}

describe("a store with contacts in every place", () => {
  it("has them there, in all notations", async () => {
    for (const persona of personas) {
      await leaveOwn(persona);
      for (const notation of persona.notations) {
        const body = { dataset: "profiles", search: searchFor(notation) };
        originals.set(`key-${sessions + 1}`, body);
        await leaveOthers(persona, notation);
      }
    }
    await putExport(t, store, { dataset: "profiles", text: personas.map(({ value }) => value).join("\n") });
    t.calendar.advance(60_000);
    await handOverDue(t);
    await db().all(sql`UPDATE webhook_deliveries SET status = 'delivered', last_response = left(payload, 500)
      WHERE store_id = ${ownStore}`);
    for (const by of ["page_url", "utm_term", "utm_source"]) expect((await ask("GET", traffic(by))).status).toBe(200);
    await copies.ask(store.uuid, sql`SELECT 1 AS one`);
    const before = await dump();
    const places = new Set(personas.flatMap((persona) => grep(before, persona)));
    for (const table of ["sessions", "session_events", "order_lines", "commerce_requests", "exports", "outbox"]) {
      expect(places).toContain(`table-${table}`);
    }
    for (const place of ["table-webhook_deliveries", "table-identities", "replays", "answers"])
      expect(places).toContain(place);
    for (const persona of personas) expect(grep(before, persona).length).toBeGreaterThan(5);
  });

  it("has none of an erased person anywhere, which another program and the verification agree on", async () => {
    for (const persona of personas) await erasePersonIn(t, store, ids.get(persona) ?? "");
    t.passTime(5_000);
    await copies.upkeep();
    await sweepExports({
      database: t.database,
      files: t.foundations.files,
      calendar: t.calendar,
      log: t.foundations.log,
    });
    const after = await dump();
    for (const persona of personas) {
      const found = grep(after, persona);
      expect({ value: persona.value, found }).toEqual({ value: persona.value, found: [] });
      const verified = await verifyIn(t, store, ids.get(persona) ?? "", [persona.value, ...persona.notations]);
      expect({ value: persona.value, found: verified.found }).toEqual({ value: persona.value, found: [] });
      expect(verified.ok).toBe(true);
    }
    // the strangers are all there
    const left = await db().first<{ n: number }>(
      sql`SELECT count(*)::int AS n FROM identities WHERE store_id = ${ownStore} AND value LIKE 'stranger%'`,
    );
    expect(left?.n).toBe(personas.flatMap(({ notations }) => notations).length);
  });

  it("is seen by both where one notation is put back into any column", async () => {
    const columns = [
      ...["sessions.page_url", "sessions.utm_term", "sessions.placement", "sessions.region", "order_lines.title"],
      ...["webhook_deliveries.last_response", "quiz_versions.label", "orders.name"],
    ];
    for (const place of columns) {
      const [table = "", column = ""] = place.split(".");
      const write = (text: string) =>
        db().all(sql`UPDATE ${raw(table)} SET ${raw(column)} = ${text} WHERE store_id = ${ownStore}`);
      for (const persona of personas.slice(1, 3)) {
        await write(`x ${persona.notations[0]}`);
        const { found } = await verifyIn(t, store, ids.get(persona) ?? "");
        const { value } = persona;
        expect({ place, value, found }).toEqual({
          ...{ place, value },
          found: [{ place, found: expect.any(Number), what: "contact" }],
        });
        expect(grep(await dump(), persona)).toContain(`table-${table}`);
        await write("x");
      }
    }
  });

  it.runIf(redis)("leaves in Redis only what ends by itself, within an hour [erasure.cached-figures]", async () => {
    const client = createClient({ url: redis?.url ?? "" });
    await client.connect();
    const keys = await client.keys("*");
    for (const key of keys) {
      const ttl = await client.pTTL(key);
      expect([key, ttl > 0 && ttl <= 3_600_000]).toEqual([key, true]);
    }
    await client.close();
  });
});
