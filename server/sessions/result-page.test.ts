import { expect, it } from "vitest";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import { page, quizDocument } from "../../testkit/document-parts.ts";
import type { CompiledVersion } from "../quizzes/public.ts";
import { sessionResultPage } from "./result-page.ts";

const document = quizDocument(
  [
    page("dry", [], { kind: "result", title: "For you", outcome: { dimension_id: "d" } }),
    page("other", [], { kind: "result", title: "Something else" }),
    page("bare", [], { kind: "result", title: "" }),
    page("end", []),
  ],
  { dimensions: [{ dimension_id: "d", name: "Dry skin" }] },
);
const version = { document, quiz: compileQuiz(document) } as CompiledVersion;
const outcomeOf = (key: string | null, of: CompiledVersion | null = version) => {
  const title = key === null ? null : (of?.quiz.pages.get(key)?.page.title ?? null);
  const around = { products: new Map(), currency: "EUR", version: of, title };
  return sessionResultPage({ terminal_page_key: key, shown: [] }, around)?.outcome ?? null;
};

it("the outcome of a finish is its page's, named after the dimension, else the page [people.outcome]", () => {
  expect(outcomeOf("dry")).toEqual({ page_key: "dry", dimension_id: "d", name: "Dry skin" });
  expect(outcomeOf("other")).toEqual({ page_key: "other", dimension_id: null, name: "Something else" });
  expect(outcomeOf("bare")).toEqual({ page_key: "bare", dimension_id: null, name: "bare" });
  expect(outcomeOf("end")).toBeNull();
  expect(outcomeOf(null)).toBeNull();
  expect(outcomeOf("gone", null)).toEqual({ page_key: "gone", dimension_id: null, name: "gone" });
});
