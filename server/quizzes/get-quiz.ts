import { getQuiz } from "../../contract/quizzes.ts";
import { build, type Runner, type Statement, written } from "../platform/database/statements.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { type Definition, definitionOf, type PageOutline } from "./outline.ts";
import { parseQuizId, type QuizRow, quizSummary } from "./rows.ts";
import type { QuizRouteTools } from "./tools.ts";

/** GET /v1/quizzes/{quiz_id}: the summary, and every key of the version that counts (C). */
export const getQuizRoute = ({ baseUrl }: QuizRouteTools) => {
  const definitions = new Definitions();
  return readRoute(getQuiz, async ({ caller, params }, db) => {
    const storeId = caller.store.id;
    const quiz = await db.first(selectQuiz(storeId, pathId(parseQuizId, params["quiz_id"])));
    if (!quiz) throw notFound();
    const { definition_id: version, draft } = quiz;
    const definition = version === null ? definitionOf(draft, []) : await definitions.get(db, storeId, version);
    const definitionVersion = version === null ? null : formatId("ver", version);
    return { ...quizSummary(quiz, baseUrl), definition_version: definitionVersion, ...definition };
  });
};

interface DetailRow extends QuizRow {
  definition_id: string | null;
  /** null where a version was saved: then it is not needed */
  draft: unknown;
}

const selectQuiz = (storeId: string, quizId: string): Statement<DetailRow> => written(quizText, [storeId, quizId]);
const quizText = `
  SELECT q.id, q.name, q.archived, q.draft_page_count, q.published_version_id, q.created_at, q.updated_at,
    coalesce(q.published_version_id, v.id) AS definition_id,
    CASE WHEN q.published_version_id IS NULL AND v.id IS NULL THEN q.draft END AS draft
  FROM quizzes q
  LEFT JOIN quiz_versions v ON v.store_id = q.store_id AND v.quiz_id = q.id AND v.number = q.versions_numbered
  WHERE q.store_id = $1 AND q.id = $2 AND q.deleted_at IS NULL`;

const keptAtMost = 500;

/** What saved versions define. Versions never change, so that large documents are read and walked once. */
class Definitions {
  readonly #kept = new Map<string, Definition>();

  async get(db: Runner, storeId: string, versionId: string): Promise<Definition> {
    const key = `${storeId}:${versionId}`;
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const definition = known ?? (await readDefinition(db, storeId, versionId));
    // at the end of the map, whose first entry is then the one that was not asked for longest
    this.#kept.set(key, definition);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptAtMost && oldest !== undefined) this.#kept.delete(oldest);
    return definition;
  }
}

async function readDefinition(db: Runner, storeId: string, versionId: string): Promise<Definition> {
  const version = await db.first(
    build
      .selectFrom("quiz_versions")
      .select(["document", "earlier_outline"])
      .where("store_id", "=", storeId)
      .where("id", "=", versionId),
  );
  if (!version) throw new Error("a quiz refers to a version that is not there");
  // jsonb, written from this type alone (save-version.ts)
  return definitionOf(version.document, version.earlier_outline as unknown as PageOutline[]);
}
