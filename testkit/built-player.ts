import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Foundations } from "../server/main/compose.ts";
import { buildFolders, listBuilds, type Manifest } from "../server/player/builds.ts";
import { type PlayerFiles, readFiles } from "../server/player/open-player.ts";
import { hashOfSources } from "../server/player/sources.ts";
import { openTestApp, type TestApp } from "./app.ts";
import { listen } from "./raw-http.ts";

/** The player of this checkout, built where that has not been done since its sources changed. */

const checkout = join(import.meta.dirname, "..");
const folders = buildFolders(checkout, join(checkout, "data")).slice(0, 1);

interface BuiltPlayer {
  files: PlayerFiles;
  manifest: Manifest;
}

let built: Promise<BuiltPlayer> | undefined;

/** Read once in a process of tests; several processes that build at once do not spoil each other's. */
export function builtPlayer(): Promise<BuiltPlayer> {
  built ??= read();
  return built;
}

async function read(): Promise<BuiltPlayer> {
  const hash = await hashOfSources(checkout);
  if (hash === null) throw new Error("the sources of the player are not here");
  const find = async () => (await listBuilds(folders)).find(({ manifest }) => manifest.sources === hash);
  const known = await find();
  if (!known) await promisify(execFile)(process.execPath, [join(checkout, "server/player/build-process.ts")]);
  const build = known ?? (await find());
  if (!build) throw new Error("the player was built, and its build is not there");
  return { files: await readFiles(build), manifest: build.manifest };
}

export interface PlayerApp extends TestApp {
  /** where a browser reaches it */
  url: string;
}

/** The whole API with the built player, on a port of its own. */
export async function openPlayerApp(overrides: Partial<Foundations> = {}): Promise<PlayerApp> {
  const { files } = await builtPlayer();
  const t = await openTestApp({ player: files, ...overrides });
  const port = await listen(t.app);
  return { ...t, url: `http://127.0.0.1:${port}` };
}
