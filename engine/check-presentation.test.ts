import { describe, expect, it } from "vitest";
import { problemsOf, sampleWith } from "../testkit/checked.ts";
import { choice, date, email, number, option, page, phone, quizDocument, text } from "../testkit/document-parts.ts";
import { sampleQuiz } from "../testkit/sample-quiz.ts";
import { checkDocument } from "./check.ts";
import type { ChoiceComponent } from "./document.ts";

const feel = "pages.0.components.0";

describe("how a quiz looks", () => {
  it("takes how a quiz looks and speaks, all of it or none, as it was given [quiz-documents.presentation]", () => {
    const presentation = {
      locale: "pt-BR",
      dir: "rtl",
      theme: {
        ...{ scheme: "dark", accent: "#F60", background: "#112233", surface: "#11223380", text: null },
        ...{ radius: 32, font: "Inter, 'Noto Sans', sans-serif", width: 320 },
      },
      progress: "steps",
      advance: "auto",
      cover_image_url: "https://cdn.example.com/cover.jpg",
      description: "Ten questions",
      texts: { next: "Weiter", add_to_cart: "In den Warenkorb" },
    };
    const document = { ...sampleQuiz(), presentation };
    expect(checkDocument(document)).toEqual({ ok: true, document });
    for (const less of [null, {}, { theme: null }, { theme: {} }, { texts: {} }, { description: null }]) {
      const plain = { ...sampleQuiz(), presentation: less };
      expect(checkDocument(plain)).toEqual({ ok: true, document: plain });
    }
    const page = sampleQuiz();
    Object.assign(page.pages[3]!, { subtitle: "Made for you", image_url: null, headline: "Your routine" });
    Object.assign((page.pages[0]!.components[0] as ChoiceComponent).options[0]!, { image_alt: "A dry cheek" });
    expect(checkDocument(page)).toEqual({ ok: true, document: page });
  });

  it("takes what helps to answer questions and to go on, all of it or none, as it was given [quiz-documents.question-texts]", () => {
    for (const more of [
      {},
      { help: null, placeholder: null },
      { help: "As on your bank card", format: "name", placeholder: "Ada Lovelace" },
      { format: "text", help: "", placeholder: "" },
    ] as const) {
      const document = quizDocument([page("p", [text("x", more)], "next_label" in more ? {} : { next_label: "Go" })]);
      expect(checkDocument(document)).toEqual({ ok: true, document });
    }
    const blank = { pages: [page("p", [], { next_label: "  " })] };
    expect(checkDocument(blank)).toMatchObject({ ok: true, document: { pages: [{ next_label: null }] } });
    const helped = [choice("a", [option("x")]), number("b"), date("c"), email("d"), phone("e")].map((component) => ({
      ...component,
      help: "Any answer will do",
    }));
    const document = quizDocument([page("p", helped, { next_label: null })]);
    expect(checkDocument(document)).toEqual({ ok: true, document });
  });

  it.each<[string, unknown, string]>([
    ["pages.0.next_label", "x".repeat(1001), "must be 0 to 1000 characters long"],
    [`${feel}.help`, "x".repeat(1001), "must be 0 to 1000 characters long"],
    [`${feel}.help`, 5, "must be a string"],
    [`${feel}.placeholder`, "x", "is not a known field"],
    [`${feel}.format`, "name", "is not a known field"],
  ])("refuses %s where it is no such text [quiz-documents.question-texts]", (path, value, problem) => {
    expect(problemsOf(sampleWith(path, value))).toEqual([`${path}: ${problem}`]);
  });

  it("refuses forms of a text that it does not know [quiz-documents.question-texts]", () => {
    const wrong = { ...text("x"), format: "email", placeholder: 5 };
    expect(problemsOf({ pages: [{ ...page("p", []), components: [wrong] }] })).toEqual([
      "pages.0.components.0.format: must be one of text, name",
      "pages.0.components.0.placeholder: must be a string",
    ]);
  });

  it("takes what an editor leaves empty as left out [quiz-documents.presentation]", () => {
    const theme = { scheme: null, accent: "", font: "" };
    const presentation = { locale: "", dir: null, theme, texts: { next: " ", back: null, skip: "Skip" } };
    const checked = checkDocument({ pages: [], presentation });
    expect(checked.ok && checked.document.presentation).toEqual({
      locale: null,
      theme: { accent: null, font: null },
      texts: { skip: "Skip" },
    });
  });

  it("takes the locales that a browser's own functions take, and no others [quiz-documents.presentation]", () => {
    const refusal = "presentation.locale: must be a language tag, such as en or pt-BR";
    for (const locale of ["en", "pt-BR", "zh-Hant-TW", "de-CH-1996", "sr-Latn", "ar-u-nu-latn", "x"]) {
      const problems = problemsOf({ pages: [], presentation: { locale } });
      expect([locale, problems]).toEqual([locale, locale === "x" ? [refusal] : []]);
      if (problems.length === 0) expect(() => new Intl.NumberFormat(locale)).not.toThrow();
    }
    for (const locale of ["english please", "en_GB", "de-", "-de", "en-a-bb-a-cc", "de-1996-1996", "e", "<b>"]) {
      expect([locale, problemsOf({ pages: [], presentation: { locale } })]).toEqual([locale, [refusal]]);
    }
  });

  it("takes a headline of a result page alone [quiz-documents.headline]", () => {
    expect(problemsOf(sampleWith("pages.3.headline", "Your routine"))).toEqual([]);
    expect(problemsOf(sampleWith("pages.0.headline", "Hello"))).toEqual([
      "pages.0.headline: belongs to a result page alone",
    ]);
    for (const empty of [null, ""]) expect(problemsOf(sampleWith("pages.0.headline", empty))).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ["presentation", [], "presentation: must be an object"],
    ["presentation", { colour: "#fff" }, "presentation.colour: is not a known field"],
    ["presentation", { dir: "up" }, "presentation.dir: must be one of auto, ltr, rtl"],
    ["presentation", { progress: true }, "presentation.progress: must be one of bar, steps, none"],
    ["presentation", { advance: "slow" }, "presentation.advance: must be one of auto, button"],
    ["presentation", { theme: "dark" }, "presentation.theme: must be an object"],
    ["presentation", { theme: { scheme: "blue" } }, "presentation.theme.scheme: must be one of light, dark, auto"],
    ...["red", "#ff", "#ffff", "#fffff", "#ggg", "rgb(0,0,0)", "#fff;", "#fff\n"].map(
      (text): [string, unknown, string] => [
        "presentation",
        { theme: { text } },
        "presentation.theme.text: must be a colour: #rgb, #rrggbb or #rrggbbaa",
      ],
    ),
    ["presentation", { theme: { radius: 33 } }, "presentation.theme.radius: must be from 0 to 32"],
    ["presentation", { theme: { radius: -1 } }, "presentation.theme.radius: must be from 0 to 32"],
    ["presentation", { theme: { width: 319 } }, "presentation.theme.width: must be from 320 to 1200"],
    ["presentation", { theme: { width: "600px" } }, "presentation.theme.width: must be a number"],
    ...["a;b", "x}*{color:red", "url(x)", "a/*", "var(--a);", "@import", "a\\62", "a\nb"].map(
      (font): [string, unknown, string] => [
        "presentation",
        { theme: { font } },
        "presentation.theme.font: must be inherit, names of fonts, or var(--name)",
      ],
    ),
    ["presentation", { texts: { nxt: "Next" } }, "presentation.texts.nxt: is not a known field"],
    ["presentation", { texts: { next: 1 } }, "presentation.texts.next: must be a string"],
    [
      "presentation",
      { texts: { next: "x".repeat(1001) } },
      "presentation.texts.next: must be 0 to 1000 characters long",
    ],
    ["presentation", { description: "x".repeat(1001) }, "presentation.description: must be 0 to 1000 characters long"],
    ["presentation", { cover_image_url: "http://a/b" }, "presentation.cover_image_url: must be an https address"],
    ["pages.0.image_url", "javascript:alert(1)", "pages.0.image_url: must be an https address"],
    ["pages.0.subtitle", "x".repeat(1001), "pages.0.subtitle: must be 0 to 1000 characters long"],
    ["pages.0.subtitle", 7, "pages.0.subtitle: must be a string"],
    [`${feel}.options.0.image_alt`, {}, `${feel}.options.0.image_alt: must be a string`],
  ])("refuses %s = %j [quiz-documents.presentation, quiz-documents.bounds]", (path, value, problem) => {
    expect(problemsOf(sampleWith(path, value))).toContain(problem);
  });
});
