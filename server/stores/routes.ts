import type { PlanClass } from "../../contract/limits.ts";
import { getStore } from "../../contract/store.ts";
import { type Route, readRoute } from "../platform/http/operations.ts";
import type { Credits } from "./credits.ts";

export const storeRoutes = (credits: Credits): Route[] => [
  readRoute(getStore, async ({ caller, deadline }) => {
    const { store, scopes } = caller;
    const {
      credits_limit: _limit,
      overages_enabled: _overages,
      order_window_days: _window,
      ...limits
    } = store.allowances;
    return {
      name: store.name,
      shop_domain: store.shopDomain,
      currency: store.currency,
      timezone: store.timezone,
      plan_class: store.plan as PlanClass,
      scopes: [...scopes],
      credits: await credits.answer(store, deadline),
      limits,
    };
  }),
];
