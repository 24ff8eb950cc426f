import { accessSync, constants, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

/** The account that PostgreSQL runs as; `switched` if it is not the current process's user (which is root then). */
export interface Account {
  uid: number;
  gid: number;
  switched: boolean;
}

interface Entry {
  name: string;
  uid: number;
  gid: number;
}

function accounts(): Entry[] {
  let text = "";
  try {
    text = readFileSync("/etc/passwd", "utf8");
  } catch {
    // An image without the file: the fallback ids below still work for an existing cluster.
  }
  return text.split("\n").flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

function ownerOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/**
 * PostgreSQL refuses uid 0, so root runs it under another account: the one that owns the cluster, else the one that
 * owns the data directory (a directory used by both a user and root stays usable for both), else nobody. initdb
 * requires an account with a name; an arbitrary uid would isolate better, but fails there.
 */
export function chooseAccount(dataDir: string, cluster: string): Account {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  if (uid !== 0) return { uid, gid, switched: false };
  const owned = ownerOf(cluster);
  if (owned && owned.uid !== 0) return { uid: owned.uid, gid: owned.gid, switched: true };
  const named = accounts();
  const owner = ownerOf(dataDir);
  const chosen =
    named.find((entry) => entry.uid !== 0 && entry.uid === owner?.uid) ??
    named.find((entry) => entry.name === "nobody");
  return { uid: chosen?.uid ?? 65534, gid: chosen?.gid ?? 65534, switched: true };
}

const BITS = { read: 4, write: 2, enter: 1 } as const;

function permits(path: string, account: Account, bits: number): boolean {
  if (!account.switched) {
    try {
      accessSync(path, bits);
      return true;
    } catch {
      return false;
    }
  }
  const stats = ownerOf(path);
  if (!stats) return false;
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0;
  return ((stats.mode >> shift) & bits) === bits;
}

/**
 * Whether the account may enter every folder on the path to `directory`, inclusive (by mode bits; access lists are not
 * read).
 */
export function canReach(directory: string, account: Account): boolean {
  if (!account.switched) return permits(directory, account, BITS.enter);
  let step: string;
  try {
    step = realpathSync(directory);
  } catch {
    return false;
  }
  for (;;) {
    if (!permits(step, account, BITS.enter)) return false;
    const above = dirname(step);
    if (above === step) return true;
    step = above;
  }
}

export function canRead(file: string, account: Account): boolean {
  return permits(file, account, BITS.read);
}

/** access(2) reports correctly even for root if the file system forbids running programs (noexec). */
export function canRun(file: string, account: Account): boolean {
  if (!permits(file, account, BITS.read | BITS.enter)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
