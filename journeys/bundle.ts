import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";

/** Bundles the program and its packages into a few files, for the many starts in one run of tests. */

const root = join(import.meta.dirname, "..");
/** within the checkout, so that packages outside the bundle are found */
const folder = join(root, "node_modules/.cache/quizstore-bundles");
const dayMs = 24 * 60 * 60 * 1000;

/** Files next to a source, such as a quiz or a picture, are still looked for there. */
const ownPlaces = {
  name: "own-places",
  enforce: "pre" as const,
  transform: (code: string, id: string): string | undefined =>
    id.startsWith("/") && code.includes("import.meta.")
      ? code
          .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
          .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
      : undefined,
};

/**
 * Returns the file to pass to node. Its folder is named after its contents, so that two concurrent runs of tests with
 * different sources do not disturb each other.
 */
export async function bundleProgram(): Promise<string> {
  await mkdir(folder, { recursive: true });
  const fresh = await mkdtemp(join(folder, "new-"));
  await build({
    ...{ root, configFile: false, envDir: false, publicDir: false, logLevel: "warn", clearScreen: false },
    // native packages, and those only needed for building
    ssr: { target: "node", noExternal: true, external: ["@duckdb/node-api", "vite"] },
    plugins: [ownPlaces],
    build: {
      ...{ ssr: true, target: "node24", outDir: fresh, minify: false, reportCompressedSize: false },
      rolldownOptions: {
        input: join(root, "server/main/quizstore.ts"),
        output: { entryFileNames: "quizstore.js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
  const kept = join(folder, await hashOf(fresh));
  // another run may have made the same bundle
  await rename(fresh, kept).catch(() => rm(fresh, { recursive: true, force: true }));
  await utimes(kept, new Date(), new Date());
  await removeOld(kept);
  return join(kept, "quizstore.js");
}

async function hashOf(made: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(made)).sort()) hash.update(name).update(await readFile(join(made, name)));
  return hash.digest("hex").slice(0, 16);
}

async function removeOld(kept: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (path !== kept && Date.now() - made > dayMs) await rm(path, { recursive: true, force: true });
  }
}
