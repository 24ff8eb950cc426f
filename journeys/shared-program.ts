import { inject } from "vitest";
import { copied } from "./installed.ts";
import type { Place } from "./program.ts";

/** What the journeys of one run of tests share, since each of them would spend most of its time on creating it. */

/**
 * The program for journeys that need none of their own: each has its own store there, and none stops or reconfigures
 * it, or looks at other stores. It reads the country from `X-Country`.
 */
export const sharedProgram = (): Promise<Place> => told<Place>("/program");

/** A data directory with all shoppers of the demo shop, for journeys that use them. */
export const filledDemoFolder = async (): Promise<string> => copied(await told<string>("/demo"));

async function told<T>(what: "/program" | "/demo"): Promise<T> {
  const answer = await fetch(`${inject("shared")}${what}`);
  if (!answer.ok) throw new Error(`there is no ${what} to share: ${await answer.text()}`);
  return (await answer.json()) as T;
}
