import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shortQuiz } from "./documents.ts";
import { type Client, client, type ListOf, type Person, pagesOf } from "./http.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, command, type Program, run, start, until } from "./program.ts";
import { type Endpoint, openReceiver, type Receiver, subscribe, verified } from "./receiver.ts";
import { newKey, openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { newId, Visit } from "./visit.ts";
import { daysAgo, sendWeek, type Week } from "./week.ts";

/** Files of people, responses and figures, from the request to the last byte. */

interface Export {
  id: string;
  dataset: string;
  format: string;
  status: string;
  source: string;
  filters: Record<string, unknown>;
  requested_at: string;
  started_at: string | null;
  completed_at: string | null;
  expires_at: string;
  row_count: number | null;
  bytes: number | null;
  error: string | null;
  urls: Record<string, string>;
  download_url?: string;
  download_url_expires_at?: string;
}

type Row = Record<string, unknown>;

let data: string;
let receiver: Receiver;
let settings: Record<string, string>;
let program: Program;
let shop: Shop;
let api: Client;
let week: Week;
let endpoint: Endpoint & { secret: string };
let odd: Visit;

beforeAll(async () => {
  data = await installedFolder();
  receiver = await openReceiver();
  settings = { WEBHOOK_ALLOW_HOSTS: receiver.host, GEO_COUNTRY_HEADER: "x-country" };
  program = await start(data, settings);
  const limits = { capacity: 100_000, leak_per_second: 10_000, analytics_soft_ttl_seconds: 1 };
  ({ shop, api } = await openShopWithKey(program, { limits }));
  const topics = ["export.completed", "quiz.finished"];
  endpoint = await subscribe(api, receiver.address("/exports"), topics, { include_pii: true });
  await publishQuiz(program, shop, shortQuiz, "Another quiz");
  week = await sendWeek(program, shop, api);
  await week.finishNight();
  odd = new Visit(week.live, { session: { visitor_id: newId("vis") } });
  const answers = [
    odd.wrote("about_page", "story", '=SUM(A1), "quoted"\nnext line'),
    odd.wrote("about_page", "age", 18),
  ];
  await odd.send(odd.opened(), ...answers, odd.wrote("contact", "mail", "odd@example.com"));
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await receiver?.close();
  await cleanUp(data);
});

const read = async (id: string, as = api): Promise<Export> => {
  const answer = await as.get<Export>(`/v1/exports/${id}`);
  expect([id, answer.status], answer.text).toEqual([id, 200]);
  return answer.body;
};

/** Requests an export and polls its own address until it is there. */
async function made(body: Row): Promise<Export> {
  const asked = await api.post<Export>("/v1/exports", body);
  expect(asked.status, asked.text).toBe(202);
  expect(asked.headers.get("location")).toBe(asked.body.urls["self"]);
  const { dataset, format = "csv", ...filters } = body;
  const unbuilt = { status: "pending", source: "api", row_count: null, bytes: null, error: null };
  expect(asked.body).toMatchObject({ dataset, format, filters, ...unbuilt });
  const done = await until(
    () => read(asked.body.id),
    ({ status }) => status !== "pending" && status !== "running",
  );
  expect(done, asked.text).toMatchObject({ id: asked.body.id, status: "completed", error: null });
  return done;
}

async function bytesOf(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers, redirect: "manual" });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function download({ download_url = "", bytes }: Export): Promise<Buffer> {
  const file = await bytesOf(download_url);
  expect([file.status, file.bytes.length]).toEqual([200, bytes]);
  const digest = createHash("sha256").update(file.bytes).digest("base64");
  expect(file.headers.get("repr-digest")).toBe(`sha-256=:${digest}:`);
  expect(file.headers.get("content-disposition")).toContain("attachment");
  return file.bytes;
}

interface JsonFile {
  dataset: string;
  filters: Row;
  generated_at: string;
  items: Row[];
}

async function jsonOf(body: Row): Promise<JsonFile> {
  const done = await made({ ...body, format: "json" });
  const file = JSON.parse((await download(done)).toString("utf8")) as JsonFile;
  expect(Object.keys(file).sort()).toEqual(["dataset", "filters", "generated_at", "items"]);
  expect([file.dataset, file.filters, file.items.length]).toEqual([body["dataset"], done.filters, done.row_count]);
  return file;
}

/** Cells as a spreadsheet reads them: quotes doubled inside quotes, line breaks kept. */
function cells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

