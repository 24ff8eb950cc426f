import { describe, expect, it } from "vitest";
import { builtDashboard } from "../testkit/built-player.ts";

/** How much a browser downloads, from what was built. */

const built = await builtDashboard();
const { manifest } = built;
const files = new Map(manifest.files.map((file) => [file.path, file]));

/** Paths of a file with all that it cannot run without. */
function whole(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const other of files.get(path)?.imports ?? []) whole(other, found);
  return found;
}

const gzip = (paths: Iterable<string>): number =>
  [...paths].reduce((sum, path) => sum + (files.get(path)?.gzip ?? Number.NaN), 0);
const nameOf = (path: string): string => /^dashboard\/assets\/(.+)-[\w-]{8}\.(js|css)$/.exec(path)?.[1] ?? path;
const named = (name: string): string => {
  const found = [...files.keys()].find((path) => nameOf(path) === name && path.endsWith(".js"));
  if (found === undefined) throw new Error(`no part is called ${name}`);
  return found;
};

describe("what a browser downloads [dashboard.size]", () => {
  const first = whole(manifest.main);
  for (const path of manifest.styles) first.add(path);

  it("is at most 220 KB in gzip and six files until Home is drawn", () => {
    const home = whole(named("home"), new Set(first));
    const sizes = manifest.files
      .toSorted((a, b) => b.gzip - a.gzip)
      .filter((file) => file.gzip > 2_000)
      .map(({ path, gzip }) => `${home.has(path) ? "first" : "later"} ${(gzip / 1_024).toFixed(1)} KB ${nameOf(path)}`);
    // biome-ignore lint/suspicious/noConsole: the sizes are what is wanted to be known
    console.log(`Until Home is drawn: ${(gzip(home) / 1_024).toFixed(1)} KB in gzip\n${sizes.join("\n")}`);
    expect(gzip(home)).toBeLessThanOrEqual(220 * 1_024);
    expect(home.size).toBeLessThanOrEqual(6);
  });

  it("holds neither charts nor graphs nor the command menu until they are wanted", () => {
    expect([...first].filter((path) => /chart|graph|sign-in|dialog|^command-menu$/.test(nameOf(path)))).toEqual([]);
    // a file may hold parts of several, by whose name it is not called
    const textOf = (paths: Iterable<string>) => [...paths].map((path) => built.files.file(path)?.plain).join("");
    const home = textOf(whole(named("home"), new Set(first)));
    const marks = {
      "overview-chart": "recharts",
      "graph-view": "react-flow",
      "command-menu": "Spotlight",
      controls: "FocusTrap",
    };
    for (const [part, mark] of Object.entries(marks)) {
      expect([part, textOf(whole(named(part))).includes(mark)]).toEqual([part, true]);
      expect([part, home.includes(mark)]).toEqual([part, false]);
    }
  });
});
