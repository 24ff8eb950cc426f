import { describe, expect, it } from "vitest";
import { readCitations, rulesOf } from "./rule-citations.ts";
import { readRules } from "./rule-files.ts";
import { commentsOf, titlesOf } from "./source-texts.ts";

describe("the rules of docs/rules/", () => {
  const { rules, faults } = readRules();

  it("are each kept by code and shown by a test that cite them, and cited by no other name", () => {
    expect(faults).toEqual([]);
    expect(rules.length).toBeGreaterThan(100);
  });
});

describe("a page of rules", () => {
  it("names its rules by its own area, and says something of each", () => {
    const page =
      "# Tea\n\nAbout tea.\n\n### tea.hot\nIt is hot.\n\n### coffee.hot\nIt too.\n\n### tea.Cold\n\n### tea.empty\n";
    const { rules, faults } = rulesOf("docs/rules/tea.md", page);
    expect(rules[0]).toEqual({ name: "tea.hot", at: "docs/rules/tea.md:5" });
    expect(faults).toEqual([
      "docs/rules/tea.md:8: coffee.hot is not named tea.words",
      "docs/rules/tea.md:11: tea.Cold is not named tea.words",
      "docs/rules/tea.md:11: tea.Cold says nothing",
      "docs/rules/tea.md:13: tea.empty says nothing",
    ]);
  });
});

describe("citations", () => {
  const rules = [
    { name: "tea.hot", at: "t:1" },
    { name: "tea.sweet", at: "t:2" },
  ];
  const kept: [string, string] = ["a/kept.ts", "// [tea.hot, tea.sweet]\n"];
  const read = (text: string, path = "a/a.test.ts") => readCitations(rules, new Map([kept, [path, text]]));
  const shown = 'it("is both [tea.hot, tea.sweet]", () => {});\n';

  it("are titles for tests, titles and comments for the check", () => {
    const { tests, faults } = read(shown);
    expect(faults).toEqual([]);
    expect(tests.get("tea.sweet")).toEqual(["a/a.test.ts:1: is both [tea.hot, tea.sweet]"]);
    expect(read("// [tea.hot]\n", "a/a.ts").faults).toEqual([
      "t:1: no test shows tea.hot",
      "t:2: no test shows tea.sweet",
    ]);
  });

  it("in code are needed as well, and what tests are made of is none", () => {
    const { code } = readCitations(rules, new Map([["a/a.test.ts", shown], kept]));
    expect(code.get("tea.sweet")).toEqual(["a/kept.ts:1"]);
    const helpers = ["testkit/a.ts", "journeys/a.ts", "hard/a.ts", "bench/a.ts"];
    const { faults } = readCitations(
      rules,
      new Map([["a/a.test.ts", `${shown}${kept[1]}`], ...helpers.map((path): [string, string] => [path, kept[1]])]),
    );
    expect(faults).toEqual(["t:1: no code cites tea.hot", "t:2: no code cites tea.sweet"]);
  });

  it("in hard tests, which npm test leaves out, are not enough", () => {
    const { tests, faults } = read(shown, "a/a.hard.test.ts");
    expect(tests.get("tea.hot")).toEqual(["a/a.hard.test.ts:1: is both [tea.hot, tea.sweet]"]);
    expect(faults).toEqual(["t:1: only hard tests show tea.hot", "t:2: only hard tests show tea.sweet"]);
  });

  it("that lead nowhere are found, in the words of another area's rule too", () => {
    expect(read(`${shown}// cold [tea.cold]\n`).faults).toEqual(["a/a.test.ts:2: there is no rule tea.cold"]);
    expect(read(`${shown}describe("x [milk.cold]", () => {});\n`).faults).toEqual([
      "a/a.test.ts:2: there is no rule milk.cold",
    ]);
  });

  it("of two rules of one name are found", () => {
    const twice = [...rules, { name: "tea.hot", at: "t:9" }];
    const { faults } = readCitations(twice, new Map([["a/a.test.ts", shown], kept]));
    expect(faults).toEqual(["t:9: tea.hot is the name of another rule already"]);
  });

  it.each([
    ["// as it is (D6)", "(D6)"],
    ["/** Money (2.6, decisions F): exact. */", "(2.6, decisions F)"],
    ["// (storefront 2)", "(storefront 2)"],
    ["// by decisions B", "decisions B"],
    ["// see section 7", "section 7"],
    ["// of the specification's table", "specification"],
    ["// in order (design 1.7)", "(design 1.7)"],
    ['it("is so (E)", () => {});', "(E)"],
    ['it("is so (A1, not the other)", () => {});', "A1"],
    ["-- who did it (5.2)", "(5.2)"],
  ])("of texts that are not here are found: %s", (line, code) => {
    const path = line.startsWith("--") ? "migrations/a.sql" : "a/a.test.ts";
    const { faults } = readCitations([], new Map([[path, `${line}\n`]]));
    expect(faults).toContain(`${path}:1: ${code} names no rule`);
  });

  it.each([
    "// RFC 9110, sections 12.5.3, 13 and 14",
    "// access(2) answers for root too",
    "// a section of the page, and f(1), with eight (8) threads and VALUES (1, 2) of them",
    "// not older (2 x 503), at most 15 ms (1.5 s)",
    'it("takes %s", () => a(1));',
    'const text = "(D6)";',
    "const list = pages[tea.cold];",
  ])("are no others: %s", (line) => {
    expect(readCitations([], new Map([["a/a.test.ts", `${line}\n`]])).faults).toEqual([]);
  });
});

describe("the words of a file", () => {
  it("are its comments, wherever they stand, and nothing that merely looks like one", () => {
    const text = [
      'const a = "// none"; // one',
      "const b = /[/*]\"'/.test(a); /* two\n * lines */",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that is read holds a template
      "const c = `// none ${/* three */ a} ${`// none ${b}`}`;",
      "// four,\n  // goes on",
      "const d = a / b; // five",
    ].join("\n");
    expect(commentsOf("a.ts", text).map((comment) => comment.text)).toEqual([
      "one",
      "two lines",
      "three",
      "four, goes on",
      "five",
    ]);
    expect(commentsOf("a.sql", "SELECT '-- none'; -- one\n").map((comment) => comment.text)).toEqual(["one"]);
  });

  it("are titles, however the test is called", () => {
    const text = [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that is read holds a template
      'describe("a", () => { it(`b ${1}`, () => {}); });',
      'it.each([["(x)", 1]] as const)("c", () => {});',
      'it.each<[unknown, () => void]>([\n["(y)", go],\n])("e", () => {});',
      'test.skipIf(busy())(\n  "d",\n  () => {},\n);',
      'edit("none"); t.it("none"); it(name, () => {});',
    ].join("\n");
    expect(titlesOf("a.test.ts", text).map(({ text: title, line }) => [title, line])).toEqual([
      ["a", 1],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that is read holds a template
      ["b ${1}", 1],
      ["c", 2],
      ["e", 5],
      ["d", 7],
    ]);
  });
});
