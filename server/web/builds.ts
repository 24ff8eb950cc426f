import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { isMissing } from "./sources.ts";
import type { Target } from "./targets.ts";

/**
 * Folders with finished builds, each named by the hash of its sources. A build is written under a temporary name and
 * renamed when complete; nothing in it changes afterwards [player.build].
 */

export interface BuiltFile {
  /** relative to the build, and also its address on the server, such as `player/main-Ab12Cd34.js` */
  path: string;
  bytes: number;
  gzip: number;
  brotli: number;
  /** files that it imports statically */
  imports: string[];
  /** files that it imports on demand */
  lazy: string[];
}

export interface Manifest {
  /** hash of the sources; also the folder's name */
  sources: string;
  /** paths of the files that a browser loads first */
  loader: string | null;
  main: string;
  /** style sheets that the main part needs at once */
  styles: string[];
  files: BuiltFile[];
}

export interface Build {
  folder: string;
  manifest: Manifest;
  /** ms since 1970, from the file's modification time */
  madeAt: number;
}

export interface Code {
  path: string;
  text: string;
  imports: string[];
  lazy: string[];
}

const manifestName = "manifest.json";
const unfinished = ".unfinished-";
/** including the newest: pages that shoppers have open still fetch parts of an earlier one */
const keptBuilds = 3;
const abandonedMs = 60 * 60 * 1000;

/** Where builds are looked for and written: in the checkout or, if that is not writable, in the data directory. */
export const buildFolders = ({ name }: Target, checkout: string, dataDir: string): string[] => [
  join(checkout, "built", name),
  join(dataDir, name),
];

/** Every finished build, newest first. */
export async function listBuilds(folders: readonly string[]): Promise<Build[]> {
  const found: Build[] = [];
  for (const parent of folders) {
    const names = await readdir(parent).catch((error: unknown) => isMissing(error) || []);
    for (const name of names) {
      if (name.startsWith(unfinished)) continue;
      const folder = join(parent, name);
      const file = join(folder, manifestName);
      const text = await readFile(file, "utf8").catch((error: unknown) => isMissing(error) || null);
      // another process may be removing it
      const made = text === null ? null : await stat(file).catch((error: unknown) => isMissing(error) || null);
      if (text !== null && made) found.push({ folder, manifest: JSON.parse(text) as Manifest, madeAt: made.mtimeMs });
    }
  }
  return found.sort((a, b) => b.madeAt - a.madeAt);
}

const smallest = {
  // Zopfli takes seconds for what zlib compresses 3 % less in an instant: too long for the whole dashboard
  gzip: async (text: string, path: string) => {
    if (!/^(player\/|embed\.js$)/.test(path)) return promisify(gzip)(text, { level: 9, memLevel: 9 });
    // only builds load it, and not the servers that read them
    const { default: zopfli } = await import("@gfx/zopfli");
    return zopfli.gzipAsync(Buffer.from(text), { numiterations: 5 });
  },
  brotli: (text: string) =>
    promisify(brotliCompress)(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
      },
    }),
};

async function writeCode(folder: string, { path, text, imports, lazy }: Code): Promise<BuiltFile> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  const [zipped, brotli] = await Promise.all([smallest.gzip(text, path), smallest.brotli(text)]);
  await Promise.all([writeFile(file, text), writeFile(`${file}.gz`, zipped), writeFile(`${file}.br`, brotli)]);
  return { path, bytes: Buffer.byteLength(text), gzip: zipped.length, brotli: brotli.length, imports, lazy };
}

/** Processes that build the same sources at once write to separate folders; the second to finish discards its own. */
export async function keepBuild(
  parent: string,
  sources: string,
  codes: readonly Code[],
  begins: Pick<Manifest, "loader" | "main" | "styles">,
): Promise<Build> {
  await mkdir(parent, { recursive: true });
  const own = await mkdtemp(join(parent, unfinished));
  try {
    const files = await Promise.all(codes.map((code) => writeCode(own, code)));
    const manifest: Manifest = { sources, ...begins, files };
    await writeFile(join(own, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
    const { mtimeMs: madeAt } = await stat(join(own, manifestName));
    // mkdtemp restricts it to its owner; another account may serve it
    await chmod(own, 0o755);
    const folder = join(parent, sources);
    await rename(own, folder).catch(isThereAlready);
    return { folder, manifest, madeAt };
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

function isThereAlready(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
}

/** Removes old builds, and the remains of builds that were aborted an hour or more before the newest one. */
export async function tidyBuilds(parent: string): Promise<void> {
  const builds = await listBuilds([parent]);
  const now = builds[0]?.madeAt ?? 0;
  for (const { folder } of builds.slice(keptBuilds)) await rm(folder, { recursive: true, force: true });
  for (const name of await readdir(parent)) {
    if (!name.startsWith(unfinished)) continue;
    const path = join(parent, name);
    const seen = await stat(path).catch((error: unknown) => isMissing(error) || null);
    if (seen && now - seen.mtimeMs > abandonedMs) await rm(path, { recursive: true, force: true });
  }
}
