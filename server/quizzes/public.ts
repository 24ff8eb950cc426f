import { compileQuiz, type Quiz } from "../../engine/quiz.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { build, type Runner } from "../platform/database/statements.ts";

/** A saved version, ready to run. Versions never change, so that one once read is kept. */
export interface CompiledVersion {
  /** UUIDs */
  id: string;
  quizId: string;
  number: number;
  document: QuizDocument;
  quiz: Quiz;
}

const keptAtMost = 1_000;

export class VersionCache {
  readonly #versions = new Map<string, CompiledVersion>();

  /** null: the store has no such version. A version of a deleted quiz is found: its sessions go on. */
  async get(db: Runner, storeId: string, versionId: string): Promise<CompiledVersion | null> {
    const key = `${storeId}:${versionId}`;
    const known = this.#versions.get(key);
    if (known) {
      // the oldest entry is the first of the map: put this one at its end
      this.#versions.delete(key);
      this.#versions.set(key, known);
      return known;
    }
    const row = await db.first(
      build
        .selectFrom("quiz_versions")
        .select(["id", "quiz_id", "number", "document"])
        .where("store_id", "=", storeId)
        .where("id", "=", versionId),
    );
    if (!row) return null;
    const document = row.document as unknown as QuizDocument;
    const version = { id: row.id, quizId: row.quiz_id, number: row.number, document, quiz: compileQuiz(document) };
    this.#versions.set(key, version);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > keptAtMost && oldest !== undefined) this.#versions.delete(oldest);
    return version;
  }
}
