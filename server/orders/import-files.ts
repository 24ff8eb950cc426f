import type { CommandDeps } from "../platform/command-line/commands.ts";
import { importInGroups } from "../platform/command-line/import-lines.ts";
import { storeNamed } from "../stores/public.ts";
import { importProducts } from "./catalog.ts";
import { importCollections } from "./collections.ts";
import { importOrders } from "./ingest.ts";
import { parsePlatformJson } from "./payload.ts";

/**
 * Implements `quizstore import orders`, `products` and `collections`: one payload of the commerce platform, or one
 * collection, per line, and one transaction per group of lines.
 */

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

const productsAtOnce = 500;

export async function importProductFile({ database, calendar }: CommandDeps, file: string, storeName: string) {
  const store = await storeNamed(database.reader(), storeName);
  const lines = { file, atOnce: productsAtOnce, parse: parsePlatformJson };
  const { done, report } = await importInGroups(lines, (payloads) =>
    database.transaction((tx) => importProducts(tx.forStore(store.id), payloads, calendar.now())),
  );
  const totals = { products: sum(done.map((each) => each.products)), variants: sum(done.map((each) => each.variants)) };
  return { ...totals, ...report };
}

/** A collection may have as many products as the shop. */
const collectionsAtOnce = 10;

export async function importCollectionFile({ database }: CommandDeps, file: string, storeName: string) {
  const store = await storeNamed(database.reader(), storeName);
  const lines = { file, atOnce: collectionsAtOnce, parse: parsePlatformJson };
  const { done, report } = await importInGroups(lines, (read) =>
    database.transaction((tx) => importCollections(tx.forStore(store.id), read)),
  );
  const totals = {
    collections: sum(done.map((each) => each.collections)),
    members: sum(done.map((each) => each.members)),
  };
  return { ...totals, ...report };
}

const ordersAtOnce = 200;

export async function importOrderFile({ database, calendar, random }: CommandDeps, file: string, storeName: string) {
  const store = await storeNamed(database.reader(), storeName);
  const lines = { file, atOnce: ordersAtOnce, parse: parsePlatformJson };
  const { done, report } = await importInGroups(lines, (payloads) =>
    database.transaction((tx) => importOrders(tx.forStore(store.id), store, payloads, { now: calendar.now(), random })),
  );
  const totals = { orders: sum(done.map((each) => each.orders)), ignored: sum(done.map((each) => each.ignored)) };
  return { ...totals, ...report };
}
