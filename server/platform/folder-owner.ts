import { chown, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Gives a file to the owner of its folder if this process is root: a command run as root in the data directory of the
 * user that runs the program must leave nothing there that the program cannot read [erasure.ledger-refused].
 */
export async function giveToFoldersOwner(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  if (uid !== 0) await chown(path, uid, gid);
}
