import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";

/** What the machine that tests run on has: programs and ports. */

/** The first program of these names that PATH leads to; null where there is none. */
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

/** One on loopback that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
