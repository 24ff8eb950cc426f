import { access, constants, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build, type InlineConfig, type Rolldown } from "vite";
import { type Build, type Code, keepBuild, type Manifest, tidyBuilds } from "./builds.ts";
import { isLanguage, languagesAsTexts } from "./languages.ts";
import { mantineStyles } from "./mantine-styles.ts";
import { smallerModules } from "./smaller-modules.ts";
import { hashOfSources } from "./sources.ts";
import { oldestBrowsers, type Target } from "./targets.ts";

/**
 * Vite's builds [player.build, dashboard.build]: chunks with a content hash in their names, and for the player a loader
 * at an address that never changes. Only build-process.ts loads this: a server does not need Vite.
 */

const browsers = Object.entries(oldestBrowsers).map(([name, version]) => name + version);

type Made = Rolldown.OutputChunk | Rolldown.OutputAsset;

const settings = (checkout: string, folder: string): InlineConfig & { build: NonNullable<InlineConfig["build"]> } => ({
  root: join(checkout, folder),
  configFile: false,
  envDir: false,
  publicDir: false,
  logLevel: "warn",
  clearScreen: false,
  define: { "process.env.NODE_ENV": '"production"' },
  build: { write: false, target: browsers, assetsInlineLimit: 0, reportCompressedSize: false },
});

const playerSettings = (checkout: string, entry: string, output: Rolldown.OutputOptions): InlineConfig => {
  const base = settings(checkout, "player");
  return {
    ...base,
    plugins: output.format === "iife" ? [] : [languagesAsTexts(), smallerModules()],
    // chunks find each other relative to their own address, whatever page they are in
    base: "./",
    oxc: { jsx: { runtime: "automatic", importSource: "#draw", development: false } },
    build: {
      ...base.build,
      // library mode, since Vite's helper for `import()` would add links to the shop's page
      lib: {
        entry: join(checkout, entry),
        formats: [output.format === "iife" ? "iife" : "es"],
        name: "quizstorePlayer",
      },
      // what lazy chunks share with the main one stays in it: separate files of a few lines would compress worse
      rolldownOptions: {
        // the second minifier takes most of the time, as it should
        checks: { pluginTimings: false },
        preserveEntrySignatures: "allow-extension",
        output: {
          ...output,
          minify: true,
          comments: false,
          ...(output.format === "iife" ? {} : { codeSplitting: { groups: [{ name: "main", tags: ["$initial"] }] } }),
        },
      },
    },
  };
};

/**
 * The code needed at startup is one file, the additional code for Home another, and that for signing in a third
 * [dashboard.size]. Code shared by other screens and dialogs would become a file for each combination of them, some 150
 * of a few hundred bytes: instead, one file holds what forms and dialogs are made of, and each folder has one. A group
 * includes everything its files import, except what an earlier group has.
 */
const dashboardGroups: readonly Rolldown.CodeSplittingGroup[] = [
  { name: "shell", tags: ["$initial"], priority: 5 },
  { name: "home", test: /\/home\/home-screen\.tsx$/, priority: 4 },
  { name: "sign-in", test: /\/account\/(alone|sign-in-form)\.tsx$/, priority: 3 },
  { name: "controls", test: /\/node_modules\//, minShareCount: 3, priority: 2 },
  { debugName: "folders", name: folderOf, minShareCount: 2, priority: 1 },
];

/** null: the module stays with the chunk that imports it. */
function folderOf(id: string): string | null {
  const [, name] = /\/(?:dashboard\/)?(\w+)\/[^/]+$/.exec(id) ?? [];
  return id.includes("/node_modules/") || name === undefined ? null : name;
}

/**
 * The tsconfig.json of each folder says which JSX it uses: the editor shows quizzes with the player, which has its own
 * instead of React's.
 */
const dashboardSettings = (checkout: string, entry: string): InlineConfig => {
  const base = settings(checkout, "dashboard");
  const names = "dashboard/assets/[name]-[hash].js";
  return {
    ...base,
    base: "/",
    plugins: [mantineStyles()],
    oxc: { jsx: { runtime: "automatic", development: false } },
    build: {
      ...base.build,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: { main: join(checkout, entry) },
        // every file of Mantine has a "use client" directive, which has no meaning here
        onLog: (level, log, tell) => {
          if (log.code !== "MODULE_LEVEL_DIRECTIVE") tell(level, log);
        },
        output: {
          format: "es",
          entryFileNames: names,
          chunkFileNames: names,
          assetFileNames: "dashboard/assets/[name]-[hash][extname]",
          codeSplitting: { groups: [...dashboardGroups] },
          minify: true,
          comments: false,
        },
      },
    },
  };
};

