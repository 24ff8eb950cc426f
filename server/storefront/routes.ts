import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { maxBatchBytes, maxBatchFields, maxBatchValues, publishableKey } from "../../contract/storefront.ts";
import {
  type PreviewedProductsRequest,
  previewedProductsShape,
  type RuledProductsRequest,
  ruledProductsShape,
} from "../../contract/storefront-products.ts";
import type { RuleCatalogs } from "../orders/rule-catalogs.ts";
import type { Store } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/database/database.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { acceptJsonBodies } from "../platform/http/body.ts";
import { matchesTag } from "../platform/http/etag.ts";
import { admitSender } from "../platform/http/sender-places.ts";
import { compileCheck, compileQueryCheck } from "../platform/http/shapes.ts";
import { parseId } from "../platform/ids.ts";
import { announcedKilobytes, SenderGuard, type SenderLimits } from "../platform/limiter/senders.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import { invalid, invalidFields, notFound } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { liveQuizzes, type VersionCache } from "../quizzes/public.ts";
import { countryOf, regionOf } from "./country.ts";
import { type Intake, readBatch } from "./intake.ts";
import type { KnownStores } from "./known-stores.ts";
import {
  bytesSentAUnit,
  eventUnits,
  requestUnits,
  ruledBlockUnits,
  storefrontLimits,
  unknownStoreUnits,
} from "./limits.ts";
import { LiveDocuments, type Representation, represented } from "./live-documents.ts";
import { openPreview, previewedProducts, previewedProductsUrl, previewUrl } from "./previews.ts";
import { ruledProducts } from "./ruled-products.ts";

/** The API for shoppers' browsers, from any page that embeds a quiz. */
export interface StorefrontDeps {
  config: Pick<Config, "geoCountryHeader" | "geoRegionHeader">;
  database: Database;
  calendar: Calendar;
  elapsed: ElapsedClock;
  limiter: Limiter;
  secrets: Secrets;
  intake: Intake;
  versions: VersionCache;
  stores: KnownStores;
  catalogs: RuleCatalogs;
  /** rewrites addresses in the JSON text of live and previewed documents */
  pointImages?: (json: string) => string;
  /** tests set lower ones */
  storefrontLimits?: SenderLimits;
}

/** Any page may call, but without the shopper's cookies [storefront.other-origins]. */
export const openToPages = {
  prefix: "/storefront/",
  headers: {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Request-Id, Retry-After",
  },
};

const quizzesUrl = "/storefront/v1/quizzes";
const quizUrl = "/storefront/v1/quizzes/:quiz_id";
const eventsUrl = "/storefront/v1/events";
const productsUrl = `${quizUrl}/products`;
const countryUrl = "/storefront/v1/country";

/** `navigator.sendBeacon` sends plain text, which needs no CORS preflight [storefront.body-types]. */
const beaconTypes = /^(application\/json|text\/plain)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

export function registerStorefront(app: FastifyInstance, deps: StorefrontDeps): void {
  const { database, elapsed, limiter, secrets, stores, storefrontLimits: limits = storefrontLimits } = deps;
  const documents = new LiveDocuments({ database, elapsed, pointImages: deps.pointImages });
  const guard = new SenderGuard({ limiter, secrets, kind: "storefront", limits });
  app.register(async (scope) => {
    acceptJsonBodies(scope, {
      contentTypes: beaconTypes,
      asked: "content-type: application/json or text/plain",
      nul: true,
      maxFields: maxBatchFields,
      maxValues: maxBatchValues,
      maxBytes: maxBatchBytes,
    });
    scope.addHook("onRoute", (route) => {
      route.bodyLimit = maxBatchBytes;
    });
    scope.addHook("onRequest", async (request, reply) => {
      if (request.method !== "OPTIONS") await admitSender(request, reply, guard, unitsOf(request));
    });
    // before the app's connections and database close, so that everything accepted is committed
    scope.addHook("onClose", () => deps.intake.close());
    for (const url of [quizzesUrl, quizUrl, previewUrl, countryUrl]) answerPreflight(scope, url, "GET, HEAD, OPTIONS");
    for (const url of [eventsUrl, productsUrl, previewedProductsUrl]) answerPreflight(scope, url, "POST, OPTIONS");
    scope.get(quizzesUrl, (request, reply) => listLive(request, reply, { database, stores, guard }));
    scope.get(quizUrl, (request, reply) => serveQuiz(request, reply, { documents, stores, guard }));
    scope.get(previewUrl, (request, reply) => servePreview(request, reply, { ...deps, guard }));
    scope.get(countryUrl, (request, reply) => tellCountry(request, reply, deps));
    scope.post(productsUrl, (request, reply) => pickProducts(request, reply, { ...deps, stores, guard }));
    scope.post(previewedProductsUrl, (request, reply) => pickPreviewed(request, reply, { ...deps, guard }));
    scope.post(eventsUrl, (request, reply) => ingestEvents(request, reply, { ...deps, stores, guard }));
  });
}

