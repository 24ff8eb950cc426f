import type { QuizDocument } from "../../engine/document.ts";
import { compileQuiz, type Quiz } from "../../engine/quiz.ts";
import type { Transaction } from "../platform/database/database.ts";
import { build, type Runner, written } from "../platform/database/statements.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { changeQuizFacts } from "./facts.ts";
import { type ImportedQuiz, type QuizImport, quizToReplace, readImport, writeImport } from "./import.ts";
import type { QuizTools } from "./tools.ts";

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
const liveQuizzesAtMost = 1_000;

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

/** What a shopper's browser is served (storefront 2): ids as answered. */
export interface LiveVersion {
  quiz_id: string;
  name: string;
  version_id: string;
  version_number: number;
  document: QuizDocument;
}

/** The live version of a quiz; null for a draft, a deleted quiz and one of another store. */
export async function liveVersion(db: Runner, storeId: string, quizId: string): Promise<LiveVersion | null> {
  const row = await db.first(
    build
      .selectFrom("quizzes as q")
      .innerJoin("quiz_versions as v", (on) =>
        on.onRef("v.store_id", "=", "q.store_id").onRef("v.id", "=", "q.published_version_id"),
      )
      .select(["q.name", "v.id", "v.number", "v.document"])
      .where("q.store_id", "=", storeId)
      .where("q.id", "=", quizId)
      .where("q.deleted_at", "is", null),
  );
  if (!row) return null;
  return {
    quiz_id: formatId("quiz", quizId),
    name: row.name,
    version_id: formatId("ver", row.id),
    version_number: row.number,
    document: row.document as unknown as QuizDocument,
  };
}

/** Every quiz of a store that shoppers are served, newest first. */
export async function liveQuizzes(db: Runner, storeId: string): Promise<{ quiz_id: string; name: string }[]> {
  const rows = await db.all(
    build
      .selectFrom("quizzes")
      .select(["id", "name"])
      .where("store_id", "=", storeId)
      .where("deleted_at", "is", null)
      .where("published_version_id", "is not", null)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(liveQuizzesAtMost),
  );
  return rows.map(({ id, name }) => ({ quiz_id: formatId("quiz", id), name }));
}

/** Names by UUID, those of deleted quizzes too (6.3); what the store does not have is not in the map. */
export async function quizNames(db: Runner, storeId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all(
    written<{ id: string; name: string }>("SELECT id, name FROM quizzes WHERE store_id = $1 AND id = ANY($2::uuid[])", [
      storeId,
      ids,
    ]),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/**
 * Takes a document in as a quiz's draft, as the editor would: it need not be valid yet (storefront 1 and 5). With
 * `publish` it must be, and is saved as a version and published, with its event. Throws OperatorErrors.
 */
export async function importQuiz(
  tx: Transaction,
  tools: QuizTools,
  storeId: string,
  given: QuizImport,
): Promise<ImportedQuiz> {
  const taken = readImport(given);
  const replaced = given.quizId === undefined ? null : await quizToReplace(tx, storeId, given.quizId);
  const id = replaced ?? uuidAt(tools.calendar.now(), tools.random);
  const write = () => writeImport(tx, tools, storeId, id, replaced !== null, taken);
  return changeQuizFacts(tx, tools, storeId, id, write);
}
