import { execFile } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A folder on a disk of its own in memory, which can be filled and given room again. */
export interface SmallDisk {
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
  close(): Promise<void>;
}

/** Throws where this machine lets nobody mount. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  await mkdir(folder, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", folder]);
  const filler = join(folder, ".filler");
  return {
    fill: async () => {
      const file = await open(filler, "a");
      // large pieces first, then what is left between them
      for (const bytes of [1024 * 1024, 4096]) {
        const piece = Buffer.alloc(bytes);
        const isFull = (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOSPC") throw error;
          return null;
        };
        // a last write may be taken in part, so the next one fails
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
