import { useLinkProps, useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { type ComponentProps, useCallback } from "react";

/** A screen's state that is in its address, so that Back, a reload and a shared link show the same. */

export type SearchParams = Readonly<Record<string, unknown>>;

export interface Address {
  /** as the router parsed them; a screen reads only those that it knows */
  params: SearchParams;
  hash: string;
  /** Replaces the current parameters; `push` adds a history entry for the Back button. */
  change(params: SearchParams, options?: { push?: boolean; hash?: string | undefined }): void;
}

/** The query part of the address. */
export const useSearchParams = (): SearchParams => useSearch({ strict: false });

/**
 * For `search` of links and navigation: exactly these parameters, plus the store, which the router keeps. A function,
 * because the router's types would otherwise have to know every screen's parameters.
 */
export const withParams = (params: SearchParams) => (): object => params;

interface ParamsLinkProps extends Omit<ComponentProps<"a">, "href"> {
  to: string;
  params: SearchParams;
}

/** A link with parameters; Mantine renders it as a button or an anchor with `component={ParamsLink}`. */
export function ParamsLink({ to, params, ...others }: ParamsLinkProps) {
  return <a {...others} {...useLinkProps({ to, search: withParams(params) })} />;
}

export function useAddress(): Address {
  const params = useSearchParams();
  const { hash } = useLocation();
  const navigate = useNavigate();
  const change = useCallback<Address["change"]>(
    (next, { push = false, hash: nextHash } = {}) => {
      void navigate({
        to: ".",
        search: withParams(next),
        replace: !push,
        resetScroll: false,
        ...(nextHash === undefined ? {} : { hash: nextHash }),
      });
    },
    [navigate],
  );
  return { params, hash, change };
}
