import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choice, content, date, formula, number, option, page, quizDocument, text } from "../testkit/document-parts.ts";
import { outcomeDocument } from "../testkit/outcome-documents.ts";
import { compileQuiz } from "./compile-quiz.ts";
import type { AnswerValue } from "./document.ts";
import { mapTexts, outsideTags, plainTexts, recalled, recallsOf, withFallbacks, writeRecall } from "./recall.ts";
import { fillHtml, fillText, recallOf } from "./recall-values.ts";

/** Reads a placeholder at the beginning of a text, letter by letter; null: there is none. */
function naivePlaceholder(text: string): { whole: string; fallback: string } | null {
  if (!text.startsWith("{{")) return null;
  const end = text.indexOf("}}");
  const bar = text.indexOf("|");
  if (bar < 0 || end < bar) return null;
  const about = text.slice(2, bar);
  const fallback = text.slice(bar + 1, end);
  const colon = about.indexOf(":");
  const [word, key] = colon < 0 ? [about, null] : [about.slice(0, colon), about.slice(colon + 1)];
  const isKey = key !== null && key !== "" && !/[{}]/.test(key);
  const isOne =
    (["answer", "formula", "points"].includes(word) && isKey) ||
    (word === "points" && key === null) ||
    (word === "winner" && (key === null || ["1", "2", "3", "4", "5"].includes(key)));
  return isOne && !fallback.includes("|") ? { whole: text.slice(0, end + 2), fallback } : null;
}

function naiveFallbacks(text: string): string {
  let after = "";
  for (let at = 0; at < text.length; ) {
    const found = naivePlaceholder(text.slice(at));
    after += found ? found.fallback : text[at];
    at += found ? found.whole.length : 1;
  }
  return after;
}

const pieces = [
  "{{",
  "}}",
  "{",
  "}",
  "|",
  ":",
  "answer",
  "winner",
  "points",
  "formula",
  "skin",
  "2",
  "9",
  " ",
  "ä",
  "\n",
];
const whole = [
  "{{answer:skin|you}}",
  "{{winner:2|}}",
  "{{points|0}}",
  "{{formula:f|}x}}",
  "{{answer:|}}",
  "{{winner:6|a}}",
];
const anyText = fc.array(fc.constantFrom(...pieces, ...whole), { maxLength: 30 }).map((parts) => parts.join(""));

describe("placeholders of texts", () => {
  it("are exactly those of the grammar, everything else is text as typed [engine.recall]", () => {
    const same = fc.property(anyText, (typed) => {
      expect(withFallbacks(typed)).toBe(naiveFallbacks(typed));
    });
    fc.assert(same, { numRuns: 2_000 });
  });

  it("are written as they are read [engine.recall]", () => {
    fc.assert(
      fc.property(anyText, (typed) => {
        expect(recalled(typed, writeRecall).replaceAll("{{winner:1|", "{{winner|")).toBe(
          typed.replaceAll("{{winner:1|", "{{winner|"),
        );
      }),
    );
    expect(recallsOf("a {{answer:skin|x}} {{points:dry|}} {{points|}} {{winner:3|}} {{formula:f|}}")).toEqual([
      { kind: "answer", component_key: "skin" },
      { kind: "points", dimension_id: "dry" },
      { kind: "points", dimension_id: null },
      { kind: "winner", rank: 3 },
      { kind: "formula", component_key: "f" },
    ]);
  });

  it("are read in one pass, however a text is made [engine.recall]", () => {
    const counted = (length: number): number => {
      let calls = 0;
      const hostile = "{{answer:{{points|{{winner|".repeat(length);
      const before = process.cpuUsage();
      recalled(hostile, () => {
        calls += 1;
        return "";
      });
      expect(calls).toBe(0);
      return process.cpuUsage(before).user;
    };
    counted(1_000);
    // a quadratic reader would take minutes
    expect(counted(200_000)).toBeLessThan(2_000_000);
  });
});

