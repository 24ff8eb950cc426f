import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { QuizDocument } from "../../engine/document.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { plainTexts } from "../../engine/recall.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { heldBytes } from "../platform/held-bytes.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";

/**
 * A saved version, compiled, its texts with their fallbacks [engine.recall-fallbacks]. Versions never change, so they are
 * cached.
 */
export interface CompiledVersion {
  /** UUIDs */
  id: string;
  quizId: string;
  number: number;
  document: QuizDocument;
  quiz: Quiz;
}

/**
 * Approximate memory of the cache in bytes. An ordinary quiz uses a tenth of its share; the largest documents use some
 * megabytes each.
 */
const cacheBytes = 128 * 1024 * 1024;
const cachedAtMost = 1_000;

export class VersionCache {
  readonly #versions = new LeastRecentlyUsed<CompiledVersion>(cacheBytes, ({ document }) =>
    Math.max(heldBytes(document), Math.floor(cacheBytes / cachedAtMost)),
  );

  /** The version that a session or another row refers to, which therefore exists. */
  async existing(db: StoreRunner, versionId: string): Promise<CompiledVersion> {
    const version = await this.get(db, versionId);
    if (version === null) throw new Error("a row refers to a quiz version that does not exist");
    return version;
  }

  /** Only from the cache, without a query: undefined if the version is not cached. */
  kept(storeId: string, versionId: string): CompiledVersion | undefined {
    return this.#versions.get(`${storeId}:${versionId}`);
  }

  /** null: the store has no such version. Versions of deleted quizzes are found, because their sessions continue. */
  async get(db: StoreRunner, versionId: string): Promise<CompiledVersion | null> {
    const known = this.kept(db.storeId, versionId);
    if (known) return known;
    // jsonb: only documents from `checkDocument` are saved as versions
    const row = await db.first(sql<Omit<CompiledVersion, "quiz">>`
      SELECT id, quiz_id AS "quizId", number, document FROM quiz_versions
      WHERE store_id = ${ownStore} AND id = ${versionId}`);
    if (!row) return null;
    const document = plainTexts(row.document);
    const version = { ...row, document, quiz: compileQuiz(document) };
    this.#versions.set(`${db.storeId}:${versionId}`, version);
    return version;
  }
}
