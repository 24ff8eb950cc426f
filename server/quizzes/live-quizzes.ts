import type { QuizDocument } from "../../engine/document.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { shownDocument } from "./safe-document.ts";

/** The quizzes that shoppers of a store see [storefront.live-version]. */

const liveQuizzesAtMost = 1_000;

/** Ids are public, as answered. */
export interface LiveVersion {
  quiz_id: string;
  name: string;
  version_id: string;
  version_number: number;
  document: QuizDocument;
}

/**
 * The inputs of an answer about a live quiz, without its document and catalog: as long as these are equal, those are
 * too.
 */
export interface Publication {
  name: string;
  /** the same id as `liveVersion` returns */
  versionId: string;
  shop: ShopFacts;
  /** how often the store's catalog was written */
  catalogWrites: number;
}

/** The store's data that shoppers see. */
export interface ShopFacts {
  name: string;
  shopDomain: string;
  currency: string;
}

type PublicationRow = Omit<Publication, "versionId" | "shop"> &
  Omit<ShopFacts, "name"> & { version: string | null; shopName: string };

/** Null if `liveVersion` is null. */
export async function livePublication(db: StoreRunner, quizId: string): Promise<Publication | null> {
  const row = await db.first(sql<PublicationRow>`
    SELECT q.name, q.published_version_id AS version, s.name AS "shopName", s.shop_domain AS "shopDomain", s.currency,
      coalesce(c.writes, 0) AS "catalogWrites"
    FROM quizzes q JOIN stores s ON s.id = q.store_id
    LEFT JOIN catalog_states c ON c.store_id = q.store_id
    WHERE q.store_id = ${ownStore} AND q.id = ${quizId} AND q.deleted_at IS NULL`);
  if (!row?.version) return null;
  const { name, version, shopName, shopDomain, currency, catalogWrites } = row;
  return {
    name,
    versionId: formatId("ver", version),
    shop: { name: shopName, shopDomain, currency },
    catalogWrites,
  };
}

/** The live version of a quiz, with safe HTML; null for a draft, a deleted quiz and one of another store. */
export async function liveVersion(db: StoreRunner, quizId: string): Promise<LiveVersion | null> {
  const row = await db.first(sql<{ name: string; id: string; number: number; document: QuizDocument }>`
    SELECT q.name, v.id, v.number, v.document
    FROM quizzes q JOIN quiz_versions v ON v.store_id = q.store_id AND v.id = q.published_version_id
    WHERE q.store_id = ${ownStore} AND q.id = ${quizId} AND q.deleted_at IS NULL`);
  if (!row) return null;
  const { name, id, number } = row;
  const document = await shownDocument(row.document);
  return { quiz_id: formatId("quiz", quizId), name, version_id: formatId("ver", id), version_number: number, document };
}

/** All live quizzes of a store, newest first [storefront.live-list]. */
export async function liveQuizzes(db: StoreRunner): Promise<{ quiz_id: string; name: string }[]> {
  const rows = await db.all(sql<{ id: string; name: string }>`
    SELECT id, name FROM quizzes
    WHERE store_id = ${ownStore} AND deleted_at IS NULL AND published_version_id IS NOT NULL
    ORDER BY created_at DESC, id DESC LIMIT ${liveQuizzesAtMost}`);
  return rows.map(({ id, name }) => ({ quiz_id: formatId("quiz", id), name }));
}
