import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { QuizDocument } from "../../engine/document.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { heldBytes } from "../platform/held-bytes.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";

/** A saved version, ready to run. Versions never change, so that one once read is kept. */
export interface CompiledVersion {
  /** UUIDs */
  id: string;
  quizId: string;
  number: number;
  document: QuizDocument;
  quiz: Quiz;
}

/** Of memory, about. An ordinary quiz holds a tenth of its share; the largest documents hold some megabytes each. */
const keptBytes = 128 * 1024 * 1024;
const keptAtMost = 1_000;

export class VersionCache {
  readonly #versions = new LeastRecentlyUsed<CompiledVersion>(keptBytes, ({ document }) =>
    Math.max(heldBytes(document), Math.floor(keptBytes / keptAtMost)),
  );

  /** The version of a session or another row that refers to one, which therefore is there. */
  async existing(db: StoreRunner, versionId: string): Promise<CompiledVersion> {
    const version = await this.get(db, versionId);
    if (version === null) throw new Error("a row refers to a quiz version that is not there");
    return version;
  }

  /** Without asking the database: undefined for one that was not read lately. */
  kept(storeId: string, versionId: string): CompiledVersion | undefined {
    return this.#versions.get(`${storeId}:${versionId}`);
  }

  /** null: the store has no such version. A version of a deleted quiz is found: its sessions go on. */
  async get(db: StoreRunner, versionId: string): Promise<CompiledVersion | null> {
    const known = this.kept(db.storeId, versionId);
    if (known) return known;
    // jsonb: no version is saved unless `checkDocument` made it one
    const row = await db.first(sql<Omit<CompiledVersion, "quiz">>`
      SELECT id, quiz_id AS "quizId", number, document FROM quiz_versions
      WHERE store_id = ${ownStore} AND id = ${versionId}`);
    if (!row) return null;
    const version = { ...row, quiz: compileQuiz(row.document) };
    this.#versions.set(`${db.storeId}:${versionId}`, version);
    return version;
  }
}
