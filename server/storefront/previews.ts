import type { FastifyRequest } from "fastify";
import type { PreviewedProductsRequest } from "../../contract/storefront-products.ts";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import { playerFacts } from "../../engine/player-facts.ts";
import type { RuleCatalogs } from "../orders/rule-catalogs.ts";
import type { Store } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import type { Deadline } from "../platform/deadline.ts";
import type { SenderGuard } from "../platform/limiter/senders.ts";
import { notFound } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { StoreCalendars } from "../platform/store-calendars.ts";
import { type PreviewedVersion, previewedVersion, readPreview } from "../quizzes/public.ts";
import { connectedStore } from "../stores/public.ts";
import { previewBytesAUnit, previewUnits, unknownStoreUnits } from "./limits.ts";
import { namedProducts, type Surroundings, surroundingsOf } from "./live-answer.ts";
import { type RuledProductsAnswer, ruledProducts } from "./ruled-products.ts";

export const previewUrl = "/storefront/v1/previews/:token";
export const previewedProductsUrl = `${previewUrl}/products`;

/** The answer for a live quiz, marked as a preview [storefront.previews]. */
export interface PreviewAnswer extends PreviewedVersion, Surroundings {
  preview: true;
}

interface FoundPreview {
  store: Store;
  answer: PreviewAnswer;
}

export interface PreviewDeps {
  database: Database;
  calendar: Calendar;
  secrets: Secrets;
}

/**
 * What a preview link shows; null if the link is altered or expired by the store's calendar [test-stores.clock], its quiz
 * or store is gone, or the store's plan does not allow it. Throws 422 with the reasons if a draft cannot be shown.
 */
async function findPreview(
  { database, calendar, secrets }: PreviewDeps,
  token: string,
  deadline: Deadline,
): Promise<FoundPreview | null> {
  const calendars = StoreCalendars.over(calendar);
  // a store's calendar may be ahead of the shared one, never behind
  const preview = readPreview(secrets, token, calendars.sharedNow());
  if (preview === null) return null;
  const { storeId } = preview;
  const store = await connectedStore(database.reader(deadline), storeId);
  if (store === undefined || store.plan === "other") return null;
  if (calendars.within(store, () => preview.expires <= calendars.now())) return null;
  const db = database.reader(deadline).forStore(storeId);
  const version = await previewedVersion(db, preview);
  if (version === null) return null;
  const surroundings = await surroundingsOf(db, namedProducts(version.document), store);
  return { store, answer: { ...version, ...surroundings, preview: true } };
}

export interface OpenedPreview {
  answer: PreviewAnswer;
  json: string;
}

interface AskedPreview {
  /** what the request itself was charged already */
  units: number;
  /** whether to add what the player needs in addition to the document (live-answer.ts) */
  isForPlayer?: boolean;
}

/**
 * Charged to the sender and to the store [storefront.sender-charges], because a draft is checked for each request.
 * Throws 404 if there is nothing to show.
 */
async function chargedPreview(
  request: FastifyRequest,
  token: string,
  units: number,
  { guard, ...deps }: PreviewDeps & { guard: SenderGuard },
): Promise<FoundPreview> {
  await guard.chargeAddress(request.address, previewUnits);
  const preview = await findPreview(deps, token, request.deadline);
  if (preview === null) {
    await guard.chargeAddress(request.address, unknownStoreUnits);
    throw notFound();
  }
  await guard.chargeStore(preview.store.id, units + previewUnits);
  return preview;
}

/** What a preview link shows. Throws 404 if there is nothing to show. */
export async function openPreview(
  request: FastifyRequest,
  token: string,
  { units, isForPlayer = false }: AskedPreview,
  deps: PreviewDeps & { guard: SenderGuard },
): Promise<OpenedPreview> {
  const { answer } = await chargedPreview(request, token, units, deps);
  const json = JSON.stringify(isForPlayer ? { ...answer, player: playerFacts(answer.document) } : answer);
  await deps.guard.chargeAddress(request.address, Math.floor(json.length / previewBytesAUnit));
  return { answer, json };
}

/** What the blocks with rules of a preview show [storefront.ruled-products]. */
export async function previewedProducts(
  request: FastifyRequest,
  token: string,
  { answers, block_keys, units }: PreviewedProductsRequest & { units: number },
  deps: PreviewDeps & { guard: SenderGuard; catalogs: RuleCatalogs },
): Promise<RuledProductsAnswer> {
  const { store, answer } = await chargedPreview(request, token, units, deps);
  const asked = { quiz: compileQuiz(answer.document), answers, block_keys };
  return ruledProducts(deps, store, asked, request.deadline);
}
