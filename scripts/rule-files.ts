import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Citations, type Rule, readCitations, rulesOf } from "./rule-citations.ts";

const root = join(import.meta.dirname, "..");

/** Files that may cite rules. Those about citations themselves contain examples of rules that do not exist. */
const sources =
  "{bin,contract,engine,client,player,dashboard,server,demo,testkit,journeys,bench,hard,scripts,migrations}/**/*.{ts,tsx,js,sql,mjs,cjs}";
const ofTheCheck = /^scripts\/(rules|rule-|source-texts)/;
/** The client compiled for its package, if somebody did so: its comments are copies of the sources' comments. */
const compiled = /^client\/dist\//;

const readAll = (paths: readonly string[]): Map<string, string> =>
  new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));

/** The rules of `docs/rules/`, the tests and the code that cite each, and every mistake in them. */
export function readRules(): { rules: Rule[] } & Citations {
  const pages = globSync("docs/rules/*.md", { cwd: root }).filter((path) => !path.endsWith("README.md"));
  const read = [...readAll(pages.sort())].map(([path, text]) => rulesOf(path, text));
  const rules = read.flatMap((page) => page.rules);
  const files = globSync(sources, { cwd: root }).filter((path) => !ofTheCheck.test(path) && !compiled.test(path));
  const { tests, code, faults } = readCitations(rules, readAll(files.sort()));
  return { rules, tests, code, faults: [...read.flatMap((page) => page.faults), ...faults] };
}
