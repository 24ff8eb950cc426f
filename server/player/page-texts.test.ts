import { expect, it } from "vitest";
import { languages } from "../../player/texts/load-texts.ts";
import { pageLanguages, preferredLanguage, readLocale, textsFor } from "./page-texts.ts";

it("says everything in each language of the player [player.hosted-page]", () => {
  expect(pageLanguages.toSorted()).toEqual([...languages].sort());
  const sentences = pageLanguages.flatMap((language) => Object.values(textsFor(language)));
  expect(sentences.every((sentence) => sentence.trim().length > 1)).toBe(true);
  expect(textsFor("pt-BR").preview).toBe(textsFor("pt").preview);
  expect(textsFor("tlh").missing).toBe(textsFor("en").missing);
});

it.each([
  [undefined, "en"],
  ["de", "de"],
  ["fr-CA,fr;q=0.9,en;q=0.8", "fr"],
  ["tlh, ja;q=0.5, de;q=0.7", "de"],
  ["de;q=0, es", "es"],
  ["constructor, __proto__", "en"],
  ["*", "en"],
])("speaks to %s in %s [player.hosted-page]", (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

it("knows which locales are written from right to left [player.hosted-page]", () => {
  expect(["ar", "he-IL", "fa", "ur-PK", "az-Arab"].map((tag) => readLocale(tag)?.dir)).toEqual(Array(5).fill("rtl"));
  expect(["en", "de-AT", "ja", "az", "tr"].map((tag) => readLocale(tag)?.dir)).toEqual(Array(5).fill("ltr"));
  expect([null, "", "not a locale", '"><script>'].map(readLocale)).toEqual([null, null, null, null]);
});
