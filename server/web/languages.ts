import type { Plugin } from "vite";

/** How the player's languages are built [player.size]. */

export const isLanguage = (name: string): boolean => name.length === 2;

/** Builds a language as one string: its texts in the order of their names, which the main part has. */
export const languagesAsTexts = (): Plugin => ({
  name: "languages-as-texts",
  async renderChunk(code, { name }) {
    if (!isLanguage(name)) return null;
    const { texts } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { texts: object };
    const words = Object.values(texts);
    if (words.some((text: string) => text.includes("|")))
      throw new Error(`a text of ${name} has a |, which parts them`);
    return { code: `export const texts=${JSON.stringify(words.join("|"))}`, map: null };
  },
});
