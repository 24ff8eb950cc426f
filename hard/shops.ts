import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import type { StoreAllowances } from "../contract/limits.ts";
import { allScopes } from "../contract/scopes.ts";
import { shortQuiz } from "../journeys/documents.ts";
import { type Client, client } from "../journeys/http.ts";
import type { Live } from "../journeys/visit.ts";
import { type Opened, openFoundations } from "../server/main/foundations.ts";
import { readConfig } from "../server/platform/config.ts";
import { parseId } from "../server/platform/ids.ts";
import { importQuiz } from "../server/quizzes/public.ts";
import { createKey, createStore, updateStore } from "../server/stores/admin.ts";

/** Shops of a database that real processes serve, made by the same functions as the command line's, without its starts. */

export interface HardShop {
  /** UUID */
  uuid: string;
  id: string;
  publishableKey: string;
  key: string;
  quizId: string;
  versionId: string;
}

/** Nobody is limited by accident. */
export const boundless = { capacity: 1_000_000, leak_per_second: 1_000_000 };

export const liveOf = ({ publishableKey, quizId, versionId }: HardShop, url: string): Live => ({
  ...{ url, store: publishableKey, quiz_id: quizId, version_id: versionId },
});

export const clientOf = ({ key }: HardShop, url: string): Client => client(url, key);

export type HardSettings = Readonly<Record<string, string>>;

/** What commands stand on, in this process. @param settings as the processes have them */
export async function openOperator(settings: HardSettings): Promise<Opened> {
  const config = readConfig(settings);
  await mkdir(config.dataDir, { recursive: true });
  return openFoundations({ ...config, logLevel: "error" }, { role: "command", connections: 4 });
}

/** A shop with a key of every scope and one live quiz. */
export function openHardShop(opened: Opened, limits: Partial<StoreAllowances> = {}): Promise<HardShop> {
  const shopDomain = `shop-${randomBytes(6).toString("hex")}.example.com`;
  const given = { name: "Shop", shopDomain, plan: "enterprise", timezone: "UTC", currency: "EUR" };
  return opened.database.transaction(async (tx) => {
    const made = await createStore(tx, opened, given);
    const uuid = parseId("store", made.store_id) ?? "";
    await updateStore(tx, uuid, { limits: { ...boundless, ...limits } });
    const { key } = await createKey(tx, opened, uuid, { scopes: allScopes });
    const quiz = await importQuiz(tx, opened, uuid, { document: shortQuiz, name: "Quiz", publish: true });
    if (quiz.version_id === null) throw new Error("published without a version");
    const { store_id: id, publishable_key: publishableKey } = made;
    return { uuid, id, publishableKey, key, quizId: quiz.quiz_id, versionId: quiz.version_id };
  });
}
