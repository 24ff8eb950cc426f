import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Log } from "../platform/log.ts";
import { type Build, buildFolders, listBuilds, type Manifest } from "./builds.ts";
import { hashOfSources } from "./sources.ts";
import type { Target } from "./targets.ts";

/** Serves a target's files to browsers from memory. If it has not been built, it is built in the background. */

/** `absent`: neither a build nor the sources exist here */
export type BuildState = "ready" | "building" | "failed" | "absent";

export interface ServedFile {
  /** for its entity tags, without quotes */
  tag: string;
  plain: Buffer;
  gzip: Buffer;
  brotli: Buffer;
}

export interface BuiltFiles {
  readonly state: BuildState;
  /** names the files that a browser loads first; null until the build is ready */
  readonly manifest: Manifest | null;
  /** null: no stored build has such a file */
  file(path: string): ServedFile | null;
}

/** For tests and programs that serve no files. */
export const nothingBuilt: BuiltFiles = { state: "absent", manifest: null, file: () => null };

export interface BuiltDeps {
  checkout: string;
  dataDir: string;
  log: Log;
  /** a build starts only after this, because two at once would both finish late */
  after?: Promise<void>;
}

async function readServed({ folder, manifest }: Build, path: string): Promise<ServedFile> {
  const file = join(folder, path);
  const [plain, gzip, brotli] = await Promise.all([readFile(file), readFile(`${file}.gz`), readFile(`${file}.br`)]);
  return { tag: manifest.sources, plain, gzip, brotli };
}

/** The current build, with files of earlier ones: a page that was opened yesterday may request one of those today. */
export async function readFiles(current: Build, others: readonly Build[] = []): Promise<BuiltFiles> {
  const files = new Map<string, ServedFile>();
  for (const build of [current, ...others]) {
    for (const { path } of build.manifest.files) {
      if (!files.has(path)) files.set(path, await readServed(build, path));
    }
  }
  return { state: "ready", manifest: current.manifest, file: (path) => files.get(path) ?? null };
}

export class Built implements BuiltFiles {
  readonly #target: Target;
  readonly #deps: BuiltDeps;
  readonly #folders: readonly string[];
  #files: BuiltFiles = nothingBuilt;
  #building: Promise<void> | null = null;
  #child: ChildProcess | null = null;
  #closed = false;

  private constructor(target: Target, deps: BuiltDeps) {
    this.#target = target;
    this.#deps = deps;
    this.#folders = buildFolders(target, deps.checkout, deps.dataDir);
  }

  static async open(target: Target, deps: BuiltDeps): Promise<Built> {
    const built = new Built(target, deps);
    await built.#find();
    return built;
  }

  get state(): BuildState {
    return this.#files.state;
  }

  get manifest(): Manifest | null {
    return this.#files.manifest;
  }

  file(path: string): ServedFile | null {
    return this.#files.file(path);
  }

  /** Resolves when no build is running. */
  settled(): Promise<void> {
    return this.#building ?? Promise.resolve();
  }

  /** Aborts a running build. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#child?.kill();
    await this.settled();
  }

  async #find(): Promise<void> {
    const { checkout, log } = this.#deps;
    const hash = await hashOfSources(checkout, this.#target);
    const builds = await listBuilds(this.#folders);
    // without sources, the newest build is used
    const current = builds.find(({ manifest }) => hash === null || manifest.sources === hash);
    if (current) await this.#serve(current, builds);
    else if (hash === null) log.warn(`the ${this.#target.name} is not built, and its sources are not here`);
    else {
      this.#files = { ...nothingBuilt, state: "building" };
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
    const { log, after } = this.#deps;
    await after;
    if (this.#closed) return;
    const { name } = this.#target;
    log.info(`building the ${name}`);
    await this.#runBuild();
    const builds = await listBuilds(this.#folders);
    const current = builds.find(({ manifest }) => manifest.sources === hash) ?? builds[0];
    if (current === undefined) throw new Error("the build left nothing behind");
    await this.#serve(current, builds);
    log.info({ folder: current.folder }, `the ${name} is built`);
  }

  /** Runs in a separate process: a second of Vite's work would delay every answer. */
  async #runBuild(): Promise<void> {
    const { name } = this.#target;
    const program = join(import.meta.dirname, "build-process.ts");
    const child = spawn(process.execPath, [program, this.#deps.checkout, name, ...this.#folders], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-4_000);
    });
    // at a lower priority, so that requests for figures are answered first meanwhile
    child.once("spawn", () => child.pid !== undefined && setPriority(child.pid, 10));
    const [code] = await once(child, "close");
    this.#child = null;
    if (code !== 0)
      throw new Error(`the ${name} could not be built: ${stripVTControlCharacters(output).trim() || `status ${code}`}`);
  }

  async #fail(error: unknown, builds: readonly Build[]): Promise<void> {
    if (this.#closed) return;
    const [older] = builds;
    const { name } = this.#target;
    this.#deps.log.error({ err: error }, older ? `an older ${name} is served` : `the ${name} is not served`);
    this.#files = { ...nothingBuilt, state: "failed" };
    if (older) await this.#serve(older, builds);
  }
}
