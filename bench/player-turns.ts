import type { Page } from "playwright-core";

/** Measures how long a page keeps the browser busy, and how soon it responds to a click, on a slowed-down processor. */

export interface TurnFigures {
  /** ms of each task over 50 ms, from loading the page to the first screen */
  opening: number[];
  /** ms of each task over 50 ms, after the first screen */
  after: number[];
  /** ms from each click to the next paint, in steps of 8, as reported by browsers */
  turns: number[];
}

interface Watched {
  tasks: { at: number; ms: number }[];
  clicks: { id: number; ms: number }[];
}

declare global {
  interface Window {
    watched: Watched;
  }
}

/** Runs before any script of the page. */
function watch(): void {
  const watched: Watched = { tasks: [], clicks: [] };
  window.watched = watched;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) watched.tasks.push({ at: startTime, ms: duration });
  }).observe({ type: "longtask", buffered: true });
  const events = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId: number })[]) {
      if (entry.interactionId > 0) watched.clicks.push({ id: entry.interactionId, ms: entry.duration });
    }
  });
  // cast, because the option is newer than the types
  events.observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
}

export interface Walk {
  url: string;
  /** resolves when the first screen is shown */
  opened: (page: Page) => Promise<unknown>;
  /** goes through all pages by clicks, each of which is measured */
  walk: (page: Page) => Promise<unknown>;
}

/** @param slower factor by which the processor is slowed down */
export async function measureTurns(page: Page, { url, opened, walk }: Walk, slower: number): Promise<TurnFigures> {
  await page.addInitScript(watch);
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
  await page.goto(url);
  await opened(page);
  const openedAt = await page.evaluate(() => performance.now());
  await walk(page);
  // a click's timing is reported a moment after its paint
  await page.waitForTimeout(500);
  const { tasks, clicks } = await page.evaluate(() => window.watched);
  const longest = new Map<number, number>();
  for (const { id, ms } of clicks) longest.set(id, Math.max(longest.get(id) ?? 0, ms));
  const after = ({ at }: { at: number }): boolean => at > openedAt;
  return {
    opening: tasks.filter((task) => !after(task)).map(({ ms }) => Math.round(ms)),
    after: tasks.filter(after).map(({ ms }) => Math.round(ms)),
    turns: [...longest.values()],
  };
}
