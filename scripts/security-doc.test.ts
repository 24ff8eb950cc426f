import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** docs/security.md names tests for what it says: `file` "title", further titles of the same file behind "and". */

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/security.md"), "utf8");
const plain = page.replaceAll(/\s+/g, " ");

function claims(text: string): { file: string; title: string }[] {
  const named = text.matchAll(/`([\w./-]+\.test\.ts)`((?: (?:and )?"[^"]+")+)/g);
  return [...named].flatMap(([, file = "", titles = ""]) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => ({ file, title })),
  );
}

describe("docs/security.md", () => {
  it("names tests that exist, by titles that they have", () => {
    const named = claims(plain);
    expect(named.length).toBeGreaterThan(25);
    const missing = named.filter(({ file, title }) => {
      const path = join(root, file);
      if (!existsSync(path)) return true;
      const titles = readFileSync(path, "utf8").matchAll(/\b(?:it|test|describe)[^"`]{0,400}?["`]([^"`]+)["`]/g);
      return ![...titles].some(([, written = ""]) => written.includes(title));
    });
    expect(missing).toEqual([]);
  });

  it("names no test in another way, which would not be checked", () => {
    const files = plain.match(/[\w./-]+\.test\.ts/g) ?? [];
    const checked = new Set(claims(plain).map(({ file }) => file));
    expect(files.filter((file) => !checked.has(file))).toEqual([]);
  });

  it("has a row with a test for each of the ten risks", () => {
    const rows = page.split("\n").filter((line) => /^\| API\d+ /.test(line));
    expect(rows.map((row) => row.split(" ")[1])).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
    for (const row of rows) expect(claims(row).length).toBeGreaterThan(0);
  });
});
