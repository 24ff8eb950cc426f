import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { listStores, type Me, type OperatedStore, whereIs } from "../api/generated.ts";
import type { StoreOfMe } from "./account-types.ts";
import { isProblem, personApi } from "./api.ts";
import { polled } from "./polling.ts";
import { personQueries } from "./query.ts";
import { idIn } from "./stores.ts";

/** The stores that an operator currently supports, where they act as an owner. */
export function useSupportedStores(me: Me): { stores: StoreOfMe[]; isPending: boolean } {
  const { operator } = me.person;
  const query = useQuery(
    {
      queryKey: ["supported", me.person.id],
      queryFn: () => listStores(personApi, { query: { limit: 100, supported: true } }),
      enabled: operator,
      staleTime: 60_000,
      refetchInterval: (query) => polled(query, untilNextEnd(query.state.data?.data ?? [])),
    },
    personQueries,
  );
  const own = new Set(me.stores.map(({ id }) => id));
  const found = query.data?.data ?? [];
  const stores = found.filter(({ id, disconnected_at: gone }) => gone === null && !own.has(id)).map(asOwner);
  return { stores, isPending: operator && query.isPending };
}

const hourMs = 3_600_000;

/** Milliseconds until a few seconds after the first support visit ends; false: there is none. */
function untilNextEnd(stores: readonly OperatedStore[]): number | false {
  const ends = stores.flatMap(({ support_until: until }) => (until === null ? [] : [Date.parse(until) - Date.now()]));
  return ends.length === 0 ? false : Math.min(Math.max(Math.min(...ends), 0) + 5_000, hourMs);
}

const asOwner = ({ id, name, currency, timezone, plan, support_until: until }: OperatedStore): StoreOfMe => ({
  ...(until !== null && { supportUntil: until }),
  id,
  name,
  role: "owner",
  currency,
  timezone,
  plan,
});

/**
 * The store of the thing that an address is about, if the address names no store: links from the API name only the
 * thing, and a person with several stores has to land in the right one.
 */
export function useStoreOfThing(me: Me, named: string | null): { storeId: string | null; isPending: boolean } {
  const { pathname } = useLocation();
  const id = idIn(pathname);
  const isNeeded = named === null && id !== null && (me.stores.length > 1 || me.person.operator);
  const query = useQuery(
    {
      queryKey: ["where", id],
      queryFn: async () => {
        try {
          return await whereIs(personApi, { path: { id: id ?? "" } });
        } catch (error) {
          // the screen reports that itself, in the store viewed last
          if (isProblem(error, "not_found")) return null;
          throw error;
        }
      },
      enabled: isNeeded,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    },
    personQueries,
  );
  return { storeId: query.data?.store_id ?? null, isPending: isNeeded && query.isPending };
}
