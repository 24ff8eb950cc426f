import type { QuizDocument } from "../../engine/document.ts";
import { compileQuiz, type Quiz } from "../../engine/quiz.ts";
import { ownStore, type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import { build } from "../platform/database/statements.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { changeQuiz } from "./change-quiz.ts";
import { type Defining, everHad, readDefinition } from "./definition.ts";
import type { QuizDeps } from "./deps.ts";
import { type ImportedQuiz, type QuizImport, quizToReplace, readImport, writeImport } from "./import.ts";
import type { Definition } from "./outline.ts";
import { lockQuiz } from "./rows.ts";

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
    // jsonb: no version is saved unless `checkDocument` made it one
    const document = row.document as unknown as QuizDocument;
    const version = { id: row.id, quizId: row.quiz_id, number: row.number, document, quiz: compileQuiz(document) };
    this.#versions.set(key, version);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > keptAtMost && oldest !== undefined) this.#versions.delete(oldest);
    return version;
  }
}

/** What a shopper's browser is served [storefront.live-version]: ids as answered. */
export interface LiveVersion {
  quiz_id: string;
  name: string;
  version_id: string;
  version_number: number;
  document: QuizDocument;
}

/** What of a quiz is live, without its document: the version as `liveVersion` names it; null where that is null. */
export async function livePublication(
  db: Runner,
  storeId: string,
  quizId: string,
): Promise<{ name: string; versionId: string } | null> {
  const row = await db.first(
    build
      .selectFrom("quizzes")
      .select(["name", "published_version_id"])
      .where("store_id", "=", storeId)
      .where("id", "=", quizId)
      .where("deleted_at", "is", null),
  );
  if (!row?.published_version_id) return null;
  return { name: row.name, versionId: formatId("ver", row.published_version_id) };
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
    // as above
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

/** Names by UUID, those of deleted quizzes too [quizzes.delete]; what the store does not have is not in the map. */
export async function quizNames(db: Runner, storeId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.forStore(storeId).all(
    sql<{
      id: string;
      name: string;
    }>`SELECT id, name FROM quizzes WHERE store_id = ${ownStore} AND id = ANY(${ids}::uuid[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Whether the store has the quiz, and has not deleted it. */
export async function hasQuiz(db: Runner, storeId: string, quizId: string): Promise<boolean> {
  const found = await db
    .forStore(storeId)
    .first(sql`SELECT 1 FROM quizzes WHERE store_id = ${ownStore} AND id = ${quizId} AND deleted_at IS NULL`);
  return found !== undefined;
}

/** Every quiz that is not deleted, archived ones too. */
export function presentQuizzes(
  db: Runner,
  storeId: string,
): Promise<{ id: string; name: string; status: "draft" | "published" }[]> {
  return db
    .forStore(storeId)
    .all(sql`SELECT id, name, CASE WHEN published_version_id IS NULL THEN 'draft' ELSE 'published' END AS status
       FROM quizzes WHERE store_id = ${ownStore} AND deleted_at IS NULL`);
}

/** When which version went live; `at` in ms. */
export interface Publish {
  at: number;
  versionNumber: number;
}

/** Oldest first. */
export async function publishesOf(db: Runner, storeId: string, quizId: string): Promise<Publish[]> {
  const rows = await db
    .forStore(storeId)
    .all(sql<{ at: Date; number: number }>`SELECT h.at, v.number FROM quiz_history h
       JOIN quiz_versions v ON v.store_id = h.store_id AND v.id = h.version_id
       WHERE h.store_id = ${ownStore} AND h.quiz_id = ${quizId} AND h.action = 'published' ORDER BY h.at, v.number`);
  return rows.map(({ at, number }) => ({ at: at.getTime(), versionNumber: number }));
}

/**
 * What counts as a quiz's definition (the live version, else the latest, else the draft), with everything that any of
 * its versions had and this one lacks as removed, later versions that are not live included: sessions keep the version
 * that they opened. Deleted quizzes have theirs too; null: the store has no such quiz.
 */
export async function fullDefinition(db: Runner, storeId: string, quizId: string): Promise<Definition | null> {
  const row = await db
    .forStore(storeId)
    .first(sql<Defining>`SELECT q.id, q.versions_numbered, coalesce(q.published_version_id, l.id) AS definition_id,
         CASE WHEN l.id IS NULL THEN q.draft END AS draft
       FROM quizzes q
       LEFT JOIN quiz_versions l ON l.store_id = q.store_id AND l.quiz_id = q.id AND l.number = q.versions_numbered
       WHERE q.store_id = ${ownStore} AND q.id = ${quizId}`);
  return row ? readDefinition(db, storeId, row) : null;
}

/**
 * Takes a document in as a quiz's draft, as the editor would: it need not be valid yet [quizzes.import]. With
 * `publish` it must be, and is saved as a version and published, with its event. Throws OperatorErrors.
 */
export async function importQuiz(
  tx: Transaction,
  deps: QuizDeps,
  storeId: string,
  given: QuizImport,
): Promise<ImportedQuiz> {
  const replaced = given.quizId === undefined ? null : await quizToReplace(tx, storeId, given.quizId);
  const id = replaced ?? uuidAt(deps.calendar.now(), deps.random);
  return changeQuiz(tx, deps, storeId, id, async () => {
    const numbered = replaced === null ? 0 : (await lockQuiz(tx, storeId, replaced)).versions_numbered;
    const taken = readImport(given, await everHad(tx, storeId, id, numbered));
    return writeImport(tx, deps, storeId, id, replaced !== null, taken);
  });
}
