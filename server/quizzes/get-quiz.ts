import { getQuiz } from "../../contract/quizzes.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { heldBytes } from "../platform/held-bytes.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import { notFound } from "../platform/problems.ts";
import { type Defining, definingColumns, latestVersion, readDefinition } from "./definition.ts";
import type { QuizRouteDeps } from "./deps.ts";
import type { Definition } from "./outline.ts";
import { parseQuizId, type QuizRow, quizSummary } from "./rows.ts";

/**
 * GET /v1/quizzes/{quiz_id}: the summary, and all keys of the described version, with those of all others as removed
 * [quizzes.one-quiz, quizzes.removed-keys].
 */
export const getQuizRoute = ({ baseUrl }: QuizRouteDeps) => {
  const definitions = new Definitions();
  return readRoute(getQuiz, async ({ params }, db) => {
    const quiz = await readDefining(db, pathId(parseQuizId, params["quiz_id"]));
    if (!quiz) throw notFound();
    const { definition_id: version } = quiz;
    const definition = await definitions.get(db, quiz);
    const definitionVersion = version === null ? null : formatId("ver", version);
    return { ...quizSummary(quiz, baseUrl), definition_version: definitionVersion, ...definition };
  });
};

/** `draft` is null if a version was saved, because it is not needed then. */
type DetailRow = QuizRow & Defining;

const readDefining = (db: StoreRunner, quizId: string): Promise<DetailRow | undefined> =>
  db.first(sql<DetailRow>`
    SELECT q.id, q.name, q.archived, q.draft_page_count, q.published_version_id, q.created_at, q.updated_at,
      ${definingColumns}
    FROM quizzes q ${latestVersion}
    WHERE q.store_id = ${ownStore} AND q.id = ${quizId} AND q.deleted_at IS NULL`);

/** Approximate memory of the cache, in bytes. */
const cacheBytes = 64 * 1024 * 1024;
const cachedAtMost = 500;

/** Caches the definitions of saved versions. Versions never change, so large documents are read and walked once. */
class Definitions {
  readonly #cache = new LeastRecentlyUsed<Definition>(cacheBytes, (definition) =>
    Math.max(heldBytes(definition), Math.floor(cacheBytes / cachedAtMost)),
  );

  async get(db: StoreRunner, quiz: Defining): Promise<Definition> {
    if (quiz.definition_id === null) return readDefinition(db, quiz);
    // the number of versions is part of the key, because a later version adds its keys, live or not
    const key = `${db.storeId}:${quiz.definition_id}:${quiz.versions_numbered}`;
    const known = this.#cache.get(key);
    if (known) return known;
    const definition = await readDefinition(db, quiz);
    this.#cache.set(key, definition);
    return definition;
  }
}
