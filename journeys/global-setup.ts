import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { bundleProgram } from "./bundle.ts";
import { copied, install } from "./installed.ts";
import {
  cleanUp,
  freshFolder,
  type Place,
  type Program,
  start,
  startDemo,
  tellerOfJourneys,
  until,
} from "./program.ts";

/**
 * What journeys share, created at its first use: the program in a few files, which starts faster; one running program,
 * whose start and end cost as much as most of these journeys; and a data directory with a filled demo shop, which costs
 * more.
 */
declare module "vitest" {
  export interface ProvidedContext {
    /** the address where test processes request it */
    shared: string;
  }
}

async function startOn(template: string): Promise<Program> {
  return start(await copied(await install(template)), { GEO_COUNTRY_HEADER: "x-country" });
}

/** The data directory of a demo shop with all of its shoppers, whose program has ended. */
async function fillDemo(data: string): Promise<string> {
  const demo = await startDemo(data);
  const said = await until(
    async () => demo.stdout() + demo.stderr(),
    (text) => text.includes("the demo shop is filled"),
    240,
  );
  await demo.stop();
  if (!said.includes("the demo shop is filled")) throw new Error(`the demo shop was not filled: ${said}`);
  return data;
}

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  let program: Promise<Program> | undefined;
  let demo: Promise<string> | undefined;
  let bundle: Promise<string> | undefined;
  const folders: string[] = [];
  const place = async (): Promise<Place> => {
    program ??= startOn(project.getProvidedContext().template);
    const { url, port, data } = await program;
    return { url, port, data };
  };
  const newDemo = async (): Promise<string> => {
    const folder = await freshFolder();
    folders.push(folder);
    return fillDemo(folder);
  };
  const filledDemo = (): Promise<string> => {
    demo ??= newDemo();
    return demo;
  };
  const bundled = (): Promise<string> => {
    bundle ??= bundleProgram();
    return bundle;
  };
  const made: Readonly<Record<string, () => Promise<Place | string>>> = {
    ...{ "/program": place, "/demo": filledDemo, "/bundle": bundled },
  };
  const teller = createServer((request, response) => {
    const wanted = made[request.url ?? ""]?.() ?? Promise.reject(new Error(`nobody shares ${request.url}`));
    wanted.then(
      (shared) => response.end(JSON.stringify(shared)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => {
    teller.listen(0, "127.0.0.1", resolve);
  });
  const address = `http://127.0.0.1:${(teller.address() as AddressInfo).port}`;
  project.provide("shared", address);
  // this process starts programs as well, and test processes inherit its environment
  process.env[tellerOfJourneys] = address;
  return async () => {
    teller.close();
    teller.closeAllConnections();
    const started = await program?.catch(() => undefined);
    await started?.stop();
    if (started) folders.push(started.data);
    for (const folder of folders) await cleanUp(folder);
  };
};
