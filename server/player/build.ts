import { access, constants, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build, type InlineConfig, type Rolldown } from "vite";
import { type Build, type Code, keepBuild, tidyBuilds } from "./builds.ts";
import { hashOfSources, loaderEntry, mainEntry } from "./sources.ts";

/**
 * Vite's build of the player [player.build]: a loader that pages name by an address that never changes, and chunks that
 * carry a hash of what they hold in their names. Loaded by build-process.ts alone: a server has no use for Vite.
 */

/** Where constructed style sheets, `<dialog>` and Web Locks are all there. */
const browsers = ["chrome111", "edge111", "firefox114", "safari16.4"];

const settings = (checkout: string, entry: string, output: Rolldown.OutputOptions): InlineConfig => ({
  root: join(checkout, "player"),
  configFile: false,
  envDir: false,
  publicDir: false,
  logLevel: "warn",
  clearScreen: false,
  // parts find each other by their own address, whatever page they are in
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    write: false,
    target: browsers,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // as for libraries: Vite's helper for `import()` would put links into the shop's page
    lib: { entry: join(checkout, entry), formats: [output.format === "iife" ? "iife" : "es"], name: "quizstorePlayer" },
    // what late parts share with the main one stays in it: files of a few lines of their own would compress worse
    rolldownOptions: {
      preserveEntrySignatures: "allow-extension",
      output: { ...output, minify: true, comments: false },
    },
  },
});

async function bundle(config: InlineConfig): Promise<Rolldown.OutputChunk[]> {
  const [made] = (await build(config)) as Rolldown.RolldownOutput[];
  return (made?.output ?? []).map((part) => {
    if (part.type !== "chunk")
      throw new Error(`${part.fileName} is no script; styles and pictures are texts of scripts`);
    return part;
  });
}

const codeOf = ({ fileName, code, imports, dynamicImports }: Rolldown.OutputChunk): Code => ({
  path: fileName,
  text: code,
  imports,
  lazy: dynamicImports,
});

const bundleMain = (checkout: string): Promise<Rolldown.OutputChunk[]> => {
  const names = "player/[name]-[hash].js";
  return bundle(settings(checkout, mainEntry, { format: "es", entryFileNames: names, chunkFileNames: names }));
};

async function bundleLoader(checkout: string, main: string): Promise<Rolldown.OutputChunk> {
  const config = settings(checkout, loaderEntry, { format: "iife", entryFileNames: "embed.js" });
  const made = await bundle({ ...config, define: { ...config.define, __PLAYER_MAIN__: JSON.stringify(main) } });
  const [loader, ...others] = made;
  if (loader === undefined || others.length > 0) throw new Error("the loader has to be one script");
  return loader;
}

/** The first of the folders that can be written, made where it is not there. */
async function writable(folders: readonly string[]): Promise<string> {
  let refusal: unknown = new Error("there is no folder to build into");
  for (const folder of folders) {
    try {
      await mkdir(dirname(folder), { recursive: true });
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK | constants.X_OK);
      return folder;
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

/** Builds the player of a checkout into one of the folders. */
export async function buildPlayer(checkout: string, folders: readonly string[]): Promise<Build> {
  const sources = await hashOfSources(checkout);
  if (sources === null)
    throw new Error(`${join(checkout, loaderEntry)} is not there: the player's sources are missing`);
  const parent = await writable(folders);
  const chunks = await bundleMain(checkout);
  const main = chunks.find((chunk) => chunk.isEntry);
  if (main === undefined) throw new Error("Vite made no entry of the player");
  const loader = await bundleLoader(checkout, main.fileName);
  const names = { loader: loader.fileName, main: main.fileName };
  const made = await keepBuild(parent, sources, [loader, ...chunks].map(codeOf), names);
  await tidyBuilds(parent);
  return made;
}
