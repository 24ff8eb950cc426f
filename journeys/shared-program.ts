import { inject } from "vitest";
import type { Place } from "./program.ts";

/**
 * The program that stories share which need none of their own: each has a store there, and none stops it, sets it up otherwise or
 * looks at more of it than its store. It takes the country from `X-Country`.
 */
export async function sharedProgram(): Promise<Place> {
  const answer = await fetch(inject("sharedProgram"));
  if (!answer.ok) throw new Error(`the shared program did not start: ${await answer.text()}`);
  return (await answer.json()) as Place;
}
