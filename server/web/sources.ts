import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Target } from "./targets.ts";

/** What a target is built from: when the hash of all this changes, the target is rebuilt [player.build]. */

const builders = [
  "tsconfig.json",
  ...["build", "builds", "languages", "mantine-styles", "smaller-modules", "sources", "targets"].map(
    (name) => `server/web/${name}.ts`,
  ),
];

const isSource = (name: string): boolean => /\.(tsx?|css|json)$/.test(name) && !/\.test\.tsx?$/.test(name);

async function filesBelow(checkout: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(checkout, folder), { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => isMissing(error) || [],
  );
  return entries.flatMap((entry) =>
    entry.isFile() && isSource(entry.name) ? [join(entry.parentPath, entry.name)] : [],
  );
}

/** null: the sources are not here, as in an image that contains only builds. */
export async function hashOfSources(checkout: string, target: Target): Promise<string | null> {
  const hasSources = await readFile(join(checkout, target.main)).then(() => true, isMissing);
  if (!hasSources) return null;
  const found = await Promise.all(target.folders.map((folder) => filesBelow(checkout, folder)));
  const paths = [...found.flat(), ...builders.map((path) => join(checkout, path))];
  const hash = createHash("sha256");
  for (const path of paths.sort()) {
    const text = await readFile(path).catch((error: unknown) => isMissing(error) || Buffer.alloc(0));
    const name = relative(checkout, path).split(sep).join("/");
    hash.update(`${name}\0${text.length}\0`).update(text);
  }
  const { dependencies } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
  for (const name of packagesOf(target, Object.keys(dependencies))) hash.update(`${name}@${dependencies[name]}\0`);
  return hash.digest("hex").slice(0, 20);
}

const packagesOf = ({ packages }: Target, installed: readonly string[]): string[] =>
  installed.filter((name) => packages.some((own) => (own.endsWith("/") ? name.startsWith(own) : name === own))).sort();

/** Returns false if the file does not exist, including when its folder is not a folder; rethrows any other error. */
export function isMissing(error: unknown): false {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return false;
  throw error;
}
