import { describe, expect, it } from "vitest";
import { choice, content, option, page, quizDocument } from "../testkit/document-parts.ts";
import { sampleQuiz } from "../testkit/sample-quiz.ts";
import type { Page, Theme } from "./document.ts";
import { lint } from "./lint.ts";

const found = (findings: ReturnType<typeof lint>): string[] => findings.map(({ code, path }) => `${code} ${path}`);
const ofTheme = (theme: Theme) => lint({ ...sampleQuiz(), presentation: { theme } });
const ofPages = (...pages: Page[]) => found(lint(quizDocument(pages))).filter((one) => one.startsWith("image_"));

describe("the lint of colours [quiz-documents.contrast]", () => {
  it("warns of a text that does not read on the background or the surface, and says what is drawn instead", () => {
    expect(ofTheme({ text: "#777777", background: "#ffffff" })).toEqual([
      {
        severity: "warning",
        code: "low_contrast",
        path: "presentation.theme.text",
        message: "text #777777 on background #ffffff is 4.47:1, below 4.5:1; the player draws #767676 instead",
      },
    ]);
    expect(ofTheme({ text: "#767676", background: "#ffffff" })).toEqual([]);
    expect(found(ofTheme({ text: "#fff", background: "#000", surface: "#eee" }))).toEqual([
      "low_contrast presentation.theme.text",
    ]);
    expect(found(ofTheme({ surface: "#222222" }))).toEqual(["low_contrast presentation.theme.surface"]);
  });

  it("warns of an accent whose links do not read on the background", () => {
    expect(found(ofTheme({ accent: "#ffcc00" }))).toEqual(["low_contrast presentation.theme.accent"]);
    expect(ofTheme({ accent: "#ffcc00", background: "#102030" })).toEqual([]);
  });

  it("warns of a theme of both schemes for what reads in neither, and only once", () => {
    expect(ofTheme({ scheme: "auto", text: "#333333", accent: "#1d4ed8" })).toEqual([]);
    expect(found(ofTheme({ scheme: "auto", text: "#777777", background: "#ffffff" }))).toEqual([
      "low_contrast presentation.theme.text",
    ]);
    expect(ofTheme({ scheme: "auto" })).toEqual([]);
  });

  it("says nothing of colours that are the player's own", () => {
    for (const theme of [{}, { background: "#123456" }, { background: "#fefefe" }, { scheme: "dark" } as const]) {
      expect([theme, ofTheme(theme)]).toEqual([theme, []]);
    }
  });
});

describe("the lint of pictures [quiz-documents.lint-images]", () => {
  const image_url = "https://img.example/a.png";

  it("names options whose picture nobody describes", () => {
    const options = [
      option("seen", { label: "", image_url }),
      option("labelled", { image_url }),
      option("described", { label: " ", image_url, image_alt: "A leaf" }),
      option("bare", { label: "" }),
    ];
    expect(ofPages(page("p", [choice("c", options)]))).toEqual([
      "image_without_text pages.0.components.0.options.0.image_alt",
    ]);
  });

  it("names a page whose picture stands without any word", () => {
    expect(ofPages(page("p", [], { image_url, title: " " }), page("q", [], { image_url }))).toEqual([
      "image_without_text pages.0.image_url",
    ]);
    expect(ofPages(page("p", [], { image_url, title: "", subtitle: "Welcome" }))).toEqual([]);
  });

  it("names an img in HTML without alt; an empty one says that it only decorates", () => {
    const bare = content("a", '<p>x</p><img src="https://img.example/a.png" width="3">');
    const said = content(
      "b",
      '<img alt="" src="https://img.example/a.png"><img src="https://img.example/b.png" alt="B">',
    );
    expect(ofPages(page("p", [bare, said]))).toEqual(["image_without_text pages.0.components.0.html_text"]);
  });
});
