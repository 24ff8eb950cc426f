import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operations } from "../contract/api.ts";
import { openApiDocument } from "../contract/openapi.ts";
import { readAbout } from "../server/main/about.ts";
import { brokenPromises } from "./growth.ts";

/**
 * `npm run openapi` writes openapi.json; `-- --check` only checks whether it is current. `-- --release` also makes it
 * the baseline for later changes, unless it breaks a promise of the previous baseline [api.growth].
 */

const file = join(import.meta.dirname, "../openapi.json");
const baselineFile = join(import.meta.dirname, "../contract/v1.baseline.json");
const document = openApiDocument(operations, readAbout());
const text = `${JSON.stringify(document, null, 2)}\n`;

const readOr = (path: string, otherwise: string) => readFile(path, "utf8").catch(() => otherwise);

async function check(): Promise<string[]> {
  return (await readOr(file, "")) === text ? [] : ["openapi.json is not what the contract says: npm run openapi"];
}

async function release(): Promise<string[]> {
  const baseline = JSON.parse(await readOr(baselineFile, '{"paths":{}}'));
  const broken = brokenPromises(baseline, JSON.parse(text));
  if (broken.length === 0) await writeFile(baselineFile, text);
  return broken;
}

const asked = process.argv[2];
const complaints = asked === "--check" ? await check() : asked === "--release" ? await release() : [];
if (asked !== "--check") await writeFile(file, text);
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;
