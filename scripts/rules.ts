import { readRules } from "./rule-files.ts";

/** `npm run rules`: each rule of `docs/rules/` with the code that keeps it and the tests that show it; `-- area.name ...` those alone. */

const asked = process.argv.slice(2);
const { rules, tests, code, faults } = readRules();
const wanted = rules.filter(({ name }) => asked.length === 0 || asked.some((start) => name.startsWith(start)));
for (const { name } of wanted) {
  process.stdout.write(`${name}\n`);
  for (const place of code.get(name) ?? []) process.stdout.write(`    ${place}\n`);
  for (const test of tests.get(name) ?? []) process.stdout.write(`    ${test}\n`);
}
process.stdout.write(`\n${wanted.length} rules\n`);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 && wanted.length > 0 ? 0 : 1;
