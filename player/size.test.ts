import { describe, expect, it } from "vitest";
import type { BuiltFile } from "../server/player/builds.ts";
import { builtPlayer } from "../testkit/built-player.ts";

/** How much a shopper downloads, from what was built. */

const { manifest } = await builtPlayer();
const files = new Map(manifest.files.map((file) => [file.path, file]));

function fileOf(path: string): BuiltFile {
  const file = files.get(path);
  if (file === undefined) throw new Error(`${path} is not in the build`);
  return file;
}

/** A file with all that it cannot run without. */
function whole(path: string, found = new Set<BuiltFile>()): Set<BuiltFile> {
  const file = fileOf(path);
  if (found.has(file)) return found;
  found.add(file);
  for (const other of file.imports) whole(other, found);
  return found;
}

const gzip = (of: Iterable<BuiltFile>): number => [...of].reduce((sum, file) => sum + file.gzip, 0);

/** Parts that are fetched when they are wanted, by the name that their source has. */
const parts = new Map(
  [...files.keys()].flatMap((path) => {
    const name = /^player\/([\w-]+)-[\w-]{8}\.js$/.exec(path)?.[1];
    return name === undefined || path === manifest.main ? [] : [[name, path] as const];
  }),
);
const languages = [...parts].filter(([name]) => /^[a-z]{2}$/.test(name));

describe("what a shopper downloads [player.size]", () => {
  it("begins with a script of at most 2 KB in gzip", () => {
    expect(fileOf(manifest.loader).gzip).toBeLessThanOrEqual(2 * 1_024);
    expect([...whole(manifest.loader)]).toHaveLength(1);
  });

  it("is at most 28 KB in gzip for a quiz of choices in the page, in English", () => {
    const needed = whole(manifest.main);
    whole(manifest.loader, needed);
    expect(gzip(needed)).toBeLessThanOrEqual(28 * 1_024);
  });

  it("is at most 41 KB with every kind of question, products, formulas, a popup and the language with the longest texts", () => {
    expect(languages).toHaveLength(9);
    const longest = languages.map(([, path]) => fileOf(path)).toSorted((a, b) => b.gzip - a.gzip)[0];
    const needed = whole(manifest.main);
    whole(manifest.loader, needed);
    const others = [...parts].filter(
      ([name]) => name !== "purify" && !languages.some(([language]) => language === name),
    );
    for (const [, path] of others) whole(path, needed);
    if (longest) needed.add(longest);
    expect(gzip(needed)).toBeLessThanOrEqual(41 * 1_024);
  });

  it("holds neither other languages nor the cleaner of HTML unless they are wanted", () => {
    const always = new Set([...whole(manifest.main)].map(({ path }) => path));
    expect([...parts.keys()]).toEqual(expect.arrayContaining(["quiz-in-overlay", "purify", "de", "ar"]));
    for (const name of ["quiz-in-overlay", "purify", "de", "ar"])
      expect([name, always.has(parts.get(name) ?? "")]).toEqual([name, false]);
  });
});
