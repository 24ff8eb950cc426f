import { useCallback, useMemo } from "react";
import { useAddress } from "../app/address.tsx";
import { type AnalyticsSearch, readAnalytics } from "./url-state.ts";

export type ChangeSearch = (change: AnalyticsSearch, options?: { replace?: boolean }) => void;

/** What the address says is shown, and how to show something else. */
export function useAnalyticsSearch(): { search: AnalyticsSearch; setSearch: ChangeSearch } {
  const { params, change } = useAddress();
  // the router makes a new object with each navigation; what is read from it stays the same while it says the same
  const said = JSON.stringify(params);
  const search = useMemo(() => readAnalytics(JSON.parse(said)), [said]);
  const setSearch: ChangeSearch = useCallback(
    (next, { replace = false } = {}) => change({ ...next }, { push: !replace }),
    [change],
  );
  return { search, setSearch };
}
