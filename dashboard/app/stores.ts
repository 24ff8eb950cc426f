import type { StoreOfMe } from "./account-types.ts";

/** Chooses the store to view: the address's, else the last one, else the first [dashboard.store]. Pure. */

export function chooseStore(
  stores: readonly StoreOfMe[],
  requestedId: string | null,
  last: string | null,
): { store: StoreOfMe | null; isMissing: boolean } {
  const find = (id: string | null) => stores.find((store) => store.id === id);
  const requested = find(requestedId);
  if (requested) return { store: requested, isMissing: false };
  return { store: find(last) ?? stores[0] ?? null, isMissing: requestedId !== null };
}

/** The browser storage key. */
export const lastStoreKey = "quizstore-store";

const id = /\/([a-z]+_[0-9a-f]{32})(?=\/|$)/;

/** The id of the thing that an address is about; null: none. */
export const idIn = (path: string): string | null => id.exec(path)?.[1] ?? null;

/**
 * The address to return to after signing in; only addresses of this dashboard, never another site's [dashboard.return].
 */
export function readReturn(address: string | null): string {
  if (address === null || !/^\/dashboard(?=$|[/?])/.test(address)) return "/dashboard";
  // browsers would resolve such an address to another host
  return address.includes("\\") || address.startsWith("//") ? "/dashboard" : address;
}
