import { execFile } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A folder on its own disk in memory, which can be filled and emptied. */
export interface SmallDisk {
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
  close(): Promise<void>;
}

/** Throws if mounting is not permitted on this machine. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  await mkdir(folder, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", folder]);
  const filler = join(folder, ".filler");
  return {
    fill: async () => {
      const file = await open(filler, "a");
      // large pieces first, then small ones for the rest
      for (const bytes of [1024 * 1024, 4096]) {
        const piece = Buffer.alloc(bytes);
        const isFull = (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOSPC") throw error;
          return null;
        };
        // the last write may be partial, and then the next one fails
        while ((await file.write(piece).catch(isFull)) !== null);
      }
      await file.close();
    },
    makeRoom: () => rm(filler, { force: true }),
    close: async () => {
      await run("umount", [folder]).catch(() => run("umount", ["-l", folder]));
    },
  };
}
