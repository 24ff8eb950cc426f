import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../platform/config.ts";
import { OperatorError } from "../platform/operator-error.ts";

/**
 * The file that a process with a server database leaves in its data directory. A command that was not given
 * DATABASE_URL, which often only a systemd unit or a container names, would otherwise work on an embedded database that
 * has nothing to do with the service [operations.moved-database].
 */
const fileOf = ({ dataDir }: Pick<Config, "dataDir">): string => join(dataDir, "server-database");

const text = "The database of this data directory is on a server, at DATABASE_URL.\n";

/** A data directory that a command cannot write to, or that does not exist, is left as it is. */
export async function markServerDatabase(config: Pick<Config, "dataDir">, makesFolder: boolean): Promise<void> {
  try {
    if (makesFolder) await mkdir(config.dataDir, { recursive: true });
    await writeFile(fileOf(config), text, { flag: "wx" });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // a server needs its data directory, and says what is wrong with it where it uses it
    if (!["EEXIST", "ENOENT", "ENOTDIR", "EACCES", "EPERM", "EROFS"].includes(code)) throw error;
  }
}

/** Refuses to open an embedded database where processes with a server database have run. */
export async function refuseMoved(config: Pick<Config, "dataDir">): Promise<void> {
  const file = fileOf(config);
  try {
    await stat(file);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return;
    // without access to the directory, whatever opens it next says so
    if ((error as NodeJS.ErrnoException).code === "EACCES") return;
    throw error;
  }
  throw new OperatorError(
    `${config.dataDir} belongs to a server database: set DATABASE_URL, or delete ${file} to use an embedded database there`,
  );
}
