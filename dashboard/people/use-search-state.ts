import { useCallback, useEffect, useRef, useState } from "react";
import { useAddress } from "../app/address.tsx";
import { placeSearch, readSearchText, type SearchPlace, textAt } from "./search-link.ts";
import { emptySearch, type SearchState } from "./search-state.ts";

interface AddressedSearch {
  state: SearchState;
  /** whether the address holds something that is not a search */
  unreadable: boolean;
  change: (edit: (state: SearchState) => SearchState) => void;
}

/**
 * The screen's search. It is kept in the screen's own state, since an address cannot hold half a number; each change is
 * written to the address. When the address changes (Back, a link), the screen follows it.
 */
export function useSearchState(): AddressedSearch {
  const { params, hash, change: changeAddress } = useAddress();
  const place: SearchPlace = {
    search: typeof params["search"] === "string" ? params["search"] : undefined,
    hash: hash === "" ? undefined : hash,
  };
  const text = textAt(place);
  const [state, setState] = useState(() => stateOf(text));
  const [unreadable, setUnreadable] = useState(() => text !== "" && readSearchText(text) === null);
  const written = useRef(text);
  // two changes may come before a render: the second must apply to the result of the first
  const latest = useRef(state);
  const show = useCallback((next: SearchState) => {
    latest.current = next;
    setState(next);
  }, []);
  useEffect(() => {
    if (text === written.current) return;
    written.current = text;
    show(stateOf(text));
    setUnreadable(text !== "" && readSearchText(text) === null);
  }, [text, show]);
  const change = useCallback(
    (edit: (state: SearchState) => SearchState) => {
      const next = edit(latest.current);
      const at = placeSearch(next);
      written.current = textAt(at);
      show(next);
      setUnreadable(false);
      changeAddress(at.search === undefined ? {} : { search: at.search }, { hash: at.hash ?? "" });
    },
    [show, changeAddress],
  );
  return { state, unreadable, change };
}

const stateOf = (text: string): SearchState => readSearchText(text) ?? emptySearch;
