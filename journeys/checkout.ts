import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The program in the form of its image: the files that deploy/Dockerfile copies, and the packages that it installs. */

const root = join(import.meta.dirname, "..");
const entry = "server/main/quizstore.ts";

/** The files that the image's last stage copies from the checkout. */
async function copiedFiles(): Promise<string[]> {
  const dockerfile = await readFile(join(root, "deploy/Dockerfile"), "utf8");
  const stage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  return [...stage.matchAll(/^COPY (?!--)(\S+) \S+$/gm)].flatMap((match) => match[1] ?? []);
}

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Packages at the top of node_modules that the image contains: the remaining dependencies and everything they need. */
async function installedPackages(): Promise<string[]> {
  const [dockerfile, lockText] = await Promise.all(
    ["deploy/Dockerfile", "package-lock.json"].map((path) => readFile(join(root, path), "utf8")),
  );
  const { packages } = JSON.parse(lockText ?? "") as { packages: Record<string, Locked> };
  const uninstalled = new Set(/npm uninstall([^&]*)/.exec(dockerfile ?? "")?.[1]?.match(/(?<=\s)[@\w][\w@/.-]*/g));
  const removed = [...(dockerfile ?? "").matchAll(/(?<=\s)node_modules\/(\S+)/g)].flatMap((match) => match[1] ?? []);
  const kept = Object.keys({ ...packages[""]?.dependencies, ...packages[""]?.optionalDependencies })
    .filter((name) => !uninstalled.has(name))
    .map((name) => `node_modules/${name}`);
  const found = new Set(kept);
  for (const path of found) for (const needed of neededBy(packages, path)) found.add(needed);
  return [...found].flatMap((path) => {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    const isRemoved = name === undefined || removed.some((gone) => name === gone || name.startsWith(`${gone}/`));
    return isRemoved || !existsSync(join(root, path)) ? [] : [name];
  });
}

/** The places of a package's dependencies: next to it, or further up. */
function neededBy(packages: Record<string, Locked>, path: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[path] ?? {};
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers].flatMap((name) => {
    for (let from = path; ; from = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")))) {
      const there = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
      if (there in packages) return [there];
      if (from === "") return [];
    }
  });
}

export interface Checkout {
  /** the file to pass to node */
  program: string;
  /** packages are symbolic links, and must only find each other */
  settings: { NODE_OPTIONS: string };
}

/** Creates the image's files in `folder`, with additional migrations by file name. */
export async function layOut(folder: string, migrations: Readonly<Record<string, string>> = {}): Promise<Checkout> {
  for (const path of await copiedFiles()) {
    const filter = (source: string) => !/\.test\.ts$|\/fixtures$/.test(source);
    await cp(join(root, path), join(folder, path), { recursive: true, filter });
  }
  for (const name of await installedPackages()) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, "node_modules", name), link);
  }
  for (const [name, sql] of Object.entries(migrations)) await writeFile(join(folder, "migrations", name), sql);
  return {
    program: join(folder, entry),
    settings: { NODE_OPTIONS: "--preserve-symlinks --preserve-symlinks-main" },
  };
}

/** Number of this checkout's newest migration. */
export const newestMigration = async (): Promise<number> =>
  (await readdir(join(root, "migrations"))).filter((name) => name.endsWith(".sql")).length;
