import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../testkit/machine.ts";
import { startDebianPostgres } from "./debian-postgres.ts";
import { type Client, client, type ListOf } from "./http.ts";
import { answers, cleanUp, freshFolder, launch, type Running, run, type Settings, until } from "./program.ts";
import { filledDemoFolder } from "./shared-program.ts";

/**
 * The demo shop moves by `quizstore database copy`: from the embedded database to Debian's older PostgreSQL, with kills
 * on the way, and from there into a new embedded one. Every answer of the API stays the same.
 */

const postgres = await startDebianPostgres();

interface Document {
  paths: Record<string, { get?: { parameters?: { name?: string; in?: string }[] } }>;
}

let folder: string;
let data: string;
let key: string;
let before: Map<string, string>;

beforeAll(async () => {
  [folder, data] = [await freshFolder(), await filledDemoFolder()];
  ({ key } = JSON.parse(await readFile(join(data, "demo.json"), "utf8")) as { key: string });
}, 600_000);

afterAll(async () => {
  await postgres?.stop();
  await Promise.all([cleanUp(folder), cleanUp(data)]);
});

const base = { BASE_URL: "https://quiz.test", LOG_LEVEL: "warn" };

async function serving<T>(args: string[], settings: Settings, work: (api: Client) => Promise<T>): Promise<T> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = await launch([...args, "--port", String(port)], { ...base, ...settings }, () => answers(url));
  try {
    return await work(client(url, key));
  } finally {
    expect(await program.stop()).toBe(0);
  }
}

/** Days that are over, so that nothing that happens meanwhile changes a figure. */
function days(): string {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  return `from=${day(20)}&to=${day(2)}`;
}

/** Each GET of /v1 that a key may request, with ids of up to two of each, and what it answered. */
async function everyAnswer(api: Client): Promise<Map<string, string>> {
  const document = (await api.get<Document>("/openapi.json")).body;
  const found = new Map<string, string>();
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (!get) continue;
    const has = (name: string) => get.parameters?.some((one) => one.name === name) ?? false;
    const by = path.endsWith("/traffic") ? "by=utm_source" : "by=device";
    const query = [has("from") && days(), has("tz") && "tz=UTC", has("by") && by].filter(Boolean).join("&");
    for (const at of await filledIn(api, path)) {
      const whole = `${at}${query === "" ? "" : `?${query}`}`;
      found.set(whole, await settled(api, whole));
    }
  }
  return found;
}

/** The requests that are answered otherwise than before, with both answers from where they differ. */
async function changed(api: Client): Promise<string[][]> {
  const after = await everyAnswer(api);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [one = "none", other = "none"] = [before.get(path), after.get(path)];
    if (one === other) return [];
    const at = Math.max(0, [...one].findIndex((letter, index) => letter !== other[index]) - 40);
    return [[path, one.slice(at, at + 200), other.slice(at, at + 200)]];
  });
}

/** A path with its parameters replaced by ids that the list above them answers with. */
async function filledIn(api: Client, path: string): Promise<string[]> {
  const parameter = /\{\w+\}/.exec(path)?.[0];
  if (parameter === undefined) return [path];
  const [list = "", rest = ""] = path.split(`/${parameter}`);
  const { body, text } = await asked(api, `${list}?limit=2`);
  if (!body.data) throw new Error(`${list}: ${text}`);
  const ids = body.data.map((one) => one["id"] ?? Object.values(one).find((value) => /^\w+_[0-9a-f]{32}$/.test(value)));
  return (await Promise.all(ids.map((id) => filledIn(api, `${list}/${id}${rest}`)))).flat();
}

/** Asked again while figures are computed, or a limit is reached. */
const asked = (api: Client, path: string) =>
  until(
    () => api.get<ListOf<Record<string, string>>>(path),
    ({ status, text }) => ![429, 503].includes(status) && !text.includes('"pending":true'),
    120,
  );

const volatile = new Set(["freshness", "request_id", "next_cursor", "credits"]);

/** An answer's status and text, without what says when it was computed. */
async function settled(api: Client, path: string): Promise<string> {
  const { status, body } = await asked(api, path);
  return `${status} ${JSON.stringify(body, (name, value) => (volatile.has(name) ? undefined : value))}`;
}

