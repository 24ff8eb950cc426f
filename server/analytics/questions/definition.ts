import type { QuizDetail } from "../../../contract/quizzes.ts";
import type { StoreRunner } from "../../platform/database/sql.ts";
import { fullDefinition } from "../../quizzes/public.ts";
import type { Selection } from "../selection.ts";

/** Names of a quiz's pages and questions, from the database, since the copy holds only keys. */

/** Includes removed items, with the names from the newest version that had them. */
export type Definition = Pick<QuizDetail, "pages" | "jump_rules">;
export type DefinedPage = QuizDetail["pages"][number];
export type DefinedQuestion = DefinedPage["components"][number];

export interface QuizSelection extends Selection {
  quizId: string;
}

export async function definitionOf(db: StoreRunner, quizId: string): Promise<Definition> {
  return (await fullDefinition(db, quizId)) ?? { pages: [], jump_rules: [] };
}

export interface NamedPage {
  page_key: string;
  title: string;
  removed: boolean;
}

/** The current pages in their order, then the removed ones among `used` [funnel.page-list]. */
export function pagesOf({ pages }: Definition, used: Iterable<string>): NamedPage[] {
  const usedKeys = new Set(used);
  const named = pages
    .filter(({ removed, page_key }) => !removed || usedKeys.has(page_key))
    .map(({ page_key, title, removed }) => ({ page_key, title, removed }));
  const known = new Set(pages.map((page) => page.page_key));
  const unknown = [...usedKeys].filter((key) => !known.has(key)).sort();
  return [...named, ...unknown.map((page_key) => ({ page_key, title: page_key, removed: true }))];
}
