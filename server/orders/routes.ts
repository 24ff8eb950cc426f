import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { MemoryConcurrencyLimiter } from "../platform/concurrency/memory.ts";
import type { ConcurrencyLimiter } from "../platform/concurrency/types.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import type { RandomBytes } from "../platform/ids.ts";
import { JsonThread } from "../platform/json/json-thread.ts";
import { announcedKilobytes, SenderGuard, type SenderLimits } from "../platform/limiter/senders.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import type { Log } from "../platform/log.ts";
import { invalid, Problem } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { StoreCalendars } from "../platform/store-calendars.ts";
import { type ConnectedShop, shopOfDomain } from "../stores/public.ts";
import { PayloadError, parseMessage, timeOf } from "./payload.ts";
import type { Eraser } from "./requests.ts";
import { isSignature, maxBytes, readSigned, type Sent, unsigned } from "./signed-body.ts";
import { topics } from "./topics.ts";

/** Dependencies of the routes that the commerce platform calls when something happens in a shop. */
export interface CommerceDeps {
  database: Database;
  calendar: StoreCalendars;
  random: RandomBytes;
  secrets: Secrets;
  limiter: Limiter;
  log: Log;
  /** revokes every key and deletes every endpoint of a store */
  disconnect: (tx: Transaction, storeId: string) => Promise<unknown>;
  /** without an eraser, requests to erase wait in commerce_requests */
  eraser?: Eraser;
  /** lower limits for tests */
  commerceLimits?: SenderLimits;
}

const url = "/commerce/v1/shopify/webhooks";

/**
 * Limits for messages of a shop [orders.limits]. A unit is one kilobyte of a message. Each message costs ten more, for
 * looking up the shop and, if the signature is valid, for its transaction.
 *
 * An address is charged before anything is read, by the announced length. The platform sends for many shops from a few
 * addresses, so one address may send 10 MB a second (500 typical orders), and ten of the largest messages at once.
 * Reading and hashing 10 MB of invalid data a second takes 5 % of a CPU.
 *
 * A shop is charged only after its signature was verified, so that nobody else can use up its limit: a hundred orders a
 * second, and a thousand at once. Refused messages are not lost, since the platform repeats them for two days.
 */
const defaultLimits: SenderLimits = {
  address: { capacity: 50_000, leakPerSecond: 10_000 },
  network: { capacity: 100_000, leakPerSecond: 20_000 },
  store: { capacity: 20_000, leakPerSecond: 2_000 },
};

const messageUnits = 10;

/** Ms that a message waits for its shop's earlier ones at most; its request's deadline is earlier. */
const longestWaitMs = 60_000;

declare module "fastify" {
  interface FastifyRequest {
    /** the shop that a message claims to come from */
    claimedShop: ConnectedShop | null;
  }
}

export function registerCommerce(app: FastifyInstance, deps: CommerceDeps): void {
  const { limiter, secrets, commerceLimits: limits = defaultLimits } = deps;
  const guard = new SenderGuard({ limiter, secrets, kind: "commerce", limits });
  const permits = new MemoryConcurrencyLimiter(longestWaitMs);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // the signature covers the raw bytes, whatever their content type
    scope.addContentTypeParser("*", (request: FastifyRequest, body: IncomingMessage) =>
      readSigned(body, sentOf(request)),
    );
    scope.decorateRequest("claimedShop", null);
    // its own, so that large orders and large drafts do not wait for each other
    const thread = new JsonThread();
    scope.addHook("onClose", () => thread.close());
    const onRequest = async (request: FastifyRequest) => {
      // not one at a time, since one address sends for many shops [api.refused-senders]
      await guard.chargeAddress(request.address, unitsOf(request));
      await findClaimedShop(request, deps);
    };
    scope.post(url, { bodyLimit: maxBytes, onRequest }, async (request, reply) => {
      // a request without a body has not been read
      const bytes = Buffer.isBuffer(request.body) ? request.body : await readSigned(Readable.from([]), sentOf(request));
      const shop = claimedShopOf(request);
      await guard.chargeStore(shop.store.id, unitsOf(request));
      return inTurn(permits, request, shop, () => applyMessage(request, reply, { shop, bytes, thread }, deps));
    });
  });
}

