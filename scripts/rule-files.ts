import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Citations, type Rule, readCitations, rulesOf } from "./rule-citations.ts";

const root = join(import.meta.dirname, "..");

/** The walk through the code, which ends with the list of rules and files. */
export const architecturePage = join(root, "docs/architecture.md");

/** What may cite rules. Files in which it stands how citations look hold some that lead nowhere. */
const sources =
  "{bin,contract,engine,client,player,dashboard,server,demo,testkit,journeys,bench,hard,scripts,migrations}/**/*.{ts,tsx,js,sql,mjs,cjs}";
const ofTheCheck = /^scripts\/(rules|rule-|source-texts)/;
/** The client as it is compiled for its package, where somebody did so: its comments are those of its sources. */
const compiled = /^client\/dist\//;

const readAll = (paths: readonly string[]): Map<string, string> =>
  new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));

/** The rules of `docs/rules/`, the tests that show each and the code that keeps it, and everything that is wrong with either. */
export function readRules(): { rules: Rule[] } & Citations {
  const pages = globSync("docs/rules/*.md", { cwd: root }).filter((path) => !path.endsWith("README.md"));
  const read = [...readAll(pages.sort())].map(([path, text]) => rulesOf(path, text));
  const rules = read.flatMap((page) => page.rules);
  const files = globSync(sources, { cwd: root }).filter((path) => !ofTheCheck.test(path) && !compiled.test(path));
  const { tests, code, faults } = readCitations(rules, readAll(files.sort()));
  return { rules, tests, code, faults: [...read.flatMap((page) => page.faults), ...faults] };
}
