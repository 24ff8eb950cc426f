import type { ShopperSession } from "../../../demo/session.ts";
import { planShoppers, type ShopperPlan } from "../../../demo/shoppers.ts";
import type { Store } from "../../platform/caller.ts";
import type { Intake } from "../../storefront/intake.ts";

/**
 * Sends simulated shoppers through the same intake as HTTP requests, as history with their own times
 * [command-line.demo].
 */

/** sessions in flight: with some fifteen requests each, they fill several groups, and far from all of a store's room */
const inFlightAtMost = 32;

export interface ShopperRun {
  store: Store;
  publishableKey: string;
  plan: ShopperPlan;
  /** called occasionally with the number of sessions sent */
  progress: (sent: number) => void;
  /** true: stop sending */
  stopped: () => boolean;
}

export interface ShopperTotals {
  sessions: number;
  events: number;
  rejected: number;
}

export async function runShoppers(intake: Intake, run: ShopperRun): Promise<ShopperTotals> {
  const totals: ShopperTotals = { sessions: 0, events: 0, rejected: 0 };
  const underWay = new Set<Promise<void>>();
  for (const shopper of planShoppers(run.plan)) {
    if (run.stopped()) break;
    const sent = send(intake, run, shopper, totals).finally(() => underWay.delete(sent));
    underWay.add(sent);
    if (underWay.size >= inFlightAtMost) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  return totals;
}

/**
 * Sends all requests of a session together, since history is the same however it arrives: a session is then written once
 * or twice instead of for each request.
 */
async function send(intake: Intake, run: ShopperRun, shopper: ShopperSession, totals: ShopperTotals): Promise<void> {
  const { session, userAgent, country } = shopper;
  const submit = ({ sentAt, events }: ShopperSession["batches"][number]) =>
    intake.submit({
      store: run.store,
      batch: { store: run.publishableKey, sent_at: new Date(sentAt).toISOString(), session, events },
      origin: { userAgent, country, region: null },
      mode: { kind: "history", emit: false },
      sender: null,
    });
  for (const answer of await Promise.all(shopper.batches.map(submit))) {
    totals.events += answer.accepted;
    totals.rejected += answer.rejected.length;
  }
  totals.sessions += 1;
  run.progress(totals.sessions);
}