/**
 * Messages of one shop are applied one after another [orders.turns]. Orders would wait for each other anyway, at the
 * lock of the store's revision, but there each would occupy a database connection and be ahead of the shoppers' events.
 */
async function inTurn<Result>(
  permits: ConcurrencyLimiter,
  { deadline }: FastifyRequest,
  { store }: ConnectedShop,
  apply: () => Promise<Result>,
): Promise<Result> {
  const permit = await permits.acquire(store.id, 1, deadline);
  if (permit === null) throw new Problem("timeout");
  try {
    return await apply();
  } finally {
    permit.release();
  }
}

/** The units that a message costs, known before it is read. */
const unitsOf = ({ headers }: FastifyRequest): number => messageUnits + announcedKilobytes(headers, maxBytes);

async function applyMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  { shop, bytes, thread }: { shop: ConnectedShop; bytes: Buffer; thread: JsonThread },
  deps: CommerceDeps,
): Promise<FastifyReply> {
  const name = headerOf(request, "x-shopify-topic")?.toLowerCase() ?? "";
  const topic = topics.get(name);
  // an unknown topic is accepted and ignored, since a refused message would be repeated [orders.topics]
  if (topic && (topic.afterDisconnect || !shop.disconnected)) {
    const { calendar, random, disconnect, eraser = null, database } = deps;
    try {
      const payload = await parseMessage(bytes, thread);
      const apply = async (transaction: Transaction) => {
        const tx = transaction.forStore(shop.store.id);
        const now = calendar.now();
        if (await isRepeated(tx, { id: headerOf(request, "x-shopify-webhook-id"), topic: name }, now)) return;
        const message = { store: shop.store, topic: name, payload, triggeredAt: triggeredAtOf(request, now) };
        await topic.apply(tx, message, { now, random, disconnect, eraser, transaction });
      };
      await calendar.within(shop.store, () => database.transaction(apply, request.deadline));
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
      deps.log.warn({ topic: name, detail: error.message }, "could not read a message of the commerce platform");
      throw invalid(error.field === null ? "body" : `body.${error.field}`, error.fault);
    }
  }
  return reply.code(200).header("Cache-Control", "no-store").type("application/json; charset=utf-8").send("{}");
}

/** Runs before the body is read, so that messages of unknown shops take up no memory. Throws 401. */
async function findClaimedShop(request: FastifyRequest, { database, secrets }: CommerceDeps): Promise<void> {
  const domain = headerOf(request, "x-shopify-shop-domain");
  if (domain === undefined || !isSignature(headerOf(request, signatureHeader))) throw unsigned();
  const shop = await shopOfDomain(database.reader(request.deadline), secrets, domain);
  if (!shop) throw unsigned();
  request.claimedShop = shop;
}

const signatureHeader = "x-shopify-hmac-sha256";

function claimedShopOf({ claimedShop }: FastifyRequest): ConnectedShop {
  if (claimedShop === null) throw unsigned();
  return claimedShop;
}

/** What a message has to be signed with, and what was sent with it. */
function sentOf(request: FastifyRequest): Sent {
  const announced = request.headers["content-length"];
  return {
    secret: claimedShopOf(request).commerceSecret,
    signature: headerOf(request, signatureHeader) ?? "",
    announced: announced === undefined ? null : Number(announced),
  };
}

/** The signature does not cover headers: a moment to come would shut out every later message [orders.newest]. */
function triggeredAtOf(request: FastifyRequest, now: number): number | null {
  const at = timeOf(headerOf(request, "x-shopify-triggered-at"));
  return at === null ? null : Math.min(at, now);
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/**
 * Records a message's id in the transaction that applies it, so that a failed message may be repeated [orders.repeats].
 */
async function isRepeated(
  tx: StoreTransaction,
  { id, topic }: { id: string | undefined; topic: string },
  now: number,
): Promise<boolean> {
  if (id === undefined) return false;
  const row = await tx.first(sql`
  INSERT INTO commerce_deliveries (store_id, webhook_id, received_at, topic)
  VALUES (${ownStore}, ${id}, ${new Date(now)}, ${topic})
  ON CONFLICT (store_id, webhook_id) DO NOTHING RETURNING webhook_id`);
  return row === undefined;
}
