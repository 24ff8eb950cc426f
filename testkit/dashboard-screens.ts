import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Role } from "../contract/roles.ts";
import { composeWorker } from "../server/main/compose-worker.ts";
import { readConfig } from "../server/platform/config.ts";
import { MemoryLimiter } from "../server/platform/limiter/memory.ts";
import { type Browser, signedIn } from "./accounts.ts";
import { neverWoken, openTestApp, type TestStore } from "./app.ts";
import { builtDashboard } from "./built-player.ts";
import type { DashboardApp } from "./dashboard.ts";
import { freePort } from "./machine.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { patience } from "./slowness.ts";

/** The dashboard with everything that works in the background: due work is done, and webhooks go to a receiver. */

export interface Screens {
  t: DashboardApp;
  receiver: Receiver;
  store: TestStore;
  /** a member of the store, signed in by a link, with a password */
  member(role: Role): Promise<Browser>;
  close(): Promise<void>;
}

/** For `expect.poll`: the worker needs some time. */
export const soon = { timeout: 15_000 * patience };

export const password = "a long enough password";

export async function openScreens(): Promise<Screens> {
  const [{ files: dashboard }, receiver, port] = await Promise.all([builtDashboard(), openReceiver(), freePort()]);
  // links to files contain the address, which must be known before the server listens
  const url = `http://127.0.0.1:${port}`;
  const dataDir = mkdtempSync(join(tmpdir(), "quizstore-screens-"));
  const config = readConfig({ BASE_URL: url, DATA_DIR: dataDir, WEBHOOK_ALLOW_HOSTS: receiver.host });
  const elapsed = () => performance.now();
  const app = await openTestApp({ dashboard, config, elapsed, limiter: new MemoryLimiter(elapsed) });
  // a browser compares the server's times with its own clock
  app.calendar.advance(Date.now() - app.calendar.now());
  await app.app.listen({ host: "127.0.0.1", port });
  const stopWorker = composeWorker({ ...app.foundations, wakeUp: neverWoken });
  const t = { ...app, url };
  const store = await t.store({ timezone: "Europe/Berlin" });
  let members = 0;
  return {
    t,
    receiver,
    store,
    member: (role) => {
      members += 1;
      return signedIn(t, `${role}-${members}@people.example`, { store, role, password });
    },
    close: async () => {
      await stopWorker();
      await t.close();
      await receiver.close();
    },
  };
}

/** Clicks an option in a list that opens below its field. */
export async function choose(within: Page | Locator, label: string, option: string): Promise<void> {
  await within.getByLabel(label, { exact: true }).first().click();
  const page = "page" in within ? within.page() : within;
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** The bodies that the page sends to an address of the API, newest last. */
export function sentTo(page: Page, path: string): unknown[] {
  const bodies: unknown[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET" && new URL(request.url()).pathname === `/dashboard/api${path}`)
      bodies.push(request.postDataJSON());
  });
  return bodies;
}
