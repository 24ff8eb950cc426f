import type { MainChunk, PageState } from "./types.ts";

/** The build inserts the path of the main chunk, relative to embed.js. */
declare const __PLAYER_MAIN__: string;

export const page: PageState = {
  base: new URL(".", (document.currentScript as HTMLScriptElement).src).href,
  consent: null,
  cart: null,
  open: null,
  closed: new Set(),
};

export const loadMain = (): Promise<MainChunk> =>
  import(/* @vite-ignore */ `${page.base}${__PLAYER_MAIN__}`) as Promise<MainChunk>;
