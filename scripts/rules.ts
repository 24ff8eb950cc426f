import { readFileSync, writeFileSync } from "node:fs";
import { architecturePage, readRules } from "./rule-files.ts";
import { indexOfRules, withIndex } from "./rule-index.ts";

/**
 * `npm run rules`: lists each rule of `docs/rules/` with the code that implements it and the tests that show it; `--
 * area.name ...` lists only those. `-- --write` updates the list of rules and files at the end of
 * `docs/architecture.md`.
 */

const words = process.argv.slice(2);
const writes = words[0] === "--write";
const { rules, tests, code, faults } = readRules();
const listed = writes ? [] : rules.filter(({ name }) => words.length === 0 || words.some((w) => name.startsWith(w)));
for (const { name } of listed) {
  process.stdout.write(`${name}\n`);
  for (const place of code.get(name) ?? []) process.stdout.write(`    ${place}\n`);
  for (const test of tests.get(name) ?? []) process.stdout.write(`    ${test}\n`);
}
if (writes) {
  writeFileSync(architecturePage, withIndex(readFileSync(architecturePage, "utf8"), indexOfRules(rules, code)));
} else process.stdout.write(`\n${listed.length} rules\n`);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 && (writes || listed.length > 0) ? 0 : 1;