const copied = (url: string, settings: Settings = {}, from = data) =>
  run(["database", "copy", "--to", url, "--data", from, "--json"], settings);

/** Kills the copy when it has finished that many tables; returns how many it had. */
async function killAfter(tables: number, url: string): Promise<number> {
  const lines = (said: string) => said.split("\n").filter((line) => /: \d+ rows/.test(line)).length;
  const copy: Running = await launch(
    ["database", "copy", "--to", url, "--data", data],
    {},
    ({ stderr }) => lines(stderr()) >= tables,
  );
  await copy.kill();
  return lines(copy.stderr());
}

interface Report {
  rows: number;
  tables: { table: string; rows: number; digest: string; earlier: boolean }[];
}

describe.runIf(postgres)("the demo shop's database", () => {
  const url = () => postgres?.url("moved") ?? "";
  let report: Report;
  const settings = async (): Promise<Settings> => ({
    DATABASE_URL: url(),
    SECRET_KEY: (await readFile(join(data, "secret.key"), "utf8")).trim(),
  });

  it("answers every request before it is copied", async () => {
    before = await serving(["start", "--data", data, "--no-demo"], {}, async (api) => {
      const { status, stderr } = await copied(url());
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/Another quizstore is running .*\(pid \d+\); stop it/),
      ]);
      return everyAnswer(api);
    });
    const fine = [...before].filter(([, answer]) => answer.startsWith("200 "));
    expect(fine.length).toBeGreaterThan(30);
  }, 600_000);

  it("is copied to Debian's PostgreSQL, whatever kills the copy [operations.database-copy, operations.database-copy-again]", async () => {
    await postgres?.tool("createdb", "moved");
    let reached = 0;
    for (const tables of [1, 8, 20, 30]) {
      reached = await killAfter(tables, url());
      // nobody serves half a shop
      const served = await run(["store", "list", "--data", join(folder, "early")], await settings());
      expect([served.status, served.stderr]).toEqual([1, expect.stringContaining("is an unfinished copy of another")]);
    }
    const { status, stderr, json } = await copied(url());
    expect([status, stderr]).toEqual([0, expect.stringContaining("The copy is complete")]);
    report = json as Report;
    expect(report.tables.filter(({ earlier }) => earlier).length).toBeGreaterThanOrEqual(reached);
    expect(report.tables.find(({ table }) => table === "session_events")?.rows).toBeGreaterThan(10_000);
    expect((await copied(url())).stderr).toContain("the database of --to is not empty");
  }, 600_000);

  it("gives every answer as before there, with the same key alone [operations.database-copy, operations.secret-key]", async () => {
    const other = { ...(await settings()), SECRET_KEY: "another key, also of more than 32 characters" };
    const refused = await run(["serve", "--data", join(folder, "other"), "--port", "0"], other);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("is not the key that the secrets")]);
    expect(await serving(["serve", "--data", join(folder, "machine")], await settings(), changed)).toEqual([]);
  }, 600_000);

  it("is copied on into an embedded database, which a newer release may have made [operations.database-copy, operations.database-open]", async () => {
    const fresh = join(folder, "fresh");
    const open = await launch(["database", "open", "--create", "--data", fresh], {}, ({ stderr }) => stderr() === "");
    const shown = await until(
      async () => /^postgres:\S+$/m.exec(open.stdout())?.[0] ?? "",
      (text) => text !== "",
    );
    const { status, stderr, json } = await copied(shown, await settings(), join(folder, "machine"));
    expect([status, stderr]).toEqual([0, expect.stringContaining("The copy is complete")]);
    expect(await open.stop()).toBe(0);
    const written = new Set(["calendar", "facts_copies", "user_sessions", "api_keys"]);
    const same = ({ tables }: Report) =>
      tables.flatMap(({ table, rows, digest }) => (written.has(table) ? [] : [[table, rows, digest]]));
    expect(same(json as Report)).toEqual(same(report));
    await writeFile(join(fresh, "secret.key"), await readFile(join(data, "secret.key")));
    expect(await serving(["start", "--data", fresh, "--no-demo"], {}, changed)).toEqual([]);
  }, 600_000);
});
