import { foldText } from "../../platform/fold-text.ts";

/**
 * `matches` [search.words]: all words of a text, in any order. Whitespace separates the words. A word is taken
 * literally and must not be part of a longer one: "dry" is found in "Dry, flaky skin" but not in "laundry". Scripts
 * that write no spaces between words have no word boundaries, so their text is found anywhere.
 */
const wordCharacter = "\\p{L}\\p{M}\\p{N}_";
const unspacedScripts = "\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}";

const isUnspaced = new RegExp(`[${unspacedScripts.replaceAll(/p\{(\w+)\}/g, "p{Script=$1}")}]`, "u");
const isWordCharacter = new RegExp(`[${wordCharacter}]`, "u");
const hasEdge = (character: string): boolean => isWordCharacter.test(character) && !isUnspaced.test(character);

export interface Word {
  /** case-folded */
  text: string;
  /**
   * RE2 pattern that finds the word with its boundaries in a folded text; null if it has none and a plain search is
   * enough
   */
  pattern: string | null;
}

/** A text's words, case-folded, each as often as it has them. */
export const separated = (text: string): string[] =>
  foldText(text)
    .split(/\s+/u)
    .filter((word) => word !== "");

export function wordsOf(text: string): Word[] {
  return [...new Set(separated(text))].map((word) => ({ text: word, pattern: patternOf(word) }));
}

function patternOf(word: string): string | null {
  const characters = [...word];
  const edge = `[^${wordCharacter}]|[${unspacedScripts}]`;
  const before = hasEdge(characters[0] ?? "") ? `(?:^|${edge})` : "";
  const after = hasEdge(characters.at(-1) ?? "") ? `(?:$|${edge})` : "";
  return before === "" && after === "" ? null : before + escaped(word) + after;
}

/** Escapes the special characters of RE2. */
const escaped = (word: string): string => word.replaceAll(/[\\.+*?()|[\]{}^$]/g, "\\$&");
