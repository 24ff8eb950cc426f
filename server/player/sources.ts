import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** What the player is built from: it is built anew when the hash of all this is another [player.build]. */

/** The two scripts that a build begins at. */
export const loaderEntry = "player/embed/embed.ts";
export const mainEntry = "player/embed/main.ts";

const folders = ["player", "engine"];
const builders = ["tsconfig.json", "server/player/build.ts", "server/player/sources.ts"];
const packages = ["dompurify", "preact", "vite"];

const isSource = (name: string): boolean => /\.(tsx?|css|json)$/.test(name) && !/\.test\.tsx?$/.test(name);

async function filesBelow(checkout: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(checkout, folder), { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) =>
    entry.isFile() && isSource(entry.name) ? [join(entry.parentPath, entry.name)] : [],
  );
}

/** null: the sources are not here, as in an image, which holds what was built of them. */
export async function hashOfSources(checkout: string): Promise<string | null> {
  const hasSources = await readFile(join(checkout, loaderEntry)).then(() => true, isMissing);
  if (!hasSources) return null;
  const found = await Promise.all(folders.map((folder) => filesBelow(checkout, folder)));
  const paths = [...found.flat(), ...builders.map((path) => join(checkout, path))];
  const hash = createHash("sha256");
  for (const path of paths.sort()) {
    const text = await readFile(path).catch((error: unknown) => isMissing(error) || Buffer.alloc(0));
    const name = relative(checkout, path).split(sep).join("/");
    hash.update(`${name}\0${text.length}\0`).update(text);
  }
  const { dependencies } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
  for (const name of packages) hash.update(`${name}@${dependencies[name]}\0`);
  return hash.digest("hex").slice(0, 20);
}

/** false for a file that is not there, or cannot be since its folder is none; anything else is thrown. */
export function isMissing(error: unknown): false {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return false;
  throw error;
}
