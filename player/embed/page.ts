import type { MainChunk, PageState, WaitingChunk } from "./types.ts";
import { utmIn } from "./visit.ts";

/** The build inserts the paths of the chunks, relative to embed.js. */
declare const __PLAYER_MAIN__: string;
declare const __PLAYER_WAITING__: string;

export const page: PageState = {
  base: new URL(".", (document.currentScript as HTMLScriptElement).src).href,
  consent: null,
  cart: null,
  open: null,
  closed: new Set(),
  landing: utmIn(location.search),
};

/**
 * Runs work on a page that people see: a page that the browser makes ahead may never be opened, and has a copy of the
 * tab's storage that is then dropped [player.prerendered].
 */
export function whenSeen(work: () => void): void {
  if ((document as Document & { prerendering?: boolean }).prerendering)
    document.addEventListener("prerenderingchange", work, { once: true });
  else work();
}

const load = <Chunk>(path: string): Promise<Chunk> => import(/* @vite-ignore */ page.base + path) as Promise<Chunk>;
export const loadMain = (): Promise<MainChunk> => load(__PLAYER_MAIN__);
export const loadWaiting = (): Promise<WaitingChunk> => load(__PLAYER_WAITING__);