async function bundle(config: InlineConfig): Promise<Made[]> {
  const made = (await build(config)) as Rolldown.RolldownOutput | Rolldown.RolldownOutput[];
  return [made].flat().flatMap(({ output }) => output);
}

function onlyScripts(made: readonly Made[]): Rolldown.OutputChunk[] {
  return made.map((part) => {
    if (part.type !== "chunk")
      throw new Error(`${part.fileName} is no script; styles and pictures are texts of scripts`);
    return part;
  });
}

function codeOf(part: Made): Code {
  if (part.type === "chunk") {
    const { fileName, code, imports, dynamicImports } = part;
    return { path: fileName, text: code, imports, lazy: dynamicImports };
  }
  if (typeof part.source !== "string")
    throw new Error(`${part.fileName} is no text; pictures are drawn by the scripts`);
  return { path: part.fileName, text: part.source, imports: [], lazy: [] };
}

const entryOf = (chunks: readonly Rolldown.OutputChunk[], { name }: Target): Rolldown.OutputChunk => {
  const main = chunks.find((chunk) => chunk.isEntry);
  if (main === undefined) throw new Error(`Vite made no entry of the ${name}`);
  return main;
};

interface Parts extends Pick<Manifest, "loader" | "main" | "styles"> {
  codes: Code[];
}

async function bundlePlayer(checkout: string, target: Target, sources: string): Promise<Parts> {
  const names = "player/[name]-[hash].js";
  // all languages have the same hash in their names, that of the sources: ten different ones would add a hundred bytes
  // to the main part
  const chunkFileNames = ({ name }: { name: string }): string =>
    isLanguage(name) ? `player/[name]-${sources.slice(0, 8)}.js` : names;
  const output = { format: "es", entryFileNames: names, chunkFileNames } as const;
  const chunks = onlyScripts(await bundle(playerSettings(checkout, target.main, output)));
  const main = entryOf(chunks, target).fileName;
  // apart from the others, so that a page whose popup is never opened loads nothing else
  const [waiting] = onlyScripts(await bundle(playerSettings(checkout, target.waiting ?? "", output)));
  if (waiting === undefined) throw new Error("Vite made nothing of what waits for a trigger");
  const paths = { __PLAYER_MAIN__: main, __PLAYER_WAITING__: waiting.fileName };
  const loader = await bundleLoader(checkout, target.loader ?? "", paths);
  return { codes: [loader, waiting, ...chunks].map(codeOf), loader: loader.fileName, main, styles: [] };
}

/** @param paths of the chunks that it loads, by the names that its sources have for them */
export async function bundleLoader(
  checkout: string,
  entry: string,
  paths: Readonly<Record<string, string>>,
): Promise<Rolldown.OutputChunk> {
  const config = playerSettings(checkout, entry, { format: "iife", entryFileNames: "embed.js" });
  const defined = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, JSON.stringify(path)]));
  const made = await bundle({ ...config, define: { ...config.define, ...defined } });
  const [loader, ...others] = onlyScripts(made);
  if (loader === undefined || others.length > 0) throw new Error("the loader has to be one script");
  return loader;
}

async function bundleDashboard(checkout: string, target: Target): Promise<Parts> {
  const made = await bundle(dashboardSettings(checkout, target.main));
  const chunks = made.filter((part) => part.type === "chunk");
  const main = entryOf(chunks, target);
  return { codes: made.map(codeOf), loader: null, main: main.fileName, styles: stylesOf(main, chunks) };
}

/** Style sheets of a chunk and everything it statically imports, in loading order. */
function stylesOf(chunk: Rolldown.OutputChunk, chunks: readonly Rolldown.OutputChunk[]): string[] {
  const styles = new Set<string>();
  const seen = new Set<string>();
  const follow = (next: Rolldown.OutputChunk | undefined): void => {
    if (next === undefined || seen.has(next.fileName)) return;
    seen.add(next.fileName);
    for (const name of next.imports) follow(chunks.find(({ fileName }) => fileName === name));
    for (const style of next.viteMetadata?.importedCss ?? []) styles.add(style);
  };
  follow(chunk);
  return [...styles];
}

/** The first writable folder, created if it does not exist. */
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

/** Builds a target of a checkout into the first writable folder. */
export async function buildTarget(checkout: string, target: Target, folders: readonly string[]): Promise<Build> {
  const sources = await hashOfSources(checkout, target);
  if (sources === null)
    throw new Error(`${join(checkout, target.main)} is not there: the sources of the ${target.name} are missing`);
  const parent = await writable(folders);
  const { codes, ...begins } = await (target.name === "player"
    ? bundlePlayer(checkout, target, sources)
    : bundleDashboard(checkout, target));
  const made = await keepBuild(parent, sources, codes, begins);
  await tidyBuilds(parent);
  return made;
}
