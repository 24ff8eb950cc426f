import type { QuizDocument } from "../engine/document.ts";
import {
  choice,
  chosen,
  content,
  formula,
  jumpWhere,
  number,
  option,
  page,
  pick,
  products,
  quizDocument,
} from "./document-parts.ts";

/**
 * A quiz as large as people make them: a hundred pages, a thousand options with points, jumps, a formula, products. The
 * most expensive valid documents are in hard/attack-quizzes.ts, and those at the limits in extremes.ts.
 */

export const largePages = 100;
export const largeOptions = 1_000;
const results = ["calm", "wild", "bright", "plain"];
/** the index of the page with one of every field that is typed into */
export const middle = 49;

export function largeQuiz(): QuizDocument {
  const perPage = largeOptions / largePages;
  const pages = Array.from({ length: largePages }, (_, n) => {
    const options = Array.from({ length: perPage }, (__, m) =>
      option(`o${m}`, {
        label: `Option ${m} of ${n}`,
        points: { [results[(n + m) % results.length] ?? ""]: 1 + (m % 3) },
      }),
    );
    const asked = choice(`c${n}`, options, { question: `Question ${n}` });
    const more =
      n === middle
        ? [number("age"), formula("years", "Years", "100 - age + calm"), content("hi", "<p>Hello</p>")]
        : n === largePages - 1
          ? [
              products(
                "best",
                results.map((dimension_id, at) => pick(`gid://shopify/Product/${at + 1}`, { dimension_id })),
                { source: "winner" },
              ),
            ]
          : [];
    return page(`p${n}`, [asked, ...more], {
      title: `Page ${n}`,
      ...(n % 10 === 5 ? { visible_when: chosen(`c${n - 1}`, "o1", "o2") } : {}),
    });
  });
  return quizDocument(pages, {
    dimensions: results.map((dimension_id) => ({ dimension_id, name: dimension_id })),
    jump_rules: Array.from({ length: largePages / 2 - 1 }, (_, n) =>
      jumpWhere(`j${n}`, [`p${2 * n}`, `p${2 * n + 2}`], `c${2 * n}`, "o3"),
    ),
    property_mappings: Array.from({ length: largePages }, (_, n) => ({
      component_key: `c${n}`,
      property_name: `answer ${n}`,
    })),
  });
}
