import type { StoreOfMe } from "./account-types.ts";

/** Which store is looked at: the address's, else the last one, else the first [dashboard.store]. Pure. */

export function chooseStore(
  stores: readonly StoreOfMe[],
  asked: string | null,
  last: string | null,
): { store: StoreOfMe | null; isMissing: boolean } {
  const find = (id: string | null) => stores.find((store) => store.id === id);
  const wanted = find(asked);
  if (wanted) return { store: wanted, isMissing: false };
  return { store: find(last) ?? stores[0] ?? null, isMissing: asked !== null };
}

/** Kept under this name in the browser. */
export const lastStoreKey = "quizstore-store";

const id = /\/([a-z]+_[0-9a-f]{32})(?=\/|$)/;

/** The id of the thing that an address is about; null: it is about none. */
export const idIn = (path: string): string | null => id.exec(path)?.[1] ?? null;

/** An address to come back to after signing in: of this dashboard, and no other site's [dashboard.return]. */
export function readReturn(given: string | null): string {
  if (given === null || !/^\/dashboard(?=$|[/?])/.test(given)) return "/dashboard";
  // an address that a browser would take for another host's
  return given.includes("\\") || given.startsWith("//") ? "/dashboard" : given;
}
