import { open } from "node:fs/promises";

/** A renamed file survives a power cut only once its folder is synced. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
