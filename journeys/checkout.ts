import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The program as its image holds it: the files that deploy/Dockerfile copies, and the packages that it installs. */

const root = join(import.meta.dirname, "..");
const entry = "server/main/quizstore.ts";

/** What the image's last stage copies from the checkout. */
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

/** Packages at the top of node_modules that are left in the image: those that what it keeps stands on. */
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

/** Where a package finds those that it needs: beside it, or above. */
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
  /** what node is given */
  program: string;
  /** packages are linked, and are to find only each other */
  settings: { NODE_OPTIONS: string };
}

/** Lays the image's files into `folder`, with more migrations by their file names. */
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

/** Number of the newest migration of this checkout. */
export const newestMigration = async (): Promise<number> =>
  (await readdir(join(root, "migrations"))).filter((name) => name.endsWith(".sql")).length;
