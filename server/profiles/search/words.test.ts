import { expect, it } from "vitest";
import { wordsOf } from "./words.ts";

it("takes what is between blanks as words, folded, each once [search.words]", () => {
  expect(wordsOf("  Dry\tdry  CAFE\u0301 ").map(({ text }) => text)).toEqual(["dry", "café"]);
});

it("gives patterns that take every character for itself and find whole words only [search.words]", () => {
  const finds = (word: string, text: string) => {
    const [{ pattern } = { pattern: null }] = wordsOf(word);
    if (pattern === null) return text.includes(word);
    // the same pattern means the same here, but that scripts are named otherwise
    return new RegExp(pattern.replaceAll(/\\p\{(\w{3,})\}/g, "\\p{Script=$1}"), "u").test(text);
  };
  expect(finds("dry", "is dry, flaky")).toBe(true);
  expect(finds("dry", "laundry")).toBe(false);
  expect(finds("dry", "dryness")).toBe(false);
  expect(finds("a.b*c", "a.b*c")).toBe(true);
  expect(finds("a.b*c", "aXbbc")).toBe(false);
  expect(finds("(x", "f(x)")).toBe(true);
  expect(finds("100%", "100% cotton")).toBe(true);
  expect(finds("肌", "乾燥肌です")).toBe(true);
  expect(finds("%", "50%")).toBe(true);
});
