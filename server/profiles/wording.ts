import type { ChoiceOption } from "../../engine/document.ts";
import type { PlacedPage, PlacedQuestion, Quiz } from "../../engine/quiz.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { VersionCache } from "../quizzes/public.ts";

/**
 * The texts of questions, options and pages. Wherever people are shown, a key has one text: that of the current version
 * (the live one, or else the latest saved), or, if that version lacks the key, of the newest version that has it
 * [people.wording].
 */
export class Wording {
  /** the current version, followed by older ones, newest first, as far as keys were missing */
  readonly #quizzes: Quiz[] = [];

  add(quiz: Quiz): void {
    this.#quizzes.push(quiz);
  }

  isPresent(componentKey: string): boolean {
    return this.#quizzes[0]?.questions.has(componentKey) ?? false;
  }

  question(componentKey: string): PlacedQuestion | undefined {
    return this.#first((quiz) => quiz.questions.get(componentKey));
  }

  option(componentKey: string, optionId: string): ChoiceOption | undefined {
    return this.#first((quiz) => quiz.questions.get(componentKey)?.options.get(optionId));
  }

  page(pageKey: string): PlacedPage | undefined {
    return this.#first((quiz) => quiz.pages.get(pageKey));
  }

  lacks({ pages, questions, options }: WordingKeys): boolean {
    return (
      [...pages].some((key) => !this.page(key)) ||
      [...questions].some((key) => !this.question(key)) ||
      options.some(([question, option]) => !this.option(question, option))
    );
  }

  #first<Found>(find: (quiz: Quiz) => Found | undefined): Found | undefined {
    for (const quiz of this.#quizzes) {
      const found = find(quiz);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

export interface WordingKeys {
  pages: Set<string>;
  questions: Set<string>;
  /** component_key and option_id */
  options: [string, string][];
}

/** The wordings of quizzes by quiz UUID. Reads older versions only if one of the keys is missing. */
export async function readWordings(
  db: StoreRunner,
  versions: VersionCache,
  keysByQuiz: ReadonlyMap<string, WordingKeys>,
): Promise<Map<string, Wording>> {
  const rows = await db.all(sql<{ id: string; quiz_id: string }>`
  SELECT v.id, v.quiz_id FROM quiz_versions v
  JOIN quizzes q ON q.store_id = v.store_id AND q.id = v.quiz_id
  WHERE v.store_id = ${ownStore} AND v.quiz_id = ANY(${[...keysByQuiz.keys()]}::uuid[])
  ORDER BY v.quiz_id, (v.id = q.published_version_id) IS TRUE DESC, v.number DESC`);
  const wordings = new Map<string, Wording>();
  const byQuiz = Map.groupBy(rows, (row) => row.quiz_id);
  for (const [quizId, keys] of keysByQuiz) {
    const wording = new Wording();
    for (const [index, { id }] of (byQuiz.get(quizId) ?? []).entries()) {
      if (index > 0 && !wording.lacks(keys)) break;
      const version = await versions.get(db, id);
      if (version) wording.add(version.quiz);
    }
    wordings.set(quizId, wording);
  }
  return wordings;
}
