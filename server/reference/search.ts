import type { Library } from "./library.ts";
import { headingId } from "./markdown.ts";

/** Finding sections of the documentation by words [reference.search]. */

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
  /** case-folded, like the next two */
  pageWords: string;
  headingWords: string;
  textWords: string;
  /** the individual words of its heading */
  inHeading: ReadonlySet<string>;
}

const most = 30;
const longestQuery = 200;
/** Every section is searched for each word. */
const mostWords = 10;

export class SearchIndex {
  readonly #sections: readonly Section[];

  constructor(library: Library) {
    this.#sections = library.pages.flatMap(({ path, title, markdown }) =>
      sectionsOf(markdown).map(({ heading, text }): Section => {
        return {
          path: heading === title || heading === "" ? path : `${path}#${headingId(heading)}`,
          ...{ page: title, heading: heading || title, text },
          ...{ pageWords: fold(title), headingWords: fold(heading), textWords: fold(text) },
          inHeading: new Set([...fold(heading).split(/\s+/), ...(fold(heading).match(/[\p{L}\p{N}]+/gu) ?? [])]),
        };
      }),
    );
  }

  /** Sections that contain every word, those with the words in their heading first. */
  find(query: string): Found[] {
    const tokens = fold(query.slice(0, longestQuery)).split(/\s+/).filter(Boolean);
    const words = [...new Set(tokens)].slice(0, mostWords);
    if (words.length === 0) return [];
    const ranked: { section: Section; score: number }[] = [];
    for (const section of this.#sections) {
      const score = scoreOfAll(section, words);
      if (score > 0) ranked.push({ section, score });
    }
    ranked.sort((a, b) => b.score - a.score);
    return ranked.slice(0, most).map(({ section: { path, page, heading, text } }) => ({
      ...{ path, page, heading },
      excerpt: excerptOf(text, words),
    }));
  }
}

/** 0: at least one of the words is missing. */
function scoreOfAll(section: Section, words: readonly string[]): number {
  let sum = 0;
  for (const word of words) {
    const score = scoreOf(section, word);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function scoreOf({ pageWords, headingWords, textWords, inHeading }: Section, word: string): number {
  if (inHeading.has(word)) return 10;
  if (headingWords.includes(word)) return 6;
  const times = timesIn(textWords, word, 5);
  return (pageWords.includes(word) ? 1 : 0) + (times === 0 ? 0 : 1 + times / 5);
}

function timesIn(text: string, word: string, most: number): number {
  let times = 0;
  for (let at = text.indexOf(word); at >= 0 && times < most; at = text.indexOf(word, at + word.length)) times += 1;
  return times;
}

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

/** The text around the first word found. */
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
