import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, client } from "./http.ts";
import { command, type Place } from "./program.ts";
import type { Live } from "./visit.ts";

/** Shops, keys and quizzes, created on the command line for the journeys. */

export const everyScope = [
  "quizzes:read",
  "quizzes:write",
  "quizzes:publish",
  "analytics:read",
  "profiles:read",
  "webhooks:manage",
];

export interface Shop {
  store_id: string;
  publishable_key: string;
  commerce_secret: string;
  domain: string;
}

export interface ShopOptions {
  plan?: string;
  name?: string;
  timezone?: string;
  currency?: string;
  limits?: Record<string, number>;
}

/** On the enterprise plan by default, so that no journey reaches its limits by accident. */
export async function openShop(data: string, options: ShopOptions = {}): Promise<Shop> {
  const domain = `shop-${randomBytes(5).toString("hex")}.myshopify.com`;
  const { plan = "enterprise", name = "Shop", timezone = "UTC", currency = "EUR", limits } = options;
  const facts = ["--name", name, "--shop-domain", domain, "--plan", plan];
  const made = await command<Omit<Shop, "domain">>(
    data,
    ...["store", "create", ...facts, "--timezone", timezone, "--currency", currency],
  );
  if (limits !== undefined) await command(data, "store", "update", made.store_id, "--limits", JSON.stringify(limits));
  return { ...made, domain };
}

export interface Key {
  key_id: string;
  key: string;
}

export const newKey = (data: string, store: string, scopes = everyScope, ...more: string[]): Promise<Key> =>
  command<Key>(data, "key", "create", "--store", store, "--scopes", scopes.join(","), ...more);

export interface Imported {
  quiz_id: string;
  version_id: string | null;
}

/** Writes a document next to the data and imports it. */
export async function importQuiz(data: string, store: string, document: unknown, ...more: string[]): Promise<Imported> {
  const file = join(data, `quiz-${randomBytes(5).toString("hex")}.json`);
  await writeFile(file, JSON.stringify(document));
  return command<Imported>(data, "quiz", "import", file, "--store", store, ...more);
}

/** Imports and publishes a quiz; returns what a visit needs. */
export async function publishQuiz(
  program: Place,
  shop: Shop,
  document: unknown,
  name = "Quiz",
  ...more: string[]
): Promise<Live> {
  const made = await importQuiz(program.data, shop.store_id, document, "--name", name, "--publish", ...more);
  if (made.version_id === null) throw new Error("published without a version");
  return { url: program.url, store: shop.publishable_key, quiz_id: made.quiz_id, version_id: made.version_id };
}

/** Writes lines to a file and imports them with `import <kind> FILE --store STORE`. */
export async function importLines(
  data: string,
  kind: string,
  store: string,
  lines: readonly string[],
  ...more: string[]
): Promise<Record<string, unknown>> {
  const file = join(data, `${kind}-${randomBytes(5).toString("hex")}.ndjson`);
  await writeFile(file, `${lines.join("\n")}\n`);
  return command<Record<string, unknown>>(data, "import", kind, file, "--store", store, ...more);
}

/** A shop with a key that has every scope, ready for requests. */
export async function openShopWithKey(
  program: Place,
  options: ShopOptions = {},
): Promise<{ shop: Shop; key: Key; api: Client }> {
  const shop = await openShop(program.data, options);
  const key = await newKey(program.data, shop.store_id);
  return { shop, key, api: client(program.url, key.key) };
}
