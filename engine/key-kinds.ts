import type { Component, QuizDocument } from "./document.ts";
import { kindOfAnswers } from "./kinds/value.ts";

/**
 * What a quiz's keys identify. Sessions, figures and searches identify a page, a question, an option or a dimension by
 * its key alone, over all versions of a quiz: a key reused for something else would mix unrelated answers.
 */

/**
 * A key, the sort of thing it identifies, and that thing's kind. Options belong to their question, and change with it.
 */
export type KeyKind = readonly [sort: KeySort, key: string, kind: string];
type KeySort = "page" | "component" | "dimension";

interface Placed {
  known: KeyKind;
  path: string;
}

const kindOf = ({ kind }: Component): string => kindOfAnswers(kind);

function placedKeys({ pages, dimensions }: QuizDocument): Placed[] {
  const placed: Placed[] = [];
  for (const [index, page] of pages.entries()) {
    placed.push({ known: ["page", page.page_key, page.kind], path: `pages.${index}.page_key` });
    for (const [place, component] of page.components.entries()) {
      if (component.kind === "products") continue;
      const path = `pages.${index}.components.${place}.component_key`;
      placed.push({ known: ["component", component.component_key, kindOf(component)], path });
    }
  }
  for (const [index, { dimension_id: id }] of dimensions.entries()) {
    placed.push({ known: ["dimension", id, "dimension"], path: `dimensions.${index}.dimension_id` });
  }
  return placed;
}

/** The keys of a document and of all earlier versions, without duplicates. */
export function keyKinds(document: QuizDocument, earlier: readonly KeyKind[]): KeyKind[] {
  const all = [...earlier, ...placedKeys(document).map(({ known }) => known)];
  return [...new Map(all.map((known) => [JSON.stringify(known), known])).values()];
}

export interface ReusedKey {
  path: string;
  message: string;
}

/**
 * Keys that a document uses for another kind of thing than earlier versions of its quiz: a page or component of another
 * kind, or a thing of another sort [quiz-documents.key-kinds]. Sorts have separate keys: a page and a question with the
 * same key do not conflict.
 */
export function reusedKeys(document: QuizDocument, earlier: readonly KeyKind[]): ReusedKey[] {
  const before = Map.groupBy(earlier, ([, key]) => key);
  const placed = placedKeys(document);
  const here = new Set(placed.map(({ known: [sort, key] }) => `${sort} ${key}`));
  return placed.flatMap(({ known: [sort, key, kind], path }) => {
    const kinds = before.get(key) ?? [];
    const alike = kinds.filter(([other]) => other === sort);
    const gone = kinds.find(([other]) => !here.has(`${other} ${key}`));
    const wrong = alike.length > 0 ? !alike.some((each) => each[2] === kind) && alike[0] : gone;
    return wrong
      ? [{ path, message: `is the key of ${named(wrong)} in an earlier version, here of ${named([sort, key, kind])}` }]
      : [];
  });
}

const named = ([sort, , kind]: KeyKind): string =>
  sort === "dimension" ? "a dimension" : sort === "page" ? `a page of kind ${kind}` : `a component of kind ${kind}`;
