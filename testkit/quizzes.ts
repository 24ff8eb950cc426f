import type { QuizDocument } from "../engine/document.ts";
import { parseId } from "../server/platform/ids.ts";
import { importQuiz } from "../server/quizzes/public.ts";
import type { TestApp, TestStore } from "./app.ts";
import { page, quizDocument } from "./document-parts.ts";
import { sampleQuiz } from "./sample-quiz.ts";

export interface TestQuiz {
  /** public id */
  id: string;
  /** UUID */
  uuid: string;
  /** public id of the live version; "" for a draft */
  versionId: string;
}

export interface GivenQuiz {
  name?: string;
  /** by default the sample quiz */
  document?: unknown;
  publish?: boolean;
  /** public id of the quiz whose draft is replaced */
  quizId?: string;
}

/** Creates a quiz in an operator's way: a draft, or a published one. */
export async function makeQuiz(
  t: Pick<TestApp, "database"> & { foundations: Parameters<typeof importQuiz>[1] },
  store: Pick<TestStore, "uuid">,
  given: GivenQuiz = {},
): Promise<TestQuiz> {
  const { name = "Find your routine", document = sampleQuiz(), publish = false, quizId } = given;
  const made = await t.database.transaction((tx) =>
    importQuiz(tx, t.foundations, store.uuid, { document, publish, name, quizId }),
  );
  return { id: made.quiz_id, uuid: parseId("quiz", made.quiz_id) ?? "", versionId: made.version_id ?? "" };
}

/** A document whose pages only differ in their keys, to distinguish documents. */
export const pagesNamed = (...keys: readonly string[]): QuizDocument =>
  quizDocument(keys.map((page_key) => page(page_key, [], { kind: "content" })));
