import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sections } from "./sections.ts";

/** `npm run coverage:spec`: each section of the specification with the tests whose titles name it. */

const root = join(import.meta.dirname, "..");
const title = /\b(?:describe|it|test)(?:\.each\([^)]*\)|\.skipIf\([^)]*\))?\(\s*(["'`])((?:\\.|(?!\1)[\s\S])*)\1/g;
const known = new Map(sections.map((section) => [section.name, section]));

/** The sections that a title's closing parentheses name: `(8.1)`, `(storefront 2, decisions B)`, `(D8; E)`. */
function namedSections(text: string): string[] {
  const groups = [...text.matchAll(/\(([^()]*)\)/g)].map((match) => match[1] ?? "");
  const words = groups.flatMap((group) => group.split(/[,;]| and /));
  return words.map((word) => nameOf(word.trim())).filter((name) => name !== null);
}

function nameOf(word: string): string | null {
  const plain = word.replace(/^(sections?|decisions?)\s+/, "");
  if (known.has(plain)) return plain;
  const part = /^([1-9])\.\d+$/.exec(plain)?.[1] ?? /^([B-I])\d+$/.exec(plain)?.[1] ?? null;
  return part !== null && known.has(part) ? part : null;
}

const tests = new Map<string, string[]>(sections.map((section) => [section.name, []]));
let titles = 0;
for (const file of globSync("{contract,engine,server,testkit,journeys,hard,scripts}/**/*.test.ts", {
  cwd: root,
}).sort()) {
  const text = await readFile(join(root, file), "utf8");
  for (const match of text.matchAll(title)) {
    titles += 1;
    for (const name of new Set(namedSections(match[2] ?? ""))) tests.get(name)?.push(`${file}: ${match[2]}`);
  }
}

const brief = process.argv.includes("--brief");
const bare: string[] = [];
for (const { name, about, built } of sections) {
  const found = tests.get(name) ?? [];
  if (built && found.length === 0) bare.push(name);
  process.stdout.write(
    `${name}  ${about}: ${found.length === 0 && !built ? "not built yet" : `${found.length} tests`}\n`,
  );
  if (!brief) for (const line of found) process.stdout.write(`    ${line}\n`);
}
process.stdout.write(
  `\n${titles} tests; ${bare.length === 0 ? "every built section is covered" : `without a test: ${bare.join(", ")}`}\n`,
);
process.exitCode = bare.length === 0 ? 0 : 1;