async function csvOf(body: Row): Promise<Record<string, string>[]> {
  const done = await made({ ...body, format: "csv" });
  const file = await download(done);
  expect(file.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  const [head = [], ...rows] = cells(file.subarray(3).toString("utf8"));
  expect(rows.map((row) => row.length)).toEqual(rows.map(() => head.length));
  expect(rows).toHaveLength(done.row_count ?? -1);
  return rows.map((row) => Object.fromEntries(row.map((cell, index) => [head[index] ?? "", cell])));
}

const byId = <T extends { id?: unknown }>(rows: T[]): T[] =>
  rows.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
const twoDays = () => ({ from: daysAgo(2), to: daysAgo(1) });

describe("profiles", () => {
  it("hold every person as the list has them, in both formats [exports.profiles]", async () => {
    const people = (await pagesOf<Person>(api, "/v1/profiles?limit=2")).flat();
    expect(people).toHaveLength(4);
    const { items } = await jsonOf({ dataset: "profiles" });
    expect(byId(items)).toEqual(byId(people));
    const rows = await csvOf({ dataset: "profiles" });
    expect(rows.map(({ id }) => id).sort()).toEqual(people.map(({ id }) => id).sort());
    for (const person of people) {
      const row = rows.find(({ id }) => id === person.id);
      expect(row).toMatchObject({ email: person.email ?? "", phone: person.phone ?? "" });
      expect(row).toMatchObject({ orders_count: String(person.orders_count), last_seen_at: person.last_seen_at });
    }
    // a phone number is no formula
    expect(rows.map(({ phone }) => phone)).toContain("+4915112345670");
  });

  it("hold the people of a search and of days alone [exports.filters, exports.search]", async () => {
    const search = { has_order: true };
    const found = await api.post<ListOf<Person>>("/v1/profiles/search", search);
    const { items, filters } = await jsonOf({ dataset: "profiles", search });
    expect(byId(items)).toEqual(byId(found.body.data));
    expect(items).toHaveLength(2);
    expect(filters).toMatchObject({ from: null, to: null, quiz_id: null, tz: null, search });
    const recent = await jsonOf({ dataset: "profiles", ...twoDays(), tz: "Europe/Berlin" });
    expect(recent.items.map(({ email }) => email).sort()).toEqual(
      ["ada", "bea", "hans"].map((of) => `${of}@example.com`),
    );
    expect(recent.filters).toMatchObject({ ...twoDays(), tz: "Europe/Berlin" });
  });
});

describe("responses", () => {
  it("hold every session that started [exports.responses]", async () => {
    const { items } = await jsonOf({ dataset: "responses" });
    const begun = week.all.filter(({ started }) => started !== null).map(({ id }) => id);
    expect(items.map(({ id }) => id).sort()).toEqual([...begun, odd.session.id].sort());
    const of = (id: string): Row => items.find((item) => item["id"] === id) ?? {};
    const open = of(odd.session.id);
    expect(open).toMatchObject({ answered_count: 3, answers: { age: { value: 18 } }, quiz_name: "Full quiz" });
    expect(open["identities"]).toMatchObject([{ kind: "email", value: "odd@example.com", component_key: "mail" }]);
    expect(of(week.named("leaves").id)["completed_at"] ?? null).toBeNull();
  });

  it("have a column for each question, and no cell that runs [exports.question-columns, exports.safe-cells]", async () => {
    const rows = await csvOf({ dataset: "responses", quiz_id: week.live.quiz_id });
    expect(rows).toHaveLength(10);
    const find = (id: string): string[] => Object.values(rows.find((row) => Object.values(row).includes(id)) ?? {});
    expect(find(week.named("ada").id)).toEqual(expect.arrayContaining(["Label of dry", "Label of matte", "41"]));
    expect(find(week.named("ada").id)).toContain("ada@example.com");
    const told = find(odd.session.id);
    expect(told).toContain(`'=SUM(A1), "quoted"\nnext line`);
    expect(told.filter((cell) => /^[=@\t\r]/.test(cell))).toEqual([]);
    const heads = Object.keys(rows[0] ?? {}).join("\n");
    for (const key of ["skin", "concerns", "look", "story", "age"]) expect(heads).toContain(key);
  });

  it("hold the sessions of some days and of the people found [exports.filters, exports.search]", async () => {
    const some = await jsonOf({ dataset: "responses", ...twoDays(), search: { has_order: true } });
    expect(some.items.map(({ id }) => id).sort()).toEqual([week.named("ada").id, week.named("jumps").id].sort());
  });
});

describe("figures", () => {
  it("hold the overview's points of every quiz and day, in both formats [exports.quiz-analytics]", async () => {
    const { items } = await jsonOf({ dataset: "quiz_analytics", ...twoDays(), tz: "Asia/Kolkata" });
    expect(items).toHaveLength(4);
    const query = `from=${daysAgo(2)}&to=${daysAgo(1)}&tz=Asia/Kolkata`;
    const path = `/v1/quizzes/${week.live.quiz_id}/analytics/overview?${query}`;
    const { series } = (await api.get<{ series: Row[] }>(path)).body;
    const mine = items.filter((item) => item["quiz_id"] === week.live.quiz_id);
    expect(mine).toEqual(series.map((point) => ({ ...point, quiz_id: week.live.quiz_id, quiz_name: "Full quiz" })));
    const rows = await csvOf({
      dataset: "quiz_analytics",
      ...twoDays(),
      tz: "Asia/Kolkata",
      quiz_id: week.live.quiz_id,
    });
    expect(rows.map(({ day, starts, completions }) => [day, Number(starts), Number(completions)])).toEqual(
      series.map(({ day, starts, completions }) => [day, starts, completions]),
    );
  });
});

describe("a download", () => {
  let done: Export;

  beforeAll(async () => {
    done = await made({ dataset: "profiles" });
  });

  it("goes on where it broke off [exports.ranges]", async () => {
    const whole = await download(done);
    const url = done.download_url ?? "";
    const rest = await bytesOf(url, { range: "bytes=100-" });
    expect([rest.status, rest.headers.get("content-range")]).toEqual([
      206,
      `bytes 100-${whole.length - 1}/${whole.length}`,
    ]);
    expect(rest.bytes.equals(whole.subarray(100))).toBe(true);
    const tail = await bytesOf(url, { range: "bytes=-7" });
    expect([tail.status, tail.bytes.equals(whole.subarray(-7))]).toEqual([206, true]);
    const beyond = await bytesOf(url, { range: `bytes=${whole.length}-` });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${whole.length}`]);
  });

  it("is linked for an hour at each read, and by no list [exports.links, exports.list]", async () => {
    const [first, second] = [await read(done.id), await read(done.id)];
    for (const { download_url_expires_at = "" } of [first, second]) {
      const left = Date.parse(download_url_expires_at) - Date.now();
      expect(left).toBeGreaterThan(3_500_000);
      expect(left).toBeLessThanOrEqual(3_600_500);
    }
    expect(Date.parse(done.expires_at) - Date.parse(done.completed_at ?? "")).toBe(7 * 86_400_000);
    const listed = (await pagesOf<Export>(api, "/v1/exports?limit=3")).flat();
    const { download_url, download_url_expires_at, ...summary } = first;
    expect(listed[0]).toEqual(summary);
    expect([typeof download_url, typeof download_url_expires_at]).toEqual(["string", "string"]);
    expect(listed.filter((one) => "download_url" in one)).toEqual([]);
    const times = listed.map(({ requested_at }) => requested_at);
    expect(times).toEqual(times.toSorted().reverse());
  });

  it("is not found by a foreign key, nor by a link that was touched [exports.one-file]", async () => {
    const stranger = await openShopWithKey(program);
    expect((await stranger.api.get(`/v1/exports/${done.id}`)).status).toBe(404);
    expect((await api.get(`/v1/exports/${newId("exp")}`)).status).toBe(404);
    expect((await stranger.api.get<ListOf<Export>>("/v1/exports")).body.data).toEqual([]);
    const url = done.download_url ?? "";
    const another = await made({ dataset: "quiz_analytics", ...twoDays() });
    const swapped = url.replace(done.id, another.id);
    const spots = [1, 5, 20].map((back) => {
      const at = url.length - back;
      return `${url.slice(0, at)}${url[at] === "0" ? "1" : "0"}${url.slice(at + 1)}`;
    });
    const touched = [
      ...spots,
      url.slice(0, -1),
      `${url}0`,
      url.split("?")[0] ?? "",
      ...(swapped === url ? [] : [swapped]),
    ];
    for (const one of touched.filter((address) => address !== url)) {
      const answer = await bytesOf(one);
      expect([one, answer.status]).toEqual([one, 404]);
      expect(answer.bytes.toString()).not.toContain("@example.com");
    }
  });
});

describe("a request", () => {
  it("for what is being built is refused, for another dataset it is not [exports.one-at-a-time]", async () => {
    const ask = () => Promise.all([1, 2].map(() => api.post<Export>("/v1/exports", { dataset: "responses" })));
    // a file of so few rows may be there before the second request is
    const both = await until(ask, (answers) => new Set(answers.map(({ status }) => status)).size === 2);
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
    // one of the two is a problem, whatever type was asked for
    expect(both.map(({ body: of }) => (of as unknown as Row)["title"])).toContain("conflict");
    expect((await api.post("/v1/exports", { dataset: "profiles" })).status).toBe(202);
  });

  it("needs the scope of its dataset, and a body that fits [exports.scopes, exports.request]", async () => {
    const key = await newKey(data, shop.store_id, ["analytics:read"]);
    const narrow = client(program.url, key.key);
    for (const dataset of ["profiles", "responses"]) {
      const answer = await narrow.post("/v1/exports", { dataset });
      expect([answer.status, answer.body.title, answer.body.required]).toEqual([
        ...[403, "insufficient_scope", ["profiles:read"]],
      ]);
    }
    const bodies = [
      ...[{}, { dataset: "people" }, { dataset: "profiles", format: "ods" }, { dataset: "profiles", tz: "Mars" }],
      ...[
        { dataset: "quiz_analytics", search: {} },
        { dataset: "profiles", quiz_id: newId("quiz") },
      ],
      ...[
        { dataset: "profiles", from: "yesterday" },
        { dataset: "profiles", columns: [] },
      ],
    ];
    for (const body of bodies) {
      const answer = await api.post("/v1/exports", body);
      expect([body, answer.status, answer.body.title]).toEqual([body, 422, "validation_error"]);
    }
  });
});

describe("export.completed", () => {
  it("tells of each file once, without a link [exports.event]", async () => {
    const completed = async () => (await pagesOf<Export>(api, "/v1/exports")).flat();
    const exports = await until(completed, (all) => all.every(({ status }) => status === "completed"));
    const mine = () => receiver.at("/exports").filter(({ envelope }) => envelope.type === "export.completed");
    await receiver.wait("/exports", () => mine().length >= exports.length);
    const objects = mine().map((one) => verified(endpoint.secret, one).data.object);
    const unlinked = { download_url: null, download_url_expires_at: null };
    expect(byId(objects)).toEqual(byId(exports.map((one) => ({ ...one, ...unlinked }))));
  });
});

describe("quizstore export", () => {
  it("creates, lists and downloads beside the running program [command-line.export-create, command-line.export-download]", async () => {
    const facts = ["--store", shop.store_id, "--dataset", "profiles", "--format", "json", "--wait"];
    const created = await command<Export>(data, "export", "create", ...facts);
    expect(created).toMatchObject({ dataset: "profiles", format: "json", status: "completed", row_count: 4 });
    const listed = await command<Export[] | { data: Export[] }>(data, "export", "list", "--store", shop.domain);
    const rows = Array.isArray(listed) ? listed : listed.data;
    expect(rows.map(({ id }) => id)).toEqual((await pagesOf<Export>(api, "/v1/exports")).flat().map(({ id }) => id));
    const out = join(data, "people.json");
    const where = ["export", "download", created.id, "--store", shop.store_id, "--out", out];
    await command(data, ...where);
    expect((await readFile(out)).equals(await download(await read(created.id)))).toBe(true);
    const again = await run([...where, "--data", data, "--json"]);
    expect([again.status, again.stdout]).toEqual([1, ""]);
    expect(again.stderr.trim().split("\n")).toHaveLength(1);
  });
});

/** Late: it is told a minute after it came in, and the others have taken some of that. */
describe("a session that was told of", () => {
  it("is in a file as its event told it [exports.responses]", async () => {
    const ada = week.named("ada");
    const all = await receiver.wait("/exports", (some) => some.some(({ text }) => text.includes(ada.id)), 75);
    const finished = all.find(({ envelope: { data: payload } }) => payload.object["id"] === ada.id);
    if (finished === undefined) throw new Error("not told");
    const { products_shown, terminal_page, ...told } = verified(endpoint.secret, finished).data.object;
    const { items } = await jsonOf({ dataset: "responses" });
    const item = items.find(({ id }) => id === ada.id) ?? {};
    expect(item).toMatchObject(told);
    expect([products_shown, item["products_shown"]]).toMatchObject([{ length: 2 }, { length: 2 }]);
    expect(item["terminal_page"]).toMatchObject({ page_key: (terminal_page as Row)["page_key"] });
  }, 90_000);
});

describe("seven days later", () => {
  it("the file is gone, and the list still shows it [exports.expiry]", async () => {
    const [newest] = (await api.get<ListOf<Export>>("/v1/exports?limit=1")).body.data;
    const { download_url = "" } = await read(newest?.id ?? "");
    await program.stop();
    program = await start(data, { ...settings, CLOCK_SPEED: "100000" }, program.port);
    const gone = await until(
      () => api.get(`/v1/exports/${newest?.id}`),
      ({ status }) => status !== 200,
    );
    expect([gone.status, gone.body.title]).toEqual([404, "not_found"]);
    expect((await bytesOf(download_url)).status).toBe(404);
    const all = (await pagesOf<Export>(api, "/v1/exports")).flat();
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(["expired"]));
  });
});
