import { getPlan, getSettings, type StoreSettings, updateSettings } from "../../contract/dashboard/settings.ts";
import { type Calendar, isoTime } from "../platform/clock.ts";
import { raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { readRoute, writeRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import { invalid, notFound } from "../platform/problems.ts";
import { isTimeZone, monthAround } from "../platform/time-zones.ts";
import type { Credits } from "./credits.ts";
import { setOnlineStore, updateShop } from "./public.ts";

/**
 * A store's settings as its members see them and its owners change them [dashboard-api.settings, dashboard-api.plan].
 */

interface SettingsRow {
  id: string;
  name: string;
  shop_domain: string;
  timezone: string;
  currency: string;
  publishable_key: string;
  created_at: Date;
  sells_without_online_store: boolean;
}

const columns = raw(
  "id, name, shop_domain, timezone, currency, publishable_key, created_at, sells_without_online_store",
);

async function readSettings(db: StoreRunner): Promise<StoreSettings> {
  const row = await db.first(sql<SettingsRow>`SELECT ${columns} FROM stores WHERE id = ${db.storeId}`);
  if (!row) throw notFound();
  return {
    id: formatId("store", row.id),
    name: row.name,
    shop_domain: row.shop_domain,
    timezone: row.timezone,
    currency: row.currency,
    publishable_key: formatId("pub", row.publishable_key),
    created_at: isoTime(row.created_at),
    sells_without_online_store: row.sells_without_online_store,
  };
}

export interface SettingsDeps {
  calendar: Calendar;
  credits: Credits;
  /** invalidates the cached stores once the change is committed */
  storesChanged: () => void;
}

export const settingsRoutes = ({ calendar, credits, storesChanged }: SettingsDeps): DashboardRoute[] => [
  memberRoute(readRoute(getSettings, (_request, db) => readSettings(db))),
  memberRoute(
    writeRoute(updateSettings, async ({ body }, tx) => {
      const name = body.name?.trim().toWellFormed();
      const { timezone, sells_without_online_store: sellsWithoutOnlineStore } = body;
      if (name === "") throw invalid("body.name", "must not be empty");
      if (timezone !== undefined && !isTimeZone(timezone))
        throw invalid("body.timezone", "must be an IANA timezone such as Europe/Berlin");
      await updateShop(tx, tx.storeId, {
        ...(name === undefined ? {} : { name }),
        ...(timezone === undefined ? {} : { timezone }),
      });
      if (sellsWithoutOnlineStore !== undefined) await setOnlineStore(tx, sellsWithoutOnlineStore);
      tx.afterCommit(storesChanged);
      return { body: await readSettings(tx) };
    }),
  ),
  memberRoute(
    readRoute(getPlan, async ({ caller: { store }, deadline }) => {
      const { credits_limit: _limit, overages_enabled: _overages, order_window_days, ...limits } = store.allowances;
      const { start, end } = monthAround(calendar.now(), store.timezone);
      return {
        plan: store.plan,
        credits: await credits.answer(store, deadline),
        period: { from: isoTime(new Date(start)), to: isoTime(new Date(end)) },
        limits,
        order_window_days,
      };
    }),
  ),
];
