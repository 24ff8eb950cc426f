import { commentsOf, titlesOf, type Words } from "./source-texts.ts";

/** The rules of `docs/rules/` and where comments and test titles cite them. Pure. */

export interface Rule {
  name: string;
  at: string;
}

export interface Citations {
  /** The tests that show a rule, by its name, each as `path:line: title`. */
  tests: Map<string, string[]>;
  /** The code that implements a rule, by its name, as `path:line`. */
  code: Map<string, string[]>;
  faults: string[];
}

const ruleName = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*\.[a-z0-9]+(?:-[a-z0-9]+)*$/;
const citation = /\[((?:[a-z][a-z0-9-]*\.[a-z0-9-]+)(?:,\s*[a-z][a-z0-9-]*\.[a-z0-9-]+)*)\]/g;

/** References to a text outside the project: `(D6)`, `(8.1, decisions B)`, `storefront 2`, `section 7`. */
const code = "(?:(?:sections?|decisions?|storefront|design)\\s+)?(?:[A-I]\\d{0,2}|[1-9](?:\\.\\d{1,2})?)";
const oldCodes = [
  new RegExp(`(?<=^|\\s)\\((?![1-9](?:, [1-9])*\\)\\W*\\w)${code}(?:(?:[,;]|\\s+and)\\s*${code})*\\)`, "g"),
  /(?<!RFC \d+,? |W3C [\w ]*)\b(?:[Ss]ections?\s+[1-9]|[Dd]ecisions?\s+[A-I]\d{0,2}\b|storefront\s+[1-5]\b|[Ss]pecification\b)/g,
  /(?<=\()[A-I]\d{1,2}(?=\s*[,;:])|(?<=[,;] )[A-I]\d{1,2}(?=\))/g,
];

const isTest = (path: string): boolean => /\.(test|hard)\.tsx?$/.test(path);
/** Matches the `path:line: title` of a test that `npm test` leaves out. */
const isHard = /^[^:]+\.hard(?:\.test)?\.tsx?:/;
/** Code that only serves tests, except the parts that check migrations, statements and guides against their rules. */
const isOfTests = (path: string): boolean =>
  isTest(path) ||
  (/^(testkit|journeys|hard|bench)\//.test(path) &&
    !/^(testkit\/(migration|upgrade|statement)-|journeys\/guide-shell)/.test(path));

/** The rules of a page, by its headings `### area.name`, and the mistakes in them. */
export function rulesOf(path: string, page: string): { rules: Rule[]; faults: string[] } {
  const rules: Rule[] = [];
  const faults: string[] = [];
  const lines = page.split("\n");
  const area = /([^/]+)\.md$/.exec(path)?.[1];
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("### ")) continue;
    const name = line.slice(4).trim();
    const at = `${path}:${index + 1}`;
    if (!ruleName.test(name) || !name.startsWith(`${area}.`)) faults.push(`${at}: ${name} is not named ${area}.words`);
    const words = lines.slice(index + 1).find((text) => text.trim() !== "");
    if (words === undefined || words.startsWith("#")) faults.push(`${at}: ${name} says nothing`);
    rules.push({ name, at });
  }
  return { rules, faults };
}

function namesIn({ text }: Words): string[] {
  return [...text.matchAll(citation)].flatMap((match) => (match[1] ?? "").split(",").map((name) => name.trim()));
}

function oldCodesIn({ text }: Words): string[] {
  return [...new Set(oldCodes.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[0].trim())))];
}

/** Checks the citations in `files`, texts by path, against the rules. */
export function readCitations(rules: readonly Rule[], files: ReadonlyMap<string, string>): Citations {
  const tests = new Map<string, string[]>();
  const code = new Map<string, string[]>(rules.map(({ name }) => [name, []]));
  const faults: string[] = [];
  for (const { name, at } of rules) {
    if (tests.has(name)) faults.push(`${at}: ${name} is the name of another rule already`);
    tests.set(name, []);
  }
  for (const [path, text] of files) {
    const titles = isTest(path) ? titlesOf(path, text) : [];
    for (const words of [...commentsOf(path, text), ...titles]) {
      for (const old of oldCodesIn(words)) faults.push(`${path}:${words.line}: ${old} names no rule`);
      for (const name of namesIn(words)) {
        if (!tests.has(name)) faults.push(`${path}:${words.line}: there is no rule ${name}`);
        if (!isOfTests(path)) code.get(name)?.push(`${path}:${words.line}`);
      }
    }
    for (const title of titles) {
      for (const name of namesIn(title)) tests.get(name)?.push(`${path}:${title.line}: ${title.text}`);
    }
  }
  for (const { name, at } of rules) {
    const shown = tests.get(name) ?? [];
    if (shown.length === 0) faults.push(`${at}: no test shows ${name}`);
    else if (shown.every((test) => isHard.test(test))) faults.push(`${at}: only hard tests show ${name}`);
    if (code.get(name)?.length === 0) faults.push(`${at}: no code cites ${name}`);
  }
  return { tests, code, faults };
}
