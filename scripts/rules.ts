import { readRules } from "./rule-files.ts";

/**
 * `npm run rules`: prints each rule of `docs/rules/` with the code that implements it and the tests that show it; `--
 * area.name ...` prints only those.
 */

const words = process.argv.slice(2);
const { rules, tests, code, faults } = readRules();
const listed = rules.filter(({ name }) => words.length === 0 || words.some((word) => name.startsWith(word)));
for (const { name } of listed) {
  process.stdout.write(`${name}\n`);
  for (const place of code.get(name) ?? []) process.stdout.write(`    ${place}\n`);
  for (const test of tests.get(name) ?? []) process.stdout.write(`    ${test}\n`);
}
process.stdout.write(`\n${listed.length} rules\n`);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 && listed.length > 0 ? 0 : 1;
