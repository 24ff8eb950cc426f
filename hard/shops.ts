import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import type { StoreAllowances } from "../contract/limits.ts";
import { allScopes } from "../contract/scopes.ts";
import { shortQuiz } from "../journeys/documents.ts";
import { type Client, client } from "../journeys/http.ts";
import { cleanUp, freshFolder, type Program, start } from "../journeys/program.ts";
import type { Live } from "../journeys/visit.ts";
import { runDemo } from "../server/main/demo/run-demo.ts";
import { type Opened, openFoundations } from "../server/main/foundations.ts";
import { readConfig } from "../server/platform/config.ts";
import { parseId } from "../server/platform/ids.ts";
import { importQuiz } from "../server/quizzes/public.ts";
import { createKey, createStore, updateStore } from "../server/stores/admin.ts";
import type { HardRun } from "./suite.ts";

/**
 * Shops in a database that real processes serve, created by the command line's functions, without starting a process
 * for each command.
 */

export interface HardShop {
  /** UUID */
  uuid: string;
  id: string;
  domain: string;
  publishableKey: string;
  commerceSecret: string;
  key: string;
  quizId: string;
  versionId: string;
}

/** High limits, so that none is reached by accident. */
export const boundless = { capacity: 1_000_000, leak_per_second: 1_000_000 };

export const liveOf = ({ publishableKey, quizId, versionId }: HardShop, url: string): Live => ({
  ...{ url, store: publishableKey, quiz_id: quizId, version_id: versionId },
});

export const clientOf = ({ key }: HardShop, url: string): Client => client(url, key);

export type HardSettings = Readonly<Record<string, string>>;

/** The foundations of commands, in this process. @param settings the same as for the processes */
export async function openOperator(settings: HardSettings): Promise<Opened> {
  const config = readConfig(settings);
  await mkdir(config.dataDir, { recursive: true });
  return openFoundations({ ...config, logLevel: "error" }, { role: "command", connections: 4 });
}

interface Wanted {
  name?: string;
  plan?: string;
  /** null: the plan's */
  limits?: Partial<StoreAllowances> | null;
}

/** A shop with a key of every scope and one live quiz, without limits except the given ones. */
export async function openHardShop(opened: Opened, wanted: Wanted = {}): Promise<HardShop> {
  const { name = "Shop", plan = "enterprise", limits = {} } = wanted;
  const domain = `shop-${randomBytes(6).toString("hex")}.myshopify.com`;
  const given = { name, shopDomain: domain, plan, timezone: "UTC", currency: "EUR" };
  const made = await opened.database.transaction((tx) => createStore(tx, opened, given));
  const uuid = parseId("store", made.store_id) ?? "";
  if (limits !== null) {
    await opened.database.transaction((tx) => updateStore(tx, uuid, { limits: { ...boundless, ...limits } }));
  }
  const { store_id: id, publishable_key: publishableKey, commerce_secret: commerceSecret } = made;
  const { key } = await openKey(opened, { uuid }, allScopes);
  const quiz = await publishQuiz(opened, { uuid }, shortQuiz, "Quiz");
  return { uuid, id, domain, publishableKey, commerceSecret, key, ...quiz };
}

export const openKey = (
  opened: Opened,
  { uuid }: Pick<HardShop, "uuid">,
  scopes: readonly string[],
  more: { expires?: string | undefined; test?: boolean } = {},
) => opened.database.transaction((tx) => createKey(tx, opened, uuid, { scopes, ...more }));

export async function publishQuiz(
  opened: Opened,
  { uuid }: Pick<HardShop, "uuid">,
  document: unknown,
  name: string,
): Promise<Pick<HardShop, "quizId" | "versionId">> {
  const made = await opened.database.transaction((tx) =>
    importQuiz(tx, opened, uuid, { document, name, publish: true }),
  );
  if (made.version_id === null) throw new Error("published without a version");
  return { quizId: made.quiz_id, versionId: made.version_id };
}

/** The demo's quizzes and a month of its shoppers. */
export const fillWithDemo = (opened: Opened, { id }: HardShop, sessions: number): Promise<unknown> =>
  runDemo(opened, { store: id, days: "30", sessions: String(sessions), seed: "1" });

export interface ServedProgram {
  program: Program;
  /** opened on its database */
  opened: Opened;
}

/** Runs `quizstore start` in its own folder until the run ends, and opens the foundations of commands for it. */
export async function startProgram(run: Pick<HardRun, "atEnd">, settings: HardSettings = {}): Promise<ServedProgram> {
  const data = await freshFolder();
  run.atEnd(() => cleanUp(data));
  const program = await start(data, settings);
  run.atEnd(() => program.stop());
  const opened = await openOperator({ DATA_DIR: data });
  run.atEnd(() => opened.close());
  return { program, opened };
}

/** Failures in a program's log. */
export const loggedFaults = (log: string, most = 5): string[] =>
  log
    .split("\n")
    .filter((line) => /"level":"(error|fatal)"|internal_error|UnhandledPromise|^\s+at /.test(line))
    .slice(0, most)
    .map((line) => `the log says: ${line.slice(0, 1_500)}`);
