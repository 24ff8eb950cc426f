import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Store } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/database/database.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { maxBodyBytes } from "../platform/http/body.ts";
import { admitSender } from "../platform/http/sender-places.ts";
import { parseId, type RandomBytes } from "../platform/ids.ts";
import { announcedKilobytes, SenderGuard, type SenderLimits } from "../platform/limiter/senders.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import { notFound } from "../platform/problems.ts";
import { ReadCache } from "../platform/read-cache.ts";
import type { Secrets } from "../platform/secrets.ts";
import { type LivePresentation, livePresentation } from "../quizzes/public.ts";
import {
  bytesSentAUnit,
  KnownStores,
  openPreview,
  requestUnits,
  storefrontLimits,
  unknownStoreUnits,
} from "../storefront/public.ts";
import {
  type BuiltFiles,
  codedFile,
  type Html,
  nonceOf,
  pageHeaders,
  type ServedFile,
  sentenceHeaders,
  sentencePage,
} from "../web/public.ts";
import { hostedPage, previewPage } from "./page.ts";
import { preferredLanguage, readLocale, textsFor } from "./page-texts.ts";
import { standIn } from "./stand-in.ts";

/**
 * The player's files for any website, and the pages on which this server shows quizzes [player.files,
 * player.hosted-page].
 */
export interface PlayerRouteDeps {
  config: Pick<Config, "baseUrl">;
  database: Database;
  calendar: Calendar;
  elapsed: ElapsedClock;
  limiter: Limiter;
  secrets: Secrets;
  random: RandomBytes;
  player: BuiltFiles;
  /** tests set lower ones */
  storefrontLimits?: SenderLimits;
}

interface Routes extends PlayerRouteDeps {
  guard: SenderGuard;
  stores: KnownStores;
  live: ReadCache<LivePresentation | null>;
}

/** Scripts of any page may load and read these files [player.files]. */
const forEveryPage = {
  "Access-Control-Allow-Origin": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Timing-Allow-Origin": "*",
};

const javaScript = "text/javascript; charset=utf-8";
/** for a page that names a quiz, in ms: an unpublished quiz disappears from it a moment later */
const rememberedMs = 1_000;

export function registerPlayer(app: FastifyInstance, deps: PlayerRouteDeps): void {
  const { database, elapsed, limiter, secrets, storefrontLimits: limits = storefrontLimits } = deps;
  const routes: Routes = {
    ...deps,
    // shares its buckets with the storefront's guard: a shopper counts as one sender
    guard: new SenderGuard({ limiter, secrets, kind: "storefront", limits }),
    stores: new KnownStores(database, elapsed),
    live: new ReadCache({ elapsed, rememberedMs, atMost: 10_000 }),
  };
  app.register(async (scope) => {
    scope.addHook("onRequest", async (request, reply) => {
      const units = requestUnits + announcedKilobytes(request.headers, maxBodyBytes);
      await admitSender(request, reply, routes.guard, units);
    });
    scope.get("/embed.js", (request, reply) => sendLoader(request, reply, routes));
    scope.get("/player/:file", (request, reply) => sendPart(request, reply, routes));
    scope.get("/q/:publishable_key/:quiz_id", (request, reply) => showQuiz(request, reply, routes));
    scope.get("/preview/:token", (request, reply) => showPreview(request, reply, routes));
  });
}

async function sendLoader(request: FastifyRequest, reply: FastifyReply, routes: Routes): Promise<FastifyReply> {
  const { manifest, state } = routes.player;
  const loader = manifest?.loader ? routes.player.file(manifest.loader) : null;
  reply.headers(forEveryPage).type(javaScript);
  if (loader === null) return reply.header("Cache-Control", "no-store").send(standIn(state));
  // a release reaches pages within five minutes; a copy more than a day past that is revalidated before use
  reply.header("Cache-Control", "public, max-age=300, stale-while-revalidate=86400");
  return sendFile(request, reply, loader, routes);
}

