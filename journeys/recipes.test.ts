import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installClient } from "../testkit/built-client.ts";
import { freePort } from "../testkit/machine.ts";
import { patience } from "../testkit/slowness.ts";
import type { Client, ListOf, Person, QuizSummary, VersionSummary } from "./http.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, freshFolder, type Program, start, until } from "./program.ts";
import { type Endpoint, ping } from "./receiver.ts";
import { openShopWithKey } from "./shop.ts";
import { daysAgo, sendWeek, type Week } from "./week.ts";

/** The recipes of the integrators' guide, run as they stand, over a week of visits whose figures are known. */

const recipes = join(import.meta.dirname, "../docs/recipes");
const guide = join(import.meta.dirname, "../docs/integrators.md");
const node = process.execPath;

let data: string;
/** a project of an integrator, with the recipes and the client */
let folder: string;
let program: Program;
let api: Client;
let week: Week;
let settings: Record<string, string>;

beforeAll(async () => {
  data = await installedFolder();
  folder = await freshFolder();
  await cp(recipes, folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
  await installClient(folder);
  const port = await freePort();
  program = await start(data, { WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  const opened = await openShopWithKey(program);
  api = opened.api;
  week = await sendWeek(program, opened.shop, api);
  settings = { QUIZSTORE_URL: program.url, QUIZSTORE_KEY: opened.key.key, PORT: String(port) };
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await cleanUp(data);
  await cleanUp(folder);
});

async function recipe(name: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(node, [join(folder, name), ...args], {
    env: settings,
    timeout: 60_000 * patience,
  });
  return stdout.trim().split("\n");
}

describe("the guide's recipes", () => {
  it("are all named in it", async () => {
    const text = await readFile(guide, "utf8");
    const missing = (await readdir(recipes)).filter((name) => !text.includes(`recipes/${name}`));
    expect(missing).toEqual([]);
  });

  it("report the last seven days and ask again with the ETag [analytics.etag]", async () => {
    const lines = await recipe("daily-report.js");
    const inRange = week.all.filter(({ opened }) => opened >= Date.parse(daysAgo(7)));
    expect(lines[0]).toContain(`${daysAgo(7)} to ${daysAgo(1)}, UTC`);
    expect(lines[1]).toContain(`views ${inRange.length},`);
    expect(lines[2]).toBe("orders 2, revenue 52.00 EUR");
    expect(lines[3]).toContain(`Full quiz: ${inRange.length} views`);
    expect(lines.at(-1)).toBe("unchanged since");
  });

  it("find a segment over all its pages [search.pages]", async () => {
    const [heading, ...rows] = await recipe("segment.js");
    expect(heading).toBe("id,email");
    const people = (await api.get<ListOf<Person>>("/v1/profiles?has_marketing_consent=true")).body.data;
    expect(rows.length).toBeGreaterThan(0);
    expect(people.map(({ id, email }) => `${id},${email ?? ""}`)).toEqual(expect.arrayContaining(rows));
  });

  it("ask for a file, wait for it and check it; run twice, they ask once [exports.request]", async () => {
    const file = join(data, "responses.csv");
    const first = await recipe("export.js", file);
    expect(first[0]).toMatch(/^\d+ rows, \d+ bytes in /);
    expect(await recipe("export.js", file)).toEqual(first);
    expect((await api.get<ListOf<unknown>>("/v1/exports")).body.data).toHaveLength(1);
    const rows = Number(first[0]?.split(" ")[0]);
    expect((await readFile(file, "utf8")).trim().split("\r\n")).toHaveLength(rows + 1);
  });

  it("save a version and publish it [quizzes.versions, quizzes.publish]", async () => {
    const [quiz] = (await api.get<ListOf<QuizSummary>>("/v1/quizzes")).body.data;
    const said = await recipe("publish.js", quiz?.id ?? "", "Autumn wording");
    const versions = (await api.get<ListOf<VersionSummary>>(`/v1/quizzes/${quiz?.id}/versions`)).body.data;
    expect(versions[0]).toMatchObject({ label: "Autumn wording", published: true });
    expect(said[0]).toBe(`Full quiz: version ${versions[0]?.number} is live`);
  });

  it("say which field was refused, and the request's id [api.problems]", async () => {
    const failure = await recipe("publish.js", "quiz_1").catch((error: Error) => error.message);
    expect(failure).toMatch(/not_found .*req_[0-9a-f]{32}/);
  });
});

describe("the guide's receiver", () => {
  let receiver: ChildProcess;
  let said = "";

  beforeAll(async () => {
    const url = `http://127.0.0.1:${settings["PORT"]}/hook`;
    const made = await api.post<Endpoint & { secret: string }>("/v1/webhooks", { url, topics: ["quiz.started"] });
    expect(made.status).toBe(201);
    receiver = spawn(node, [join(folder, "receive.js")], { env: { ...settings, SECRET: made.body.secret } });
    receiver.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    await until(
      async () => said,
      (text) => text.includes("receiving"),
    );
    await ping(api, made.body);
  }, 60_000);

  afterAll(() => {
    receiver?.kill();
  });

  it("takes what is signed, and works an event off once [webhooks.signature]", async () => {
    const text = await until(
      async () => said,
      (all) => all.includes("ping evt_"),
    );
    expect(text).toMatch(/ping evt_[0-9a-f]{32}/);
  });

  it("refuses what is not", async () => {
    const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(Math.floor(Date.now() / 1000)) };
    const forged = await fetch(`http://127.0.0.1:${settings["PORT"]}/hook`, {
      method: "POST",
      headers: { ...headers, "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}` },
      body: "{}",
    });
    expect(forged.status).toBe(401);
  });
});
