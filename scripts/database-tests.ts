import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

/**
 * `node scripts/database-tests.ts FOLDER...`: the test files there that open a database, one a line, without hard tests.
 * Against another PostgreSQL, the others would only show again what they have shown.
 */

const root = join(import.meta.dirname, "..");

/** Whoever opens a database in a test does so by one of these. */
const opening = ["database", "nodes", "own-database", "server-url"].map((name) => `testkit/${name}.ts`);

/** Relative imports of values: `from "./a.ts"`, `import("./a.ts")`; not `import type`. */
const imported = /^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gms;

function importsOf(file: string): string[] {
  const found = [...readFileSync(join(root, file), "utf8").matchAll(imported)];
  const paths = found.map(([, path, late]) => normalize(join(dirname(file), path ?? late ?? "")));
  return paths.filter((path) => existsSync(join(root, path)));
}

function opensDatabase(file: string): boolean {
  const reached = new Set([file]);
  // a set's walk reaches what is added meanwhile
  for (const each of reached) for (const path of importsOf(each)) reached.add(path);
  return opening.some((path) => reached.has(path));
}

export async function databaseTests(folders: readonly string[]): Promise<string[]> {
  const names = await Promise.all(
    folders.map(async (folder) => {
      const files = await readdir(join(root, folder), { recursive: true });
      return files.filter((file) => /(?<!\.hard)\.test\.tsx?$/.test(file)).map((file) => join(folder, file));
    }),
  );
  return names.flat().filter(opensDatabase).sort();
}

if (import.meta.main) process.stdout.write(`${(await databaseTests(process.argv.slice(2))).join("\n")}\n`);