function answerPreflight(scope: FastifyInstance, url: string, methods: string): void {
  scope.options(url, (_request, reply) =>
    reply
      .code(204)
      .header("Access-Control-Allow-Methods", methods)
      .header("Access-Control-Allow-Headers", "Content-Type, If-None-Match")
      .header("Access-Control-Max-Age", "86400")
      .header("Allow", methods)
      .send(),
  );
}

/** A malformed key is answered like an unknown one. */
const checkStoreQuery = compileQueryCheck<{ store: string }>(Type.Object({ store: publishableKey }), { nul: true });
/** `for`: requests what is derived from the document too, as the player does. */
const forPlayer = { for: Type.Optional(Type.Literal("player")) };
const checkQuizQuery = compileQueryCheck<{ store: string; for?: "player" }>(
  Type.Object({ store: publishableKey, ...forPlayer }),
  { nul: true },
);
const checkPreviewQuery = compileQueryCheck<{ for?: "player" }>(Type.Object(forPlayer));
const checkNoQuery = compileQueryCheck<object>(undefined);

interface Finders {
  stores: KnownStores;
  guard: SenderGuard;
}

/** Units for a request and its body, charged before the body is read. */
const unitsOf = ({ headers }: FastifyRequest): number => requestUnits + announcedKilobytes(headers, maxBatchBytes);

/**
 * The store that a request names. `units`: charged in addition to the request's own units, first to the address and
 * then to the store.
 */
async function storeOf(
  request: FastifyRequest,
  key: string,
  units: number,
  { stores, guard }: Finders,
): Promise<Store> {
  await guard.chargeAddress(request.address, units);
  const store = await stores.find(key, request.deadline);
  if (store === null) {
    await guard.chargeAddress(request.address, unknownStoreUnits);
    throw notFound();
  }
  await guard.chargeStore(store.id, unitsOf(request) + units);
  return store;
}

/**
 * Checks shared by both document routes: a well-formed request, and a store that is served [storefront.paused-plan,
 * storefront.query].
 */
async function servedStore(
  request: FastifyRequest,
  finders: Finders,
  check: typeof checkStoreQuery = checkStoreQuery,
): Promise<Store> {
  const { value, errors } = check(request.query);
  if (errors.length > 0) throw invalidFields(errors);
  if (Object.keys((request.body ?? {}) as object).length > 0) throw invalid("body", "is not taken by this route");
  const store = await storeOf(request, value.store, 0, finders);
  if (store.plan === "other") throw notFound();
  return store;
}

/** For an embed that offers several quizzes, and for `quizstore simulate`. */
async function listLive(
  request: FastifyRequest,
  reply: FastifyReply,
  { database, ...finders }: Finders & { database: Database },
): Promise<FastifyReply> {
  const store = await servedStore(request, finders);
  const data = await liveQuizzes(database.reader(request.deadline).forStore(store.id));
  const list = represented(JSON.stringify({ data }));
  return sendCacheable(request, reply, { ...list, isMade: true }, finders);
}

async function serveQuiz(
  request: FastifyRequest,
  reply: FastifyReply,
  { documents, ...finders }: Finders & { documents: LiveDocuments },
): Promise<FastifyReply> {
  const store = await servedStore(request, finders, checkQuizQuery);
  const isForPlayer = (request.query as { for?: string }).for !== undefined;
  const quizId = parseId("quiz", (request.params as { quiz_id: string }).quiz_id);
  if (quizId === null) throw notFound();
  let isMade = false;
  const onMade = () => {
    isMade = true;
  };
  const live = await documents.find(store.id, quizId, { deadline: request.deadline, isForPlayer, onMade });
  if (live === null) throw notFound();
  return sendCacheable(request, reply, { ...live, isMade }, finders);
}

async function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, tag, isMade }: Representation & { isMade: boolean },
  { guard }: Finders,
): Promise<FastifyReply> {
  const unchanged = matchesTag(request.headers["if-none-match"], tag);
  if (!unchanged || isMade) await guard.chargeAddress(request.address, Math.floor(bytes.length / bytesSentAUnit));
  reply.header("ETag", `"${tag}"`).header("Cache-Control", "public, max-age=60");
  if (unchanged) return reply.code(304).send();
  return reply.type("application/json; charset=utf-8").send(bytes);
}