const document = quizDocument(
  [
    page(
      "skin",
      [
        choice(
          "skin",
          [
            option("dry", { label: "Dry <b>", points: { dry: 2 } }),
            option("red", { label: "Red & {{answer:name|sore}}", points: { dry: 0.5, calm: 1 } }),
          ],
          { multiple: true, question: "Your skin, {{answer:name|dear}}?" },
        ),
        number("age"),
        text("name"),
        date("when", { with_time: true }),
      ],
      { title: "Hello {{answer:name|}}" },
    ),
    page("hidden", [text("secret")], { visible_when: { component_key: "age", op: "lt", value: 18 } }),
    page(
      "end",
      [formula("half", "Half", "age / 2"), content("said", "<p title='{{winner|a}}'>{{winner|no one &amp; all}}</p>")],
      {
        kind: "result",
      },
    ),
  ],
  {
    dimensions: [
      { dimension_id: "dry", name: "Dryness" },
      { dimension_id: "calm", name: "Calm" },
    ],
  },
);
const quiz = compileQuiz(document);
const answers = new Map<string, AnswerValue>([
  ["skin", { option_ids: ["red", "dry"] }],
  ["age", { value: 1234.5 }],
  ["name", { value: " Ada <i> " }],
  ["when", { value: { date: "2026-03-09", time: "14:05" } }],
  ["secret", { value: "hidden" }],
]);
const filled = (typed: string, locale = "en", given = answers) => fillText(typed, recallOf(quiz, given, locale));

describe("what texts recall", () => {
  it.each([
    ["{{answer:skin|your skin}}", "Dry <b> and Red & sore"],
    ["{{answer:age|}}", "1,234.5"],
    ["{{answer:name|you}}", "Ada <i>"],
    ["{{answer:when|}}", "March 9, 2026 at 2:05 PM"],
    ["{{answer:secret|nothing}}", "nothing"],
    ["{{answer:unknown|nothing}}", "nothing"],
    ["{{winner|none}} {{winner:2|none}} {{winner:3|none}}", "Dryness Calm none"],
    ["{{points|x}} {{points:dry|x}} {{points:unknown|x}}", "3.5 2.5 x"],
    ["{{formula:half|x}} {{formula:age|x}}", "617.25 x"],
    ["{{winner|", "{{winner|"],
  ])("is %s in the locale's form, else the fallback [engine.recall]", (typed, shown) => {
    expect(filled(typed).replaceAll("\u202f", " ")).toBe(shown);
  });

  it("lists, counts and dates as the locale does [engine.recall]", () => {
    expect(filled("{{answer:skin|}} {{answer:age|}} {{answer:when|}}", "de")).toBe(
      "Dry <b> und Red & sore 1.234,5 9. März 2026 um 14:05",
    );
    expect(filled("{{answer:age|}}", "ar-EG")).toBe("١٬٢٣٤٫٥");
  });

  it("is the fallback where nothing was answered or nothing won [engine.recall]", () => {
    const nothing = "{{answer:skin|a}} {{winner|b}} {{formula:half|c}} {{points|d}}";
    expect(filled(nothing, "en", new Map())).toBe("a b c 0");
  });

  it("is escaped in HTML, and never put into a tag [engine.recall-html]", () => {
    const of = recallOf(quiz, answers, "en");
    const html = `<p title="{{answer:name|t}}" class='a>{{points|}}'>{{answer:name|f}} {{answer:none|a &amp; b}}</p>`;
    expect(fillHtml(html, of)).toBe(`<p title="{{answer:name|t}}" class='a>{{points|}}'>Ada &lt;i&gt; a &amp; b</p>`);
    expect(outsideTags("a{{ <p {{points|x}} <b>", withFallbacks)).toBe("a{{ <p {{points|x}} <b>");
  });
});

it("gives a document's texts with their fallbacks, the same object without placeholders [engine.recall-fallbacks]", () => {
  const [first, , last] = plainTexts(document).pages;
  expect([first?.title, last?.components[1]]).toEqual([
    "Hello ",
    content("said", "<p title='{{winner|a}}'>no one &amp; all</p>"),
  ]);
  expect(first?.components[0]).toMatchObject({
    question: "Your skin, dear?",
    options: [{ label: "Dry <b>" }, { label: "Red & sore" }],
  });
  const same = fc.property(outcomeDocument(), (one) => {
    expect(mapTexts(one, (typed) => typed)).toBe(one);
  });
  fc.assert(same);
});
