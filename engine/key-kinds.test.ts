import { describe, expect, it } from "vitest";
import { sampleQuiz } from "../testkit/sample-quiz.ts";
import type { QuizDocument } from "./document.ts";
import { type KeyKind, keyKinds, reusedKeys } from "./key-kinds.ts";
import { lint } from "./lint.ts";

const earlier = keyKinds(sampleQuiz(), []);
/** The sample quiz as somebody changes it. */
const changed = (change: (document: QuizDocument) => void): QuizDocument => {
  const document = sampleQuiz();
  change(document);
  return document;
};
const paths = (document: QuizDocument, before: readonly KeyKind[] = earlier) =>
  reusedKeys(document, before).map(({ path }) => path);

describe("keys that come to stand for something else [quiz-documents.key-kinds]", () => {
  it("are none in a version like the one before, nor in one that lacks or adds some", () => {
    expect(paths(sampleQuiz())).toEqual([]);
    expect(paths(changed(({ pages }) => pages.pop()))).toEqual([]);
    expect(paths(sampleQuiz(), [])).toEqual([]);
    expect(paths(changed(({ dimensions }) => dimensions.push({ dimension_id: "new", name: "New" })))).toEqual([]);
  });

  it("are components of another kind, wherever they are now; an image is chosen as a choice is", () => {
    const asText = { kind: "text", question: "Feel?", required: false, max_length: 10 } as const;
    const text = changed(({ pages }) => {
      pages[2]!.components.push({ ...asText, component_key: "feel" });
      pages[0]!.components = [];
    });
    expect(reusedKeys(text, earlier)).toEqual([
      {
        path: `pages.2.components.${text.pages[2]!.components.length - 1}.component_key`,
        message: "is the key of a component of kind choice in an earlier version, here of a component of kind text",
      },
    ]);
    const image = changed(({ pages }) => {
      const [feel] = pages[0]!.components;
      if (feel?.kind === "choice") feel.kind = "image";
    });
    expect(paths(image)).toEqual([]);
    const formula = { kind: "formula", component_key: "age", label: "Age", expression: "1" } as const;
    expect(paths(changed(({ pages }) => (pages[2]!.components = [formula])))).toEqual([
      "pages.2.components.0.component_key",
    ]);
  });

  it("are pages of another kind", () => {
    expect(paths(changed(({ pages }) => (pages[1]!.kind = "content")))).toEqual(["pages.1.page_key"]);
  });

  it("are things of another sort, in place of the one that had the key, not beside it", () => {
    const moved = changed((document) => {
      document.dimensions = [{ dimension_id: "oil", name: "Oil" }];
      document.pages = document.pages.filter(({ page_key }) => page_key !== "oil");
    });
    expect(reusedKeys(moved, earlier)).toEqual([
      {
        path: "dimensions.0.dimension_id",
        message: "is the key of a page of kind question in an earlier version, here of a dimension",
      },
    ]);
    expect(paths(changed(({ dimensions }) => dimensions.push({ dimension_id: "oil", name: "Oil" })))).toEqual([]);
    const clear = { kind: "content", component_key: "clear", html_text: "" } as const;
    const page = (document: QuizDocument) => {
      document.pages[2]!.components = [clear];
    };
    expect(paths(changed(page))).toEqual([]);
    expect(paths(changed((document) => [page(document), document.dimensions.splice(0)]))).toEqual([
      "pages.2.components.0.component_key",
    ]);
  });

  it("may go back to what any version had, where versions from before this rule had several", () => {
    const both: KeyKind[] = [...earlier, ["component", "feel", "number"]];
    expect(paths(sampleQuiz(), both)).toEqual([]);
    expect(keyKinds(sampleQuiz(), both)).toHaveLength(both.length);
  });

  it("are errors of the lint [quiz-documents.lint]", () => {
    const document = changed(({ pages }) => (pages[1]!.kind = "content"));
    expect(lint(document).filter(({ code }) => code === "reused_key")).toEqual([]);
    expect(lint(document, earlier).filter(({ severity }) => severity === "error")).toMatchObject([
      { code: "reused_key", path: "pages.1.page_key" },
    ]);
  });
});
