import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { call, demoIds, withIds } from "./demo-ids.ts";
import { ask, type DemoProgram, say, startDemo } from "./demo-program.ts";

/**
 * `node hard/field/generated-clients.ts`: clients that generators from npm make of openapi.json. Expected: what they
 * generate of answers accepts each real answer of the demo shop, null included, and their types have null.
 */

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

interface Generator {
  name: string;
  packages: readonly string[];
  files: Readonly<Record<string, string>>;
  /** the package's program and its arguments */
  command: readonly string[];
  /** the generated module with a zod schema for each answer; null: types only */
  schemas: { file: string; nameOf: (operationId: string) => string } | null;
  /** compiled under strict against what was generated */
  types: string;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const heyApi = (version: string): Generator => ({
  name: `@hey-api/openapi-ts ${version}`,
  packages: [`@hey-api/openapi-ts@${version}`, "zod@4.6.7", "typescript@5.9.3"],
  files: {
    "openapi-ts.config.mjs":
      'export default { input: "openapi.json", output: "made", plugins: ["@hey-api/typescript", "zod"] };\n',
  },
  command: ["node_modules/@hey-api/openapi-ts/bin/run.js"],
  schemas: { file: "made/zod.gen.ts", nameOf: (id) => `z${capital(id)}Response` },
  types: `import type { AnalyticsProducts, CreatedWebhookEndpoint, WebhookEndpoint } from "./made/types.gen.ts";
export const reasons: [WebhookEndpoint["disabled_reason"], CreatedWebhookEndpoint["disabled_reason"]] = [null, null];
export const bucket: AnalyticsProducts["bucket"] = null;
`,
});

const generators: readonly Generator[] = [
  heyApi("0.95.0"),
  heyApi("0.99.0"),
  {
    name: "orval 8.38.0",
    packages: ["orval@8.38.0", "zod@4.6.7"],
    files: {
      "orval.config.mjs":
        'export default { api: { input: { target: "openapi.json" }, output: { client: "zod", mode: "single", target: "made/api.ts" } } };\n',
    },
    command: ["node_modules/orval/dist/bin/orval.mjs", "--config", "orval.config.mjs"],
    schemas: { file: "made/api.ts", nameOf: (id) => `${capital(id)}Response` },
    types: "export {};\n",
  },
  {
    name: "openapi-typescript 7.13.0 with openapi-fetch 0.17.0",
    packages: ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"],
    files: {},
    command: ["node_modules/openapi-typescript/bin/cli.js", "openapi.json", "-o", "made.d.ts"],
    schemas: null,
    types: `import createClient from "openapi-fetch";
import type { components, paths } from "./made.d.ts";
type Shapes = components["schemas"];
export const reasons: [Shapes["WebhookEndpoint"]["disabled_reason"], Shapes["CreatedWebhookEndpoint"]["disabled_reason"]] = [null, null];
export const bucket: Shapes["AnalyticsProducts"]["bucket"] = null;
export async function read(baseUrl: string): Promise<string[]> {
  const client = createClient<paths>({ baseUrl });
  const { data } = await client.GET("/v1/webhooks", { params: { query: { limit: 1, cursor: "first" } } });
  return (data?.data ?? []).map(({ disabled_reason }) => disabled_reason ?? "enabled");
}
`,
  },
];

interface Real {
  id: string;
  answer: unknown;
}

type Json = ReturnType<typeof JSON.parse>;

/** The answer of every read of /v1, and of the changes that `demoIds` does not make. */
async function realAnswers(program: DemoProgram, document: Json): Promise<Real[]> {
  const ids = await demoIds(program);
  const found: Real[] = [];
  for (const [path, methods] of Object.entries<Json>(document.paths)) {
    if (path.startsWith("/v1/test/") || methods.get === undefined) continue;
    const by = methods.get.parameters.some(({ name }: Json) => name === "by") ? "?by=" : "";
    const chosen = by && methods.get.parameters.find(({ name }: Json) => name === "by").example;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
    found.push({ id: methods.get.operationId, answer: await call(program, "GET", `${filled}${by}${chosen}`) });
  }
  const search = document.paths["/v1/profiles/search"].post;
  found.push({
    id: search.operationId,
    answer: await call(program, "POST", "/v1/profiles/search", { has_email: true }),
  });
  const hook = { url: "https://other.example.com/hooks", topics: ["quiz.started"] };
  found.push({ id: "createWebhook", answer: await call(program, "POST", "/v1/webhooks", hook) });
  // the examples of the contract are real ones too
  for (const methods of Object.values<Json>(document.paths)) {
    for (const { operationId, responses } of Object.values<Json>(methods)) {
      const [success] = Object.entries<Json>(responses).filter(([status]) => /^2/.test(status));
      const example = success?.[1].content?.["application/json"]?.example;
      if (example !== undefined)
        found.push({ id: operationId, answer: JSON.parse(withIds(JSON.stringify(example), ids)) });
    }
  }
  return found;
}

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: { issues: { path: unknown[]; message: string }[] } };
}

/** What the generated schemas refuse, a line each. */
async function refusals({ schemas }: Generator, folder: string, real: readonly Real[]): Promise<string[]> {
  if (schemas === null) return [];
  const module = (await import(pathToFileURL(join(folder, schemas.file)).href)) as Record<string, Schema>;
  return real.flatMap(({ id, answer }) => {
    const schema =
      module[schemas.nameOf(id)] ?? module[schemas.nameOf(id).replace(/^\w/, (first) => first.toLowerCase())];
    if (schema === undefined) return [`${id}: no schema ${schemas.nameOf(id)} was generated`];
    const { error } = schema.safeParse(answer);
    return (error?.issues ?? []).slice(0, 3).map(({ path, message }) => `${id} ${path.join(".")}: ${message}`);
  });
}

async function tryOut(generator: Generator, text: string, real: readonly Real[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "quizstore-generated-"));
  try {
    const files = { "package.json": '{ "type": "module", "private": true }', "openapi.json": text, ...generator.files };
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    await run("npm", [...install, ...generator.packages], { cwd: folder });
    await run(process.execPath, [...generator.command], { cwd: folder });
    const refused = await refusals(generator, folder, real);
    await writeFile(join(folder, "types.ts"), generator.types);
    const strict = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"];
    const tsc = join(root, "node_modules/.bin/tsc");
    const compiled = await run(tsc, [...strict, "--allowImportingTsExtensions", "types.ts"], { cwd: folder }).catch(
      (error: { stdout?: string }) => error,
    );
    return [...refused, ...(compiled.stdout ?? "").split("\n").filter((line) => line !== "")];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const program = await startDemo();
  let failed = 0;
  try {
    const text = (await ask(`${program.url}/openapi.json`)).body.toString();
    const real = await realAnswers(program, JSON.parse(text));
    for (const generator of generators) {
      const faults = await tryOut(generator, text, real).catch((error: Error) => [error.message]);
      failed += faults.length;
      say(`${generator.name}: ${real.length} answers, ${faults.length} faults`);
      for (const fault of faults.slice(0, 20)) say(`  ${fault}`);
    }
  } finally {
    await program.stop();
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
