import { execFile } from "node:child_process";
import { join } from "node:path";
import { operations } from "../../contract/api.ts";
import { dashboardOperations, dashboardTags } from "../../contract/dashboard/index.ts";
import { dashboardDocument, openApiDocument } from "../../contract/openapi.ts";
import { readAbout } from "../../server/main/about.ts";
import type { OpenApi } from "./document.ts";
import { functionsOf } from "./operations.ts";
import { typesOf } from "./types.ts";

/** The expected contents of the client's and the dashboard's generated files. */

export const root = join(import.meta.dirname, "../..");

const made = (from: string) => `// Made from ${from} by \`npm run client\`; do not edit.\n\n`;

/** Whether a name occurs in the code, not only in a comment. */
const mentions = (text: string, name: string): boolean =>
  new RegExp(`\\b${name}\\b`).test(text.replaceAll(/\/\*\*[\s\S]*?\*\//g, ""));

/** The imports that the functions of a file need. */
function importsFor(text: string, core: string): string {
  const used = (names: readonly string[]) => names.filter((name) => mentions(text, name));
  const types = used(["CallOptions", "Client", "Reply", "UnlessUnchanged"]).map((name) => `type ${name}`);
  const lists = used(["List"]).map((name) => `type ${name}`);
  if (/\breturn list\(/.test(text)) lists.push("list");
  const callers = /\breturn call\(/.test(text) ? ["call"] : [];
  return [
    `import { ${[...types, ...callers].join(", ")} } from "${core}core.ts";`,
    ...(lists.length === 0 ? [] : [`import { ${lists.join(", ")} } from "${core}lists.ts";`]),
  ].join("\n");
}

const typeImports = (text: string, names: readonly string[], from: string): string => {
  const named = names.filter((name) => mentions(text, name));
  return named.length === 0 ? "" : `\nimport type { ${named.join(", ")} } from "${from}";`;
};

/** Each file's path and unformatted text. */
function clientFiles(document: OpenApi): Map<string, string> {
  const types = typesOf(document);
  const functions = functionsOf(document);
  const head = `${importsFor(functions, "../")}${typeImports(functions, [...types.keys()], "./types.ts")}`;
  return new Map([
    ["client/src/generated/types.ts", `${made("openapi.json")}${[...types.values()].join("\n\n")}\n`],
    ["client/src/generated/operations.ts", `${made("openapi.json")}${head}\n\n${functions}\n`],
  ]);
}

/** Types that the client declares identically are imported instead of declared again. */
function dashboardFiles(document: OpenApi, published: OpenApi): Map<string, string> {
  const functions = functionsOf(document, "/dashboard/api");
  const types = typesOf(document);
  const shared = sameTypes(types, typesOf(published));
  const own = [...types].flatMap(([name, text]) => (shared.includes(name) ? [] : [text]));
  const body = [...own, functions].join("\n\n");
  const core = "../../client/src/";
  const head = `${importsFor(functions, core)}${typeImports(body, shared, `${core}generated/types.ts`)}`;
  return new Map([["dashboard/api/generated.ts", `${made("/dashboard/openapi.json")}${head}\n\n${body}\n`]]);
}

/** Two types with the same text still differ if it names a type that differs. */
function sameTypes(types: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): string[] {
  let same = [...types.keys()].filter((name) => types.get(name) === others.get(name));
  for (;;) {
    const differing = [...types.keys()].filter((name) => !same.includes(name));
    const kept = same.filter((name) => !differing.some((other) => mentions(types.get(name) ?? "", other)));
    if (kept.length === same.length) return same;
    same = kept;
  }
}

/** A text in the project's format; the formatter's settings depend on the path. */
function formatted(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const biome = join(root, "node_modules/.bin/biome");
    const child = execFile(
      biome,
      ["check", "--write", `--stdin-file-path=${path}`],
      { cwd: root },
      (error, stdout, said) => (error ? reject(new Error(`${path}: ${said}`)) : resolve(stdout)),
    );
    child.stdin?.end(text);
  });
}

/** Every file generated from the contract, by path. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const about = readAbout();
  const published = asSent(openApiDocument(operations, about));
  const files = [
    ...clientFiles(published),
    ...dashboardFiles(asSent(dashboardDocument(dashboardOperations, dashboardTags, about)), published),
  ];
  return new Map(await Promise.all(files.map(async ([path, text]) => [path, await formatted(path, text)] as const)));
}

/** A description after a round trip through JSON. */
const asSent = (document: unknown): OpenApi => JSON.parse(JSON.stringify(document));
