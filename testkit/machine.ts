import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";

/** Programs and ports of the machine that tests run on. */

/** The first of these programs found on PATH; null: none. */
export function onPath(...names: readonly string[]): string | null {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const found = names.map((name) => join(folder, name)).find(isProgram);
    if (found !== undefined) return found;
  }
  return null;
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A port on loopback that is not in use at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
