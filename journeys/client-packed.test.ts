import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FetchedProgram, findProgram, otherRuntimes } from "../testkit/fetched-programs.ts";
import { freePort } from "../testkit/machine.ts";
import { patience } from "../testkit/slowness.ts";
import { swept } from "../testkit/sweeps.ts";
import type { Client, ListOf, QuizSummary, VersionSummary } from "./http.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, freshFolder, type Program, start } from "./program.ts";
import { openShopWithKey } from "./shop.ts";
import { daysAgo, sendWeek, type Week } from "./week.ts";

/** The client as an integrator gets it: packed, installed into an empty project, compiled, and every call of its README run. */

const root = join(import.meta.dirname, "..");
const run = promisify(execFile);
const bin = (name: string) => join(root, "node_modules/.bin", name);

let data: string;
let project: string;
let program: Program;
let api: Client;
let week: Week;
let settings: Record<string, string>;
/** each is downloaded */
const others = swept(otherRuntimes, []);
const runtimes = new Map<string, FetchedProgram | null>();

const readme = await readFile(join(root, "client/README.md"), "utf8");
const snippets = new Map(
  [...readme.matchAll(/```ts file=([a-z]+\.ts)\n([\s\S]*?)```/g)].map(([, name = "", code = ""]) => [name, code]),
);

/** npm without what the npm that runs the tests tells its scripts. */
const npm = (args: readonly string[], cwd: string) =>
  run("npm", args, {
    cwd,
    env: { PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`, HOME: process.env["HOME"] },
  });

const compilerOptions = {
  ...{
    target: "es2022",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
  },
  // the package's own declarations are looked into as well
  skipLibCheck: false,
  rootDir: ".",
};

beforeAll(async () => {
  data = await installedFolder();
  project = await freshFolder();
  const port = await freePort();
  const packed = (async () => {
    const { stdout } = await npm(["pack", "--silent", "--pack-destination", project], join(root, "client"));
    await writeFile(join(project, "package.json"), '{ "type": "module" }\n');
    await npm(["install", "--offline", "--no-audit", "--no-fund", `./${stdout.trim().split("\n").at(-1)}`], project);
  })();
  const found = others.map(async (name) => runtimes.set(name, await findProgram(name)));
  program = await start(data, { WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  const opened = await openShopWithKey(program);
  api = opened.api;
  week = await sendWeek(program, opened.shop, api);
  settings = {
    ...{ QUIZSTORE_URL: program.url, QUIZSTORE_KEY: opened.key.key },
    ...{ PORT: String(port), RECEIVER_URL: `http://127.0.0.1:${port}/hook` },
  };
  await Promise.all([packed, ...found]);
}, 240_000);

afterAll(async () => {
  await program?.stop();
  await cleanUp(data);
  await cleanUp(project);
});

describe("the packed client [client.packed]", () => {
  it("brings its code, its types and its README, and no other package", async () => {
    const installed = await npm(["ls", "--all", "--parseable"], project);
    expect(installed.stdout.trim().split("\n").slice(1)).toEqual([expect.stringMatching(/@quizstore\/client$/)]);
    const described = JSON.parse(await readFile(join(project, "node_modules/@quizstore/client/package.json"), "utf8"));
    expect(described.dependencies).toBe(undefined);
    expect(await readFile(join(project, "node_modules/@quizstore/client/README.md"), "utf8")).toBe(readme);
  });

  it("compiles under strict with the types of browsers and workers alone", async () => {
    await mkdir(join(project, "browser"));
    const uses = `import { createClient, getStore, verifyWebhook } from "@quizstore/client";
      import { quizStore } from "@quizstore/client/bound";
      const client = createClient({ baseUrl: "/dashboard/api", credentials: "same-origin", fetch });
      export const name: string = (await getStore(client)).name;
      export const verify = (request: Request) => request.arrayBuffer().then((body) => verifyWebhook(request.headers, body, "s"));
      export const same: Promise<string> = quizStore({ baseUrl: "/" }).getStore().then((store) => store.name);\n`;
    await writeFile(join(project, "browser/uses.ts"), uses);
    const own = { ...compilerOptions, lib: ["es2022", "dom", "dom.iterable"], types: [], noEmit: true };
    await writeFile(join(project, "browser/tsconfig.json"), JSON.stringify({ compilerOptions: own, include: ["."] }));
    expect((await run(bin("tsc"), ["-p", join(project, "browser")])).stdout).toBe("");
  });

  it("has a README with ten calls that compile under strict", async () => {
    expect([...readme.matchAll(/^\*\*\d+\. /gm)]).toHaveLength(10);
    expect([...readme.matchAll(/^```ts$/gm)]).toEqual([]);
    for (const [name, code] of snippets) await writeFile(join(project, name), code);
    const own = {
      ...compilerOptions,
      lib: ["es2022"],
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    };
    const include = [...snippets.keys()];
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: own, include }));
    expect((await run(bin("tsc"), ["-p", project])).stdout).toBe("");
  });
});

/** What each file of the README prints, over the week of visits. */
const expected: Record<string, () => RegExp> = {
  "store.ts": () => /^Shop \(UTC\): .*profiles:read/,
  "quizzes.ts": () => /^quiz_[0-9a-f]{32} Full quiz\n$/,
  "overview.ts": () => new RegExp(`^${sinceAWeek()} views, 2 orders, 52.00 revenue\nunchanged\n$`),
  "funnel.ts": () => /reached it, \d+ left here\n/,
  "people.ts": () => /^[1-9]\d* people, all of them\n$/,
  "search.ts": () => /^(prof_[0-9a-f]{32} \S+\n)+$/,
  "person.ts": () => /^[1-9]\d* visits since .*\nno such person \(req_[0-9a-f]{32}\)\n$/,
  "export.ts": () => /^completed: \d+ rows, to be had from http:\S+\n$/,
  "publish.ts": () => /^version \d+ is live\n$/,
  "webhook.ts": () => /^it works\n$/,
  "bound.ts": () => /^Shop\n$/,
};
const sinceAWeek = (): number => week.all.filter(({ opened }) => opened >= Date.parse(daysAgo(7))).length;

describe.for(["this Node", ...others])("under %s", (name) => {
  it.for(Object.keys(expected))("%s of the README does what it says [client.packed]", async (file, { skip }) => {
    const found = name === "this Node" ? { program: process.execPath, args: [] } : runtimes.get(name);
    if (!found) return skip(`${name} is not here`);
    const script = join(project, file.replace(/ts$/, "js"));
    const ran = await run(found.program, [...found.args, script], {
      env: settings,
      cwd: project,
      timeout: 60_000 * patience,
    });
    expect(ran.stdout).toMatch(expected[file]?.() ?? /^$/);
    expect(ran.stderr).toBe("");
  });
});

describe("what the README's calls left behind", () => {
  it("is one export, asked for once by all, and a published version [client.idempotency]", async () => {
    expect([...snippets.keys()].filter((name) => name !== "client.ts").toSorted()).toEqual(
      Object.keys(expected).toSorted(),
    );
    expect((await api.get<ListOf<unknown>>("/v1/exports")).body.data).toHaveLength(1);
    const [quiz] = (await api.get<ListOf<QuizSummary>>("/v1/quizzes")).body.data;
    const versions = (await api.get<ListOf<VersionSummary>>(`/v1/quizzes/${quiz?.id}/versions`)).body.data;
    expect(versions[0]).toMatchObject({ label: "Autumn wording", published: true });
  });
});
