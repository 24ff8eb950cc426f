import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { copied, install } from "./installed.ts";
import { cleanUp, type Place, type Program, start } from "./program.ts";

/**
 * One started program for all stories that need none of their own, begun when the first asks for it: a start with its end costs
 * as much as most of these stories.
 */
declare module "vitest" {
  export interface ProvidedContext {
    /** where processes of tests learn where the shared program stands */
    sharedProgram: string;
  }
}

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  let program: Promise<Program> | undefined;
  const started = async (): Promise<Program> => {
    const data = await copied(await install(project.getProvidedContext().template));
    return start(data, { GEO_COUNTRY_HEADER: "x-country" });
  };
  const teller = createServer((_, response) => {
    program ??= started();
    program.then(
      ({ url, port, data }) => response.end(JSON.stringify({ url, port, data } satisfies Place)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => {
    teller.listen(0, "127.0.0.1", resolve);
  });
  project.provide("sharedProgram", `http://127.0.0.1:${(teller.address() as AddressInfo).port}`);
  return async () => {
    teller.close();
    teller.closeAllConnections();
    const { stop, data } = (await program?.catch(() => undefined)) ?? {};
    await stop?.();
    if (data !== undefined) await cleanUp(data);
  };
};
