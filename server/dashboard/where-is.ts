import type { IdPrefix } from "../../contract/common.ts";
import { whereIs } from "../../contract/dashboard/home.ts";
import { roleScopes } from "../../contract/roles.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { SignedIn } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, raw, sql } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { type DashboardRoute, personRoute } from "../platform/http/dashboard.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { visitsOf } from "./support.ts";

/** Which of a person's stores has a resource, and which screen shows it [dashboard-api.where]. */

type Kind = (typeof whereIs)["answer"]["example"]["kind"];

interface Findable {
  kind: Kind;
  table: string;
  /** without this scope, the resource is reported as not found */
  scope: Scope | null;
  condition?: string;
  screen: (id: string) => string;
}

const findable: Partial<Record<IdPrefix, Findable>> = {
  quiz: {
    ...{ kind: "quiz", table: "quizzes", scope: "quizzes:read", condition: "deleted_at IS NULL" },
    screen: (id) => `/dashboard/quizzes/${id}`,
  },
  prof: {
    ...{ kind: "profile", table: "profiles", scope: "profiles:read", condition: "removed_at IS NULL" },
    screen: (id) => `/dashboard/profiles/${id}`,
  },
  exp: { kind: "export", table: "exports", scope: null, screen: () => "/dashboard/exports" },
  whe: {
    ...{ kind: "webhook", table: "webhook_endpoints", scope: "webhooks:manage" },
    screen: (id) => `/dashboard/developers/webhooks/${id}`,
  },
  evt: { kind: "event", table: "outbox", scope: "webhooks:manage", screen: () => "/dashboard/developers/events" },
};

/** Up to this many of a person's stores are searched one after the other; people with more have to name the store. */
const searchedAtMost = 50;

interface WhereDeps {
  database: Pick<Database, "reader">;
  calendar: Calendar;
}

/** The person's own stores, and those they are visiting as support. */
async function storesOf({ database, calendar }: WhereDeps, person: SignedIn, deadline: Deadline) {
  const stores = new Map(person.roles);
  if (!person.operator) return stores;
  const visits = await visitsOf(database.reader(deadline), person.userId, calendar.now());
  for (const id of visits.keys()) if (!stores.has(id)) stores.set(id, "owner");
  return stores;
}

export const whereIsRoute = (deps: WhereDeps): DashboardRoute =>
  personRoute(whereIs, async ({ person, params, deadline }) => {
    const id = params["id"] ?? "";
    const prefix = id.slice(0, Math.max(0, id.indexOf("_"))) as IdPrefix;
    const found = Object.hasOwn(findable, prefix) ? findable[prefix] : undefined;
    const uuid = found === undefined ? null : parseId(prefix, id);
    if (found === undefined || uuid === null) throw notFound();
    const { kind, table, scope, condition = "true", screen } = found;
    const stores = [...(await storesOf(deps, person, deadline))].filter(
      ([, role]) => scope === null || roleScopes[role].includes(scope),
    );
    for (const [storeId] of stores.slice(0, searchedAtMost)) {
      const db = deps.database.reader(deadline).forStore(storeId);
      const row = await db.first(
        sql`SELECT id FROM ${raw(table)} WHERE store_id = ${ownStore} AND id = ${uuid} AND ${raw(condition)}`,
      );
      if (row) return { body: { kind, store_id: formatId("store", storeId), url: screen(id) } };
    }
    throw notFound();
  });
