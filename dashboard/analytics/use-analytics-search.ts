import { useCallback, useMemo } from "react";
import { useAddress } from "../app/address.tsx";
import { type AnalyticsSearch, readAnalytics } from "./url-state.ts";

export type ChangeSearch = (change: AnalyticsSearch, options?: { replace?: boolean }) => void;

/** Reads what to show from the address, and changes it. */
export function useAnalyticsSearch(): { search: AnalyticsSearch; setSearch: ChangeSearch } {
  const { params, change } = useAddress();
  // the router makes a new object on each navigation; ours stays the same while its content does
  const said = JSON.stringify(params);
  const search = useMemo(() => readAnalytics(JSON.parse(said)), [said]);
  const setSearch: ChangeSearch = useCallback(
    (next, { replace = false } = {}) => change({ ...next }, { push: !replace }),
    [change],
  );
  return { search, setSearch };
}
