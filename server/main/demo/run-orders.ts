import { demoCatalog } from "../../../demo/catalog.ts";
import { planOrders } from "../../../demo/orders.ts";
import { planShoppers, type ShopperPlan } from "../../../demo/shoppers.ts";
import { importOrders } from "../../orders/ingest.ts";
import type { Store } from "../../platform/caller.ts";
import type { CommandDeps } from "../../platform/command-line/commands.ts";

/** Ingests the orders of simulated shoppers, as the commerce platform would have sent them. */

const ordersAtOnce = 200;

/** Returns how many order messages were accepted; the plan's shoppers must have been sent before. */
export async function runOrders(
  { database, calendar, random }: CommandDeps,
  run: { store: Store; plan: ShopperPlan; stopped: () => boolean },
): Promise<number> {
  const { store, plan, stopped } = run;
  let taken = 0;
  const put = async (payloads: unknown[]) => {
    const context = { now: calendar.now(), random };
    const done = await database.transaction((tx) => importOrders(tx.forStore(store.id), store, payloads, context));
    taken += done.orders;
  };
  let waiting: unknown[] = [];
  const { seed, to } = plan;
  for (const { order } of planOrders({ seed, sessions: planShoppers(plan), catalog: demoCatalog, to })) {
    if (stopped()) return taken;
    waiting.push(order);
    if (waiting.length < ordersAtOnce) continue;
    await put(waiting);
    waiting = [];
  }
  if (waiting.length > 0) await put(waiting);
  return taken;
}
