import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Debian's packages, unpacked into a folder of their own: nothing is installed or started, and no root is needed. */
export interface Unpacked {
  folder: string;
  /** for programs of the packages: where their libraries are */
  environment: { LD_LIBRARY_PATH: string };
  remove(): Promise<void>;
}

/** Null, with a line that says why, where Debian's packages cannot be had. */
export async function unpack(...packages: readonly string[]): Promise<Unpacked | null> {
  const folder = await mkdtemp(join(tmpdir(), "quizstore-packages-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const [downloads, root] = [join(folder, "downloads"), join(folder, "root")];
    await mkdir(downloads);
    await run("apt-get", ["download", ...packages], { cwd: downloads });
    for (const file of await readdir(downloads)) await run("dpkg", ["-x", join(downloads, file), root]);
    return { folder: root, environment: { LD_LIBRARY_PATH: join(root, "usr/lib/x86_64-linux-gnu") }, remove };
  } catch (error) {
    process.stderr.write(`Skipped, since Debian's packages ${packages.join(", ")} cannot be had: ${error}\n`);
    await remove();
    return null;
  }
}
