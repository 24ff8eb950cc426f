import { inject } from "vitest";
import { copied } from "./installed.ts";
import type { Place } from "./program.ts";

/** What stories of one run of tests share, since each of them would spend most of its time on it. */

/**
 * The program for stories that need none of their own: each has a store there, and none stops it, sets it up otherwise or
 * looks at more of it than its store. It takes the country from `X-Country`.
 */
export const sharedProgram = (): Promise<Place> => told<Place>("/program");

/** A data directory whose demo shop has all of its shoppers, for stories about what is done with them. */
export const filledDemoFolder = async (): Promise<string> => copied(await told<string>("/demo"));

async function told<T>(what: "/program" | "/demo"): Promise<T> {
  const answer = await fetch(`${inject("shared")}${what}`);
  if (!answer.ok) throw new Error(`there is no ${what} to share: ${await answer.text()}`);
  return (await answer.json()) as T;
}
