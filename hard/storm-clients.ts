import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, request } from "../journeys/http.ts";
import { Visit } from "../journeys/visit.ts";
import { clientOf, type HardShop, liveOf } from "./shops.ts";

/**
 * Clients of every kind, and the answers permitted while the database has problems: success, or 503 with Retry-After.
 */

export interface Tally {
  statuses: Map<number, number>;
  /** answers that are not permitted */
  odd: string[];
}

type Ask = () => Promise<Answer<unknown>>;

function asksOf(shop: HardShop, url: string): Ask[] {
  const api = clientOf(shop, url);
  return [
    () => api.get("/v1/quizzes"),
    () => api.get("/v1/profiles"),
    () => api.get("/v1/events"),
    () => api.post(`/v1/quizzes/${shop.quizId}/versions`, { label: randomUUID() }, { "idempotency-key": randomUUID() }),
    () => {
      const visit = new Visit(liveOf(shop, url), { from: Date.now(), step: 1 });
      return visit.send(visit.chose("first", "pick", "one"), visit.wrote("contact", "mail", `${randomUUID()}@x.test`));
    },
    () => request(`${url}/storefront/v1/quizzes/${shop.quizId}?store=${shop.publishableKey}`),
  ];
}

function note(tally: Tally, what: string, { status, headers, text }: Answer<unknown>): void {
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  const later = /^[1-9]\d*$/.test(headers.get("retry-after") ?? "");
  const isProblem = headers.get("content-type")?.startsWith("application/problem+json") === true;
  const good =
    status < 300 || ((status === 503 || status === 429) && later && isProblem) || (status === 504 && isProblem);
  if (!good) tally.odd.push(`${what} ${status} ${text.slice(0, 300)}`);
}

/** Sends requests on `width` connections until it is stopped. */
export function storm(shop: HardShop, url: string, width: number): { stop(): Promise<Tally> } {
  const tally: Tally = { statuses: new Map(), odd: [] };
  const asks = asksOf(shop, url);
  let going = true;
  const loops = Array.from({ length: width }, async (_, n) => {
    for (let turn = n; going; turn += 1) {
      const ask = asks[turn % asks.length];
      if (ask === undefined) return;
      await ask().then(
        (answer) => note(tally, String(ask), answer),
        (error: unknown) => tally.odd.push(`no answer: ${error}`),
      );
      await pause(5);
    }
  });
  const stop = async () => {
    going = false;
    await Promise.all(loops);
    return tally;
  };
  return { stop };
}

/** Milliseconds until every kind of request succeeds three times in a row; null: not within `withinMs`. */
export async function untilWell(shop: HardShop, url: string, withinMs: number): Promise<number | null> {
  const began = performance.now();
  let well = 0;
  while (well < 3) {
    if (performance.now() - began > withinMs) return null;
    const answers = await Promise.all(asksOf(shop, url).map((ask) => ask().catch(() => null)));
    well = answers.every((answer) => answer !== null && answer.status < 300) ? well + 1 : 0;
    if (well === 0) await pause(50);
  }
  return performance.now() - began;
}

export const inWords = ({ statuses }: Tally): string =>
  [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${count} of ${status}`)
    .join(", ");
