import type { Plugin } from "vite";

/** How the player's languages are built [player.size]. */

export const isLanguage = (name: string): boolean => name.length === 2;

/** The imports of all languages, whose files have the same hash in their names. */
const imports = /\{\s*(?:(\w\w): \(\) => import\("\.\/\1-(\w+)\.js"\),?\s*)+\}/;

/** Imports each language by its name, which is 50 bytes shorter. */
const importByName = (list: string, _language: string, hash: string): string => {
  const languages = [...list.matchAll(/(\w\w): /g)].map(([, language]) => language).join(" ");
  const file = `\`./\${language}-${hash}.js\``;
  return `Object.fromEntries("${languages}".split(" ").map((language) => [language, () => import(${file})]))`;
};

/**
 * Builds a language as one string: its texts in the order of their names, which the main part has, as it has the files of
 * all.
 */
export const languagesAsTexts = (): Plugin => ({
  name: "languages-as-texts",
  async renderChunk(code, { name }) {
    if (!isLanguage(name)) return { code: code.replace(imports, importByName), map: null };
    const { texts } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { texts: object };
    const words = Object.values(texts);
    if (words.some((text: string) => text.includes("|")))
      throw new Error(`a text of ${name} has a |, which parts them`);
    return { code: `export const texts=${JSON.stringify(words.join("|"))}`, map: null };
  },
});
