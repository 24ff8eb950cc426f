import { minify } from "terser";
import type { Plugin } from "vite";
import { isLanguage } from "./languages.ts";

/**
 * A second minifier for the player's modules, which every shopper downloads [player.size]: it inlines and joins what the
 * bundler's own leaves, 460 bytes of the main part in gzip. The loader would get larger.
 */
export const smallerModules = (): Plugin => ({
  name: "smaller-modules",
  async renderChunk(code, { name }) {
    if (isLanguage(name)) return null;
    const smaller = await minify(code, { module: true, ecma: 2020, compress: { passes: 3, unsafe_arrows: true } });
    return { code: smaller.code ?? code, map: null };
  },
});
