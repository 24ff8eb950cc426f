import type { Library } from "./library.ts";
import { headingId } from "./markdown.ts";

/** Finding sections of the documentation by words. */

export interface Found {
  path: string;
  page: string;
  heading: string;
  excerpt: string;
}

interface Section {
  path: string;
  page: string;
  heading: string;
  text: string;
  /** folded, as the other two */
  pageWords: string;
  headingWords: string;
  textWords: string;
}

const most = 30;
const longestQuery = 200;

export class SearchIndex {
  readonly #sections: readonly Section[];

  constructor(library: Library) {
    this.#sections = library.pages.flatMap(({ path, title, markdown }) =>
      sectionsOf(markdown).map(({ heading, text }): Section => {
        return {
          path: heading === title || heading === "" ? path : `${path}#${headingId(heading)}`,
          ...{ page: title, heading: heading || title, text },
          ...{ pageWords: fold(title), headingWords: fold(heading), textWords: fold(text) },
        };
      }),
    );
  }

  /** Sections that hold every word, those that have them in their heading first. */
  find(query: string): Found[] {
    const words = fold(query.slice(0, longestQuery)).split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const ranked = this.#sections.flatMap((section) => {
      const scores = words.map((word) => scoreOf(section, word));
      return scores.includes(0) ? [] : [{ section, score: scores.reduce((sum, score) => sum + score, 0) }];
    });
    ranked.sort((a, b) => b.score - a.score);
    return ranked.slice(0, most).map(({ section: { path, page, heading, text } }) => ({
      ...{ path, page, heading },
      excerpt: excerptOf(text, words),
    }));
  }
}

function scoreOf({ pageWords, headingWords, textWords }: Section, word: string): number {
  if (new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}(?![\\p{L}\\p{N}])`, "u").test(headingWords)) return 10;
  if (headingWords.includes(word)) return 6;
  const times = textWords.split(word).length - 1;
  return (pageWords.includes(word) ? 1 : 0) + (times === 0 ? 0 : 1 + Math.min(times, 5) / 5);
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const fold = (text: string): string => text.normalize("NFC").toLowerCase();

const plain = (text: string): string =>
  text
    .replaceAll(/```\w*[^\n]*\n?/g, " ")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*|]|<!--[\s\S]*?-->/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

function sectionsOf(markdown: string): { heading: string; text: string }[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: "", lines: [] }];
  let inCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) inCode = !inCode;
    const heading = inCode ? null : /^#{1,6} (.*)$/.exec(line);
    if (heading) sections.push({ heading: plain(heading[1] ?? ""), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections
    .map(({ heading, lines }) => ({ heading, text: plain(lines.join("\n")) }))
    .filter(({ heading, text }) => heading !== "" || text !== "");
}

/** Some words around the first one that was asked for. */
function excerptOf(text: string, words: readonly string[]): string {
  const at = Math.max(
    0,
    ...words
      .map((word) => fold(text).indexOf(word))
      .filter((place) => place >= 0)
      .slice(0, 1),
  );
  const start = at < 80 ? 0 : text.indexOf(" ", at - 80) + 1;
  const part = text.slice(start, start + 220);
  return `${start > 0 ? "… " : ""}${part.length < 220 ? part : `${part.slice(0, part.lastIndexOf(" "))} …`}`;
}
