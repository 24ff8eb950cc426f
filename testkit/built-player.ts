import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { ApiFoundations } from "../server/main/compose.ts";
import { buildFolders, listBuilds, type Manifest } from "../server/web/builds.ts";
import { type BuiltFiles, readFiles } from "../server/web/open-built.ts";
import { hashOfSources } from "../server/web/sources.ts";
import { dashboardTarget, playerTarget, type Target } from "../server/web/targets.ts";
import { openTestApp, type TestApp } from "./app.ts";
import { listen } from "./raw-http.ts";

/** This checkout's player and dashboard, built if their sources have changed since the last build. */

const checkout = join(import.meta.dirname, "..");

interface BuiltTarget {
  files: BuiltFiles;
  manifest: Manifest;
}

const built = new Map<Target, Promise<BuiltTarget>>();

/** Read once per process. */
function builtTarget(target: Target): Promise<BuiltTarget> {
  const known = built.get(target) ?? read(target);
  built.set(target, known);
  return known;
}

export const builtPlayer = (): Promise<BuiltTarget> => builtTarget(playerTarget);
export const builtDashboard = (): Promise<BuiltTarget> => builtTarget(dashboardTarget);

async function read(target: Target): Promise<BuiltTarget> {
  const folders = buildFolders(target, checkout, join(checkout, "data")).slice(0, 1);
  const hash = await hashOfSources(checkout, target);
  if (hash === null) throw new Error(`the sources of the ${target.name} are not here`);
  const find = async () => (await listBuilds(folders)).find(({ manifest }) => manifest.sources === hash);
  const known = await find();
  if (!known) await inTurn(join(tmpdir(), `quizstore-building-${hash}`), async () => (await find()) || make(target));
  const build = known ?? (await find());
  if (!build) throw new Error(`the ${target.name} was built, and its build is not there`);
  return { files: await readFiles(build), manifest: build.manifest };
}

const make = ({ name }: Target) =>
  promisify(execFile)(process.execPath, [join(checkout, "server/web/build-process.ts"), checkout, name]);

/** A build only takes longer if the process that began it was killed. */
const longestTurnMs = 120_000;

/** One process at a time: concurrent builds do not corrupt each other, but take as long as all of them together. */
async function inTurn(lock: string, work: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + longestTurnMs;
  const isMine = () =>
    mkdir(lock).then(
      () => true,
      () => false,
    );
  while (!(await isMine()) && performance.now() < until) await pause(100);
  try {
    await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

export interface PlayerApp extends TestApp {
  /** its address for browsers */
  url: string;
}

/** The whole API with the built player, on its own port. */
export async function openPlayerApp(overrides: Partial<ApiFoundations> = {}): Promise<PlayerApp> {
  const { files } = await builtPlayer();
  const t = await openTestApp({ player: files, ...overrides });
  const port = await listen(t.app);
  return { ...t, url: `http://127.0.0.1:${port}` };
}