async function sendPart(request: FastifyRequest, reply: FastifyReply, routes: Routes): Promise<FastifyReply> {
  const { file } = request.params as { file: string };
  const part = routes.player.file(`player/${file}`);
  if (part === null) {
    reply.headers(forEveryPage);
    throw notFound();
  }
  reply.headers(forEveryPage).type(javaScript).header("Cache-Control", "public, max-age=31536000, immutable");
  return sendFile(request, reply, part, routes);
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile,
  { guard }: Routes,
): Promise<FastifyReply> {
  const bytes = codedFile(request, reply, file);
  if (bytes === null) return reply.code(304).send();
  await guard.chargeAddress(request.address, Math.floor(bytes.length / bytesSentAUnit));
  return reply.send(bytes);
}

/** Not for shared caches, since each answer has its own nonce. */
const sendPage = (reply: FastifyReply, page: Html, referrer?: string): FastifyReply =>
  reply
    .type("text/html; charset=utf-8")
    .headers(pageHeaders(page, referrer))
    .header("Cache-Control", "private, no-cache")
    .send(page.text);

async function showQuiz(request: FastifyRequest, reply: FastifyReply, routes: Routes): Promise<FastifyReply> {
  const { publishable_key: publishableKey, quiz_id: quizId } = request.params as Record<string, string>;
  const found = await findQuiz(request, publishableKey ?? "", quizId ?? "", routes);
  if (found === null) throw notFound();
  const notYet = sayNotBuilt(request, reply, routes.player);
  if (notYet) return notYet;
  const { store, live } = found;
  const address = {
    url: `${routes.config.baseUrl}/q/${publishableKey}/${quizId}`,
    publishableKey: publishableKey ?? "",
    quizId: quizId ?? "",
  };
  const parts = { main: routes.player.manifest?.main ?? null, nonce: nonceOf(routes.random) };
  const facts = { name: live.name, shop: store.name, presentation: live.presentation };
  return sendPage(reply, hostedPage(facts, address, parts));
}

/** Shows a preview to whoever has the link; nobody finds it by chance [player.preview-page]. */
async function showPreview(request: FastifyRequest, reply: FastifyReply, routes: Routes): Promise<FastifyReply> {
  const { token = "" } = request.params as { token?: string };
  reply.header("X-Robots-Tag", "noindex, nofollow");
  const { answer } = await openPreview(request, token, { units: requestUnits }, routes);
  const { name, store, document } = answer;
  const notYet = sayNotBuilt(request, reply, routes.player);
  if (notYet) return notYet;
  const facts = { name, shop: store.name, presentation: document.presentation ?? null };
  const parts = { main: routes.player.manifest?.main ?? null, nonce: nonceOf(routes.random) };
  return sendPage(reply, previewPage(facts, token, parts), "no-referrer");
}

interface FoundQuiz {
  store: Store;
  live: LivePresentation;
}

async function findQuiz(
  request: FastifyRequest,
  publishableKey: string,
  quizId: string,
  { guard, stores, live, database }: Routes,
): Promise<FoundQuiz | null> {
  const uuid = parseId("quiz", quizId);
  const store = await stores.find(publishableKey, request.deadline);
  if (store === null) {
    await guard.chargeAddress(request.address, unknownStoreUnits);
    return null;
  }
  await guard.chargeStore(store.id, requestUnits);
  if (uuid === null || store.plan === "other") return null;
  const found = await live.find(`${store.id} ${uuid}`, request.deadline, (deadline) =>
    livePresentation(database.reader(deadline).forStore(store.id), uuid),
  );
  return found && { store, live: found };
}

/** null: the player is ready. */
function sayNotBuilt(request: FastifyRequest, reply: FastifyReply, { state }: BuiltFiles): FastifyReply | null {
  if (state === "ready") return null;
  const lang = preferredLanguage(request.headers["accept-language"]);
  const texts = textsFor(lang);
  const dir = readLocale(lang)?.dir ?? "ltr";
  const page =
    state === "building"
      ? sentencePage({ lang, dir, title: texts.building, why: texts.buildingWhy, again: 1 })
      : sentencePage({ lang, dir, title: texts.unavailable, why: texts.unavailableWhy });
  return reply
    .code(503)
    .type("text/html; charset=utf-8")
    .headers(sentenceHeaders(page))
    .header("Retry-After", "1")
    .header("Cache-Control", "no-store")
    .send(page.text);
}
