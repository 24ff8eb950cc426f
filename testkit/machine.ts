import { randomInt } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import type { Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
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

/** Below those that systems choose from for connections and for servers without a port of their own. */
const chosenPorts = { from: 12_000, to: 30_000 };

/**
 * A port on loopback that is not in use at the moment, and that nothing takes by chance until the program that it is for
 * uses it.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(chosenPorts.from, chosenPorts.to);
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const listening = new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!(await listening)) return false;
  probe.close();
  await once(probe, "close");
  return true;
}

/** Listens on loopback, on a port that the system chooses; closing also ends the connections that are open. */
export async function listenLocally(server: Server): Promise<{ port: number; close(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { port: (server.address() as AddressInfo).port, close };
}
