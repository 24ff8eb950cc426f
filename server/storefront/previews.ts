import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import type { Deadline } from "../platform/deadline.ts";
import type { Secrets } from "../platform/secrets.ts";
import { type PreviewedVersion, previewedVersion, readPreview } from "../quizzes/public.ts";
import { connectedStore } from "../stores/public.ts";
import { namedProducts, type Surroundings, surroundingsOf } from "./live-answer.ts";

export const previewUrl = "/storefront/v1/previews/:token";

/** As a live quiz is answered, and that it is a preview [storefront.previews]. */
export interface PreviewAnswer extends PreviewedVersion, Surroundings {
  preview: true;
}

export interface FoundPreview {
  /** UUID */
  storeId: string;
  answer: PreviewAnswer;
}

export interface PreviewDeps {
  database: Database;
  calendar: Calendar;
  secrets: Secrets;
}

/**
 * What a preview link shows; null for one that is altered or over, and where its quiz or its store is gone or the store
 * is without the plan. Throws a 422 that names what keeps a draft from being shown.
 */
export async function findPreview(
  { database, calendar, secrets }: PreviewDeps,
  token: string,
  deadline: Deadline,
): Promise<FoundPreview | null> {
  const preview = readPreview(secrets, token, calendar.now());
  if (preview === null) return null;
  const { storeId } = preview;
  const store = await connectedStore(database.reader(deadline), storeId);
  if (store === undefined || store.plan === "other") return null;
  const db = database.reader(deadline).forStore(storeId);
  const version = await previewedVersion(db, preview);
  if (version === null) return null;
  const surroundings = await surroundingsOf(db, namedProducts(version.document), store);
  return { storeId, answer: { ...version, ...surroundings, preview: true } };
}