/** A link works for whoever has it [storefront.previews]; the answer is never cached. */
async function servePreview(
  request: FastifyRequest,
  reply: FastifyReply,
  { guard, ...deps }: StorefrontDeps & { guard: SenderGuard },
): Promise<FastifyReply> {
  const { value, errors } = checkPreviewQuery(request.query);
  if (errors.length > 0) throw invalidFields(errors);
  const { token } = request.params as { token: string };
  const asked = { units: unitsOf(request), isForPlayer: value.for !== undefined };
  const { json } = await openPreview(request, token, asked, { ...deps, guard });
  const bytes = Buffer.from(deps.pointImages?.(json) ?? json);
  reply.header("Cache-Control", "no-store").header("Referrer-Policy", "no-referrer");
  return reply.type("application/json; charset=utf-8").send(bytes);
}

/** For phones in national notation; apart from the documents, which are cached for everybody [storefront.country]. */
async function tellCountry(
  request: FastifyRequest,
  reply: FastifyReply,
  { config }: StorefrontDeps,
): Promise<FastifyReply> {
  const { errors } = checkNoQuery(request.query);
  if (errors.length > 0) throw invalidFields(errors);
  const country = await countryOf(request.headers, config.geoCountryHeader, request.address);
  return reply.header("Cache-Control", "no-store").send({ country });
}

async function ingestEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  { config, intake, ...finders }: Finders & StorefrontDeps,
): Promise<FastifyReply> {
  const { errors } = checkNoQuery(request.query);
  if (errors.length > 0) throw invalidFields(errors);
  const batch = readBatch(request.body);
  const store = await storeOf(request, batch.store, batch.events.length * eventUnits, finders);
  const { headers } = request;
  const origin = {
    userAgent: headers["user-agent"] ?? null,
    country: await countryOf(headers, config.geoCountryHeader, request.address),
    region: regionOf(headers, config.geoRegionHeader),
  };
  const answer = await intake.submit({
    store,
    batch,
    origin,
    mode: { kind: "live" },
    sender: finders.guard.senderOf(request.address),
    deadline: request.deadline,
  });
  return reply.code(202).header("Cache-Control", "no-store").send(answer);
}

const checkProducts = compileCheck<RuledProductsRequest>(ruledProductsShape, "body");

/** For pages whose products rules choose, asked when the shopper is about to come there [storefront.ruled-products]. */
async function pickProducts(
  request: FastifyRequest,
  reply: FastifyReply,
  { catalogs, database, versions, ...finders }: Finders & StorefrontDeps,
): Promise<FastifyReply> {
  const { errors } = checkNoQuery(request.query);
  const body = checkProducts(request.body);
  if (errors.length + body.errors.length > 0) throw invalidFields([...errors, ...body.errors]);
  const { value } = body;
  const quizId = parseId("quiz", (request.params as { quiz_id: string }).quiz_id);
  const store = await storeOf(request, value.store, value.block_keys.length * ruledBlockUnits, finders);
  const versionId = parseId("ver", value.version_id);
  if (store.plan === "other" || quizId === null || versionId === null) throw notFound();
  const version = await versions.get(database.reader(request.deadline).forStore(store.id), versionId);
  if (version?.quizId !== quizId) throw notFound();
  const asked = { quiz: version.quiz, answers: value.answers, block_keys: value.block_keys };
  const answer = await ruledProducts({ database, catalogs }, store, asked, request.deadline);
  return reply.header("Cache-Control", "no-store").send(answer);
}

const checkPreviewed = compileCheck<PreviewedProductsRequest>(previewedProductsShape, "body");

/** The same for a preview link, which may lead to a draft. */
async function pickPreviewed(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: StorefrontDeps & { guard: SenderGuard },
): Promise<FastifyReply> {
  const { errors } = checkNoQuery(request.query);
  const body = checkPreviewed(request.body);
  if (errors.length + body.errors.length > 0) throw invalidFields([...errors, ...body.errors]);
  const { token } = request.params as { token: string };
  const units = unitsOf(request) + body.value.block_keys.length * ruledBlockUnits;
  const answer = await previewedProducts(request, token, { ...body.value, units }, deps);
  reply.header("Cache-Control", "no-store").header("Referrer-Policy", "no-referrer");
  return reply.send(answer);
}
