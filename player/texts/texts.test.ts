import { describe, expect, it } from "vitest";
import { textNames } from "../../engine/text-names.ts";
import { texts as en } from "./en.ts";
import { languageOf, languages, loadTexts } from "./load-texts.ts";

const placeholders = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe("the player's words", () => {
  for (const language of languages) {
    it(`are complete in ${language}, with the same places to fill in [player.languages]`, async () => {
      const texts = await loadTexts(language);
      expect(Object.keys(texts)).toEqual([...textNames]);
      for (const name of textNames) {
        expect(texts[name].trim(), name).not.toBe("");
        expect(placeholders(texts[name]), name).toEqual(placeholders(en[name]));
      }
    });
  }

  it("are other words in every other language [player.languages]", async () => {
    const all = await Promise.all(languages.map(loadTexts));
    expect(new Set(all.map((texts) => texts.answer_missing)).size).toBe(languages.length);
    expect(new Set(all.map((texts) => texts.no_products)).size).toBe(languages.length);
  });

  it("are found by the locale's language, whatever its region or writing [player.languages]", () => {
    expect(["pt-BR", "de_CH", "AR", "ja-Jpan-JP", "en", "sv", ""].map(languageOf)).toEqual([
      "pt",
      "de",
      "ar",
      "ja",
      "en",
      "en",
      "en",
    ]);
  });
});
