import { describe, expect, it } from "vitest";
import type { BuiltFile } from "../server/web/builds.ts";
import { ownProperties } from "../server/web/smaller-modules.ts";
import { builtPlayer } from "../testkit/built-player.ts";
import { sampleQuiz } from "../testkit/sample-quiz.ts";

/** How much a shopper downloads, from what was built. */

const { manifest, files: served } = await builtPlayer();
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

const kilobytes28 = 28 * 1_024;

/** All that a quiz in the page needs but its language. */
const inPage = (): Set<BuiltFile> => whole(manifest.loader ?? "", whole(manifest.main));

describe("what a shopper downloads [player.size]", () => {
  it("has shortened names of properties only where no other program sees them", () => {
    const loader = String(served.file(manifest.loader ?? "")?.plain);
    expect(loader).toContain("quizstore");
    const others = loader + JSON.stringify(sampleQuiz());
    for (const name of ownProperties) expect([name, new RegExp(`\\b${name}\\b`).test(others)]).toEqual([name, false]);
  });

  it("finds the exports of its parts by the names that they have", () => {
    const exported = [...parts.values()].flatMap((path) => {
      const [, list = ""] = /export\s*\{([^}]*)\}/.exec(String(served.file(path)?.plain)) ?? [];
      return list.split(",").map((each) => each.split(" as ").at(-1)?.trim() ?? "");
    });
    expect(exported).toEqual(expect.arrayContaining(["beforeDrawing", "Slider", "choice", "outcomes"]));
    expect(exported.filter((name) => ownProperties.includes(name))).toEqual([]);
  });

  it("begins with a script of at most 2 KB in gzip", () => {
    expect(fileOf(manifest.loader ?? "").gzip).toBeLessThanOrEqual(2 * 1_024);
    expect([...whole(manifest.loader ?? "")]).toHaveLength(1);
  });

  it("is at most 28 KB in gzip for any quiz in the page, in each language", () => {
    expect(languages).toHaveLength(10);
    for (const [language, path] of languages) {
      const bytes = gzip(whole(path, inPage()));
      expect([language, Math.max(bytes, kilobytes28)]).toEqual([language, kilobytes28]);
    }
  });

  it("is at most 30.5 KB in a popup or drawer", () => {
    for (const [, path] of languages) {
      const needed = whole(parts.get("quiz-in-overlay") ?? "", whole(path, inPage()));
      expect(gzip(needed)).toBeLessThanOrEqual(30.5 * 1_024);
    }
  });

  it("is at most another 45 KB for numbering plans, if a quiz asks for a phone", () => {
    const always = inPage();
    const needed = [...whole(parts.get("phones") ?? "")].filter((file) => !always.has(file));
    expect(gzip(needed)).toBeLessThanOrEqual(45 * 1_024);
  });

  it("is at most another 3.5 KB for products by rule", () => {
    const always = inPage();
    const needed = [...whole(parts.get("follow-rules") ?? "")].filter((file) => !always.has(file));
    expect(gzip(needed)).toBeLessThanOrEqual(3.5 * 1_024);
  });

  it("is at most another 7 KB for questions in forms that few quizzes use", () => {
    const always = inPage();
    const needed = [...whole(parts.get("questions") ?? "")].filter((file) => !always.has(file));
    expect(gzip(needed)).toBeLessThanOrEqual(7 * 1_024);
  });

  it("holds neither languages nor the cleaner of HTML nor what few quizzes need unless wanted [player.outcomes-apart]", () => {
    const always = new Set([...inPage()].map(({ path }) => path));
    const apart = [
      "follow-rules",
      "outcomes",
      "questions",
      "recalling",
      "slider",
      "quiz-in-overlay",
      "phones",
      "purify",
      "waiting",
    ];
    for (const name of [...apart, "en", "ar"])
      expect([name, always.has(fileOf(parts.get(name) ?? "").path)]).toEqual([name, false]);
    expect([...parts.keys()].filter((name) => !languages.some(([language]) => language === name)).sort()).toEqual([
      "calendar",
      "follow-rules",
      "outcomes",
      "phones",
      "purify",
      "questions",
      "quiz-in-overlay",
      "recall",
      "recalling",
      "slider",
      "waiting",
    ]);
  });
});
