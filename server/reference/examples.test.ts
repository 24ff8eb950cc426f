import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../contract/api.ts";
import { exampleRunId } from "../../contract/drafts.ts";
import type { Operation } from "../../contract/operation.ts";
import { sampleIds } from "../../contract/parameter-examples.ts";
import { allScopes } from "../../contract/scopes.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { installClient } from "../../testkit/built-client.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { pathKinds, settleTenant, type Tenant } from "../../testkit/tenants.ts";
import { type Example, examplesOf } from "./examples.ts";

/** Every example of every page, run as it stands against a store that has what it names. */

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const python = await run("python3", ["--version"]).then(
  () => "python3",
  () => null,
);

let t: TestApp;
let url: string;
let folder: string;
beforeAll(async () => {
  t = await openTestApp();
  url = await t.app.listen({ host: "127.0.0.1", port: 0 });
  folder = await mkdtemp(join(tmpdir(), "quizstore-examples-"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
  await installClient(folder);
}, 120_000);
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true, force: true });
});

/** What ends things comes after what reads them. */
const endsThings = ({ id, method }: Operation): boolean => method === "DELETE" || id === "updateWebhook";
const inOrder = [...operations].sort((a, b) => Number(endsThings(a)) - Number(endsThings(b)));

/** A store with a run of an assistant on a quiz of its own, and a test key. */
interface Subject extends Tenant {
  edited: { id: string; runId: string };
  /** a version that is not live */
  unpublished: string;
  testKey: string;
}

async function settle(mark: string): Promise<Subject> {
  const tenant = await settleTenant(t, mark);
  const { id } = await makeQuiz(t, tenant.store);
  const run = await t.request("POST", `/v1/quizzes/${id}/draft/run`, { key: tenant.store.key, body: {} });
  const key = await t.key(tenant.store, allScopes, { test: true });
  const versions = `/v1/quizzes/${tenant.names.quiz}/versions`;
  const saved = await t.request("POST", versions, { key: tenant.store.key, body: {} });
  return { ...tenant, edited: { id, runId: run.body.run_id }, unpublished: saved.body.id, testKey: key };
}

const changesARun = new Set(["changeQuizDraft", "endDraftRun"]);

/** The store's own names in the place of those of the contract's examples. */
function withNames(
  code: string,
  { id: operationId }: Operation,
  { names, mark, edited, unpublished }: Subject,
): string {
  const quiz = changesARun.has(operationId) ? edited.id : names.quiz;
  const version = operationId === "requestApproval" ? unpublished : names.version;
  const ids = Object.entries(sampleIds).map(([name, id]): [string, string] => [
    id,
    { ...names, quiz, version }[pathKinds[name] ?? "quiz"],
  ]);
  const keys = ["skin_type", "skin", "dry"].map((key): [string, string] => [
    `"${key}"`,
    `"${mark}_${key === "skin_type" ? "feel" : key}"`,
  ]);
  return [...ids, [exampleRunId, edited.runId] as const, ...keys].reduce(
    (text, [sample, own]) => text.replaceAll(sample, own),
    code,
  );
}

function texts(language: Example["language"], tenant: Subject): [string, string][] {
  return inOrder.map((operation) => {
    const example = examplesOf(operation).find((each) => each.language === language);
    return [operation.id, withNames(example?.code ?? "", operation, tenant)];
  });
}

/** Runs a program to its end in the examples' folder; what it says counts as failures. */
async function failures(tenant: Subject, program: string, args: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    QUIZSTORE_URL: url,
    QUIZSTORE_KEY: tenant.store.key,
    QUIZSTORE_TEST_KEY: tenant.testKey,
  };
  const { stderr } = await run(program, args, { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  return stderr;
}

/** One process runs all files of a language: starting one for each would take longer than they do. */
const runAll = {
  sh: (files: string[]) => files.map((file) => `sh -e ${file} || echo "failed: ${file}" >&2`).join("\n"),
  py: (files: string[]) =>
    `import runpy, sys\nfor file in ${JSON.stringify(files)}:\n  try:\n    runpy.run_path(file)\n  except Exception as error:\n    print(file, error, file=sys.stderr)\n`,
  js: (files: string[]) =>
    files.map((file) => `await import("./${file}").catch((error) => console.error("${file}", error));`).join("\n"),
};

async function written(language: Example["language"], ending: string, tenant: Subject): Promise<string[]> {
  const all = texts(language, tenant);
  await Promise.all(all.map(([id, code]) => writeFile(join(folder, `${id}.${ending}`), code)));
  return all.map(([id]) => `${id}.${ending}`);
}

describe("the reference's examples [reference.examples]", () => {
  it("run in curl", async () => {
    const tenant = await settle("curling");
    const files = await written("curl", "sh", tenant);
    await writeFile(join(folder, "all.sh"), runAll.sh(files));
    expect(await failures(tenant, "sh", ["all.sh"])).toBe("");
  }, 240_000);

  it.skipIf(python === null)(
    "run in Python with nothing but its standard library",
    async () => {
      const tenant = await settle("pythons");
      const files = await written("Python", "py", tenant);
      await writeFile(join(folder, "all.py"), runAll.py(files));
      expect(await failures(tenant, "python3", ["-I", "all.py"])).toBe("");
    },
    240_000,
  );

  it("compile under strict and run in TypeScript", async () => {
    const tenant = await settle("typing");
    const files = await written("TypeScript", "ts", tenant);
    const compilerOptions = {
      ...{ target: "es2022", module: "nodenext", strict: true, lib: ["es2022"], rootDir: "." },
      ...{ types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const compiled = await run(join(root, "node_modules/.bin/tsc"), ["-p", folder]).catch((error) => error);
    expect(compiled.stdout).toBe("");
    const scripts = files.map((file) => file.replace(/ts$/, "js"));
    await writeFile(join(folder, "all.js"), runAll.js(scripts));
    expect(await failures(tenant, process.execPath, ["all.js"])).toBe("");
  }, 240_000);
});
