import { foldText } from "../../platform/fold-text.ts";

/**
 * `matches` [search.words]: all words of a text, in any order. What is between blanks stands for itself, and must not
 * be a part of a longer word: "dry" is found in "Dry, flaky skin" and not in "laundry". Scripts that write no blanks
 * between words have no such edges, so that their texts are found wherever they stand.
 */
const wordCharacter = "\\p{L}\\p{M}\\p{N}_";
const unspacedScripts = "\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}";

const isUnspaced = new RegExp(`[${unspacedScripts.replaceAll(/p\{(\w+)\}/g, "p{Script=$1}")}]`, "u");
const isWordCharacter = new RegExp(`[${wordCharacter}]`, "u");
const hasEdge = (character: string): boolean => isWordCharacter.test(character) && !isUnspaced.test(character);

export interface Word {
  /** folded */
  text: string;
  /** RE2, finds the word with its edges in a folded text; null where it has none and plain finding is enough */
  pattern: string | null;
}

export function wordsOf(text: string): Word[] {
  const words = foldText(text)
    .split(/\s+/u)
    .filter((word) => word !== "");
  return [...new Set(words)].map((word) => ({ text: word, pattern: patternOf(word) }));
}

function patternOf(word: string): string | null {
  const characters = [...word];
  const edge = `[^${wordCharacter}]|[${unspacedScripts}]`;
  const before = hasEdge(characters[0] ?? "") ? `(?:^|${edge})` : "";
  const after = hasEdge(characters.at(-1) ?? "") ? `(?:$|${edge})` : "";
  return before === "" && after === "" ? null : before + escaped(word) + after;
}

/** These characters mean something to RE2. */
const escaped = (word: string): string => word.replaceAll(/[\\.+*?()|[\]{}^$]/g, "\\$&");
