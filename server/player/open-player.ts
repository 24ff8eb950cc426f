import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Log } from "../platform/log.ts";
import { type Build, buildFolders, listBuilds } from "./builds.ts";
import { hashOfSources } from "./sources.ts";

/** The player as shoppers are sent it, from memory: it is built beside the server where that has not been done. */

/** `absent`: neither is it built nor are its sources here */
export type PlayerState = "ready" | "building" | "failed" | "absent";

export interface ServedFile {
  /** of its entity tags, without quotes */
  tag: string;
  plain: Buffer;
  gzip: Buffer;
  brotli: Buffer;
}

export interface PlayerFiles {
  readonly state: PlayerState;
  /** /embed.js; null until the player is ready */
  readonly loader: ServedFile | null;
  /** path of the main chunk, such as `player/main-Ab12Cd34.js` */
  readonly main: string | null;
  /** null: no build that is kept has such a part */
  part(path: string): ServedFile | null;
}

/** For tests and programs that serve no shopper. */
export const noPlayer: PlayerFiles = { state: "absent", loader: null, main: null, part: () => null };

export interface PlayerDeps {
  checkout: string;
  dataDir: string;
  log: Log;
}

async function readServed({ folder, manifest }: Build, path: string): Promise<ServedFile> {
  const file = join(folder, path);
  const [plain, gzip, brotli] = await Promise.all([readFile(file), readFile(`${file}.gz`), readFile(`${file}.br`)]);
  return { tag: manifest.sources, plain, gzip, brotli };
}

/** The build that is served, with the parts of those before it: a page that was opened yesterday may want one today. */
export async function readFiles(current: Build, others: readonly Build[] = []): Promise<PlayerFiles> {
  const { manifest } = current;
  const parts = new Map<string, ServedFile>();
  for (const build of [current, ...others]) {
    for (const { path } of build.manifest.files) {
      if (path !== build.manifest.loader && !parts.has(path)) parts.set(path, await readServed(build, path));
    }
  }
  return {
    state: "ready",
    loader: await readServed(current, manifest.loader),
    main: manifest.main,
    part: (path) => parts.get(path) ?? null,
  };
}

export class Player implements PlayerFiles {
  readonly #deps: PlayerDeps;
  readonly #folders: readonly string[];
  #files: PlayerFiles = noPlayer;
  #building: Promise<void> | null = null;
  #child: ChildProcess | null = null;
  #closed = false;

  private constructor(deps: PlayerDeps) {
    this.#deps = deps;
    this.#folders = buildFolders(deps.checkout, deps.dataDir);
  }

  static async open(deps: PlayerDeps): Promise<Player> {
    const player = new Player(deps);
    await player.#find();
    return player;
  }

  get state(): PlayerState {
    return this.#files.state;
  }

  get loader(): ServedFile | null {
    return this.#files.loader;
  }

  get main(): string | null {
    return this.#files.main;
  }

  part(path: string): ServedFile | null {
    return this.#files.part(path);
  }

  /** Resolves when nothing is being built. */
  settled(): Promise<void> {
    return this.#building ?? Promise.resolve();
  }

  /** Ends a build that is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#child?.kill();
    await this.settled();
  }

  async #find(): Promise<void> {
    const { checkout, log } = this.#deps;
    const hash = await hashOfSources(checkout);
    const builds = await listBuilds(this.#folders);
    // without sources the newest is what there is
    const current = builds.find(({ manifest }) => hash === null || manifest.sources === hash);
    if (current) await this.#serve(current, builds);
    else if (hash === null) log.warn("the player is not built, and its sources are not here: quizzes are not shown");
    else {
      this.#files = { ...noPlayer, state: "building" };
      this.#building = this.#build(hash).catch((error: unknown) => this.#fail(error, builds));
    }
  }

  async #serve(current: Build, builds: readonly Build[]): Promise<void> {
    this.#files = await readFiles(
      current,
      builds.filter(({ folder }) => folder !== current.folder),
    );
  }

  async #build(hash: string): Promise<void> {
    const { log } = this.#deps;
    log.info("building the player");
    await this.#runBuild();
    const builds = await listBuilds(this.#folders);
    const current = builds.find(({ manifest }) => manifest.sources === hash) ?? builds[0];
    if (current === undefined) throw new Error("the build left nothing behind");
    await this.#serve(current, builds);
    log.info({ folder: current.folder }, "the player is built");
  }

  /** A process of its own: a second of Vite's work would hold up every answer. */
  async #runBuild(): Promise<void> {
    const program = join(import.meta.dirname, "build-process.ts");
    const child = spawn(process.execPath, [program, this.#deps.checkout, ...this.#folders], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    let told = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      told = (told + text).slice(-4_000);
    });
    // whoever asks for figures meanwhile goes first
    child.once("spawn", () => child.pid !== undefined && setPriority(child.pid, 10));
    const [code] = await once(child, "close");
    this.#child = null;
    if (code !== 0)
      throw new Error(`the player could not be built: ${stripVTControlCharacters(told).trim() || `status ${code}`}`);
  }

  async #fail(error: unknown, builds: readonly Build[]): Promise<void> {
    if (this.#closed) return;
    const [older] = builds;
    this.#deps.log.error({ err: error }, older ? "an older player is served" : "quizzes are not shown");
    this.#files = { ...noPlayer, state: "failed" };
    if (older) await this.#serve(older, builds);
  }
}
