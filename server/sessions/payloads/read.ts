import { anyOf, ownStore, raw, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import { type CompiledVersion, quizNames, type VersionCache } from "../../quizzes/public.ts";
import { findStore } from "../../stores/public.ts";
import type { Device } from "../device.ts";
import { type ShownCatalog, shownCatalog } from "../result-page.ts";
import type { SessionState } from "../state.ts";

/** The data for payloads about sessions, each read once for all events of a batch. */

/** The parts of a session's state that payloads contain. */
export type PayloadState = Pick<
  SessionState,
  | "opened_at"
  | "started_at"
  | "completed_at"
  | "ended_at"
  | "answers"
  | "answered_count"
  | "contacts"
  | "outcome"
  | "last_page_key"
  | "terminal_page_key"
  | "shown"
>;

export interface ReadSession {
  id: string;
  quiz_id: string;
  version_id: string;
  visitor_id: string;
  channel: string;
  placement: string | null;
  country: string | null;
  region: string | null;
  page_url: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_content: string | null;
  utm_term: string | null;
  device_class: Device["class"];
  device: Device;
  state: PayloadState;
}

export interface PayloadContext {
  /** null: the quiz's row is gone */
  quizName: string | null;
  /** the version that the shopper saw; null: its row is gone */
  version: CompiledVersion | null;
}

/** State that no payload contains; the way through the pages is the longest part. */
export const omittedFields = [
  ...["visits", "moves", "hidden", "added", "exit", "pages_visited", "status", "end_reason", "opt_ins"],
  ...["time_to_complete_ms", "last_event_at", "idle_at", "abandon_at", "fold"],
] as const satisfies readonly (keyof SessionState)[];

/** By UUID. */
export async function readPayloadSessions(db: StoreRunner, ids: readonly string[]): Promise<Map<string, ReadSession>> {
  const rows = await db.all(sql<ReadSession>`
  SELECT id, quiz_id, version_id, visitor_id, channel, placement, country, region, page_url, utm_source, utm_medium,
    utm_campaign, utm_content, utm_term, device_class, device, state - '{${raw(omittedFields.join())}}'::text[] AS state
  FROM sessions WHERE store_id = ${ownStore} AND id = ${anyOf(ids)}`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Names of quizzes by UUID; null or missing: the quiz's row is gone. */
export type NamesOf = (ids: readonly string[]) => Promise<ReadonlyMap<string, string | null>>;

export async function readPayloadContext(
  db: StoreRunner,
  cache: VersionCache,
  sessions: readonly ReadSession[],
  namesOf: NamesOf = (ids) => quizNames(db, ids),
): Promise<(session: ReadSession) => PayloadContext> {
  const names = await namesOf([...new Set(sessions.map((session) => session.quiz_id))]);
  const versions = new Map<string, CompiledVersion | null>();
  for (const id of new Set(sessions.map((session) => session.version_id))) {
    versions.set(id, await cache.get(db, id));
  }
  return ({ quiz_id, version_id }) => {
    return { quizName: names.get(quiz_id) ?? null, version: versions.get(version_id) ?? null };
  };
}

/** Catalog data of the products that these sessions were shown. */
export async function readShownCatalog(
  db: StoreRunner,
  sessions: readonly Pick<ReadSession, "state">[],
): Promise<ShownCatalog> {
  const ids = [...new Set(sessions.flatMap(({ state }) => state.shown.map((product) => product.product_id)))];
  if (ids.length === 0) return { products: new Map(), currency: "" };
  const store = await findStore(db, formatId("store", db.storeId));
  return { products: await shownCatalog(db, ids), currency: store?.currency ?? "" };
}
