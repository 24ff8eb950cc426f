import type { RandomBytes } from "../platform/ids.ts";

/** What taking an order needs, whichever message or file brings it. */
export interface OrderDeps {
  /** calendar time in ms */
  now: number;
  random: RandomBytes;
}
