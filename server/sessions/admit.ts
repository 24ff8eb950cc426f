import {
  maxEventAgeMs,
  maxEventsPerSession,
  maxImportedEventsPerSession,
  maxImportedShownProducts,
  maxSessionBytes,
  maxShownProducts,
  type ProductsShown,
  type RejectReason,
  type ShopperEvent,
} from "../../contract/storefront.ts";
import { picksOf, type Quiz } from "../../engine/quiz.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { checkDate, checkEvent } from "./check.ts";
import type { IncomingBatch, IncomingEvent } from "./incoming.ts";
import { bytesIn, dataOf } from "./kept-event.ts";
import { shownKey } from "./products.ts";

/**
 * Decides which events a session accepts, and what is stored of them; anybody may send events, so there are bounds
 * [storefront.session-bounds].
 */

/** What a session holds already, including the requests being processed. */
export interface Load {
  events: number;
  bytes: number;
  /** keys of products shown in it; computed when a product is shown */
  readonly shown: Set<string>;
}

export interface Admitted {
  event: ShopperEvent;
  /** the event's stored data without its place and time, and its size in bytes */
  data: object;
  bytes: number;
}

interface Bounds {
  events: number;
  bytes: number;
  shown: number;
}

const liveBounds: Bounds = { events: maxEventsPerSession, bytes: maxSessionBytes, shown: maxShownProducts };
const historyBounds: Bounds = {
  events: maxImportedEventsPerSession,
  bytes: Number.POSITIVE_INFINITY,
  shown: maxImportedShownProducts,
};

/** The event as it is stored, or the reason for its rejection. */
export function admit(
  event: ShopperEvent,
  batch: IncomingBatch,
  { quiz, load, timeZone }: { quiz: Quiz; load: Load; timeZone: string | null },
): Admitted | RejectReason {
  const reason = checkEvent(quiz, event) ?? (batch.history ? null : checkDate(quiz, event, timeZone));
  if (reason !== null) return reason;
  if (!batch.history && batch.sentAt - Date.parse(event.at) > maxEventAgeMs) return "too_old";
  const kept = ofVersion(quiz, event, batch);
  if (kept === null) return "unknown_product";
  const bounds = batch.history ? historyBounds : liveBounds;
  if (load.events >= bounds.events) return "too_many_events";
  const data = dataOf(kept);
  const bytes = bytesIn(data);
  if (load.bytes + bytes > bounds.bytes) return "session_too_large";
  if (kept.type === "products_shown" && !showMore(kept, load.shown, bounds.shown)) return "too_many_products";
  load.events += 1;
  load.bytes += bytes;
  return { event: kept, data, bytes };
}

/** Counts products as shown; returns false, and counts none, if that would exceed the maximum. */
function showMore({ block_key, products }: ProductsShown, shown: Set<string>, most: number): boolean {
  const keys = new Set(products.map((product) => shownKey(block_key, product)));
  const more = [...keys].filter((key) => !shown.has(key));
  if (shown.size + more.length > most) return false;
  for (const key of more) shown.add(key);
  return true;
}

/**
 * Drops hidden pages and rules that the version lacks, and products that the shop does not have; null: nothing is left
 * [storefront.known-pages].
 */
function ofVersion(quiz: Quiz, event: ShopperEvent, batch: IncomingBatch): ShopperEvent | null {
  if (event.type === "page_entered" && event.hidden_page_keys) {
    const hidden_page_keys = event.hidden_page_keys.filter((key) => quiz.pages.has(key));
    return { ...event, hidden_page_keys };
  }
  if (event.type !== "products_shown" || batch.history) return event;
  const own = productsOf(quiz);
  const products = event.products.filter(
    ({ product_id }) => own.has(bareId(product_id)) || batch.catalog.has(product_id),
  );
  if (products.length === 0 && event.products.length > 0) return null;
  const { rule_keys } = event;
  if (!rule_keys) return { ...event, products };
  const block = quiz.blocks.get(event.block_key)?.block;
  const known = new Set(block?.source === "rules" ? block.rules.map(({ rule_key }) => rule_key) : []);
  return { ...event, products, rule_keys: rule_keys.filter((key) => known.has(key)) };
}

const idPrefix = "gid://shopify/Product/";

/** Quizzes refer to products by global ids; a shop's own code may send the bare number. */
const bareId = (id: string): string => (id.startsWith(idPrefix) ? id.slice(idPrefix.length) : id);

const productsByQuiz = new WeakMap<Quiz, ReadonlySet<string>>();

/** The bare ids of the products in a version's blocks. */
function productsOf(quiz: Quiz): ReadonlySet<string> {
  const known = productsByQuiz.get(quiz);
  if (known) return known;
  const named = [...quiz.blocks.values()].flatMap(({ block }) => picksOf(block));
  const ids = new Set(named.map(({ product_id }) => bareId(product_id)));
  productsByQuiz.set(quiz, ids);
  return ids;
}

const noProducts: ReadonlySet<string> = new Set();

/**
 * Products that events report as shown, that the version does not name, and that the store's catalog has
 * [storefront.known-products]. Queried before the events are queued: products that a stranger makes up must not hold up
 * other requests.
 */
export async function catalogProducts(
  runner: () => StoreRunner,
  quiz: Quiz,
  events: IncomingBatch["events"],
): Promise<ReadonlySet<string>> {
  const own = productsOf(quiz);
  const others = new Set<string>();
  for (const { refused, event } of events as readonly IncomingEvent[]) {
    if (refused !== null || event.type !== "products_shown") continue;
    for (const { product_id } of event.products) if (!own.has(bareId(product_id))) others.add(product_id);
  }
  if (others.size === 0) return noProducts;
  const ids = [...others];
  const globalIds = ids.map((id) => idPrefix + bareId(id));
  const rows = await runner().all(sql<{ product_id: string }>`
    SELECT product_id FROM products
    WHERE store_id = ${ownStore} AND product_id = ANY (${[...new Set([...ids, ...globalIds])]}::text[])`);
  const found = new Set(rows.map((row) => row.product_id));
  return new Set(ids.filter((id, index) => found.has(id) || found.has(globalIds[index] ?? id)));
}
