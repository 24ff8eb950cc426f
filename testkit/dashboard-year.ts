import fc from "fast-check";
import { type Fed, feedHistory } from "./analytics-model/feed.ts";
import { arbitraryStoreHistory } from "./analytics-model/histories.ts";
import type { TestApp } from "./app.ts";

/** A shop with the history of a year, the same one each time, for the dashboard's screens of figures. */
export async function feedYear(t: TestApp): Promise<Fed & { days: string }> {
  const [given] = fc.sample(arbitraryStoreHistory({ maxSessions: 160 }), { seed: 29, numRuns: 1 });
  if (!given) throw new Error("no history");
  const fed = await feedHistory(t, given);
  const day = (ago: number) => new Date(t.calendar.now() - ago * 86_400_000).toISOString().slice(0, 10);
  return { ...fed, days: `from=${day(364)}&to=${day(0)}` };
}
