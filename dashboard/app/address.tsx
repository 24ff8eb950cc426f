import { useLinkProps, useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { type ComponentProps, useCallback } from "react";

/** What a screen keeps in its address, so that Back, a reload and a link that is sent to somebody show the same. */

export type SearchParams = Readonly<Record<string, unknown>>;

export interface Address {
  /** as the router read them; a screen reads of them what it knows */
  params: SearchParams;
  hash: string;
  /** Puts these in place of the ones it has; `push` leaves a step for the Back button. */
  change(params: SearchParams, options?: { push?: boolean; hash?: string | undefined }): void;
}

/** What stands behind the question mark. */
export const useSearchParams = (): SearchParams => useSearch({ strict: false });

/**
 * For `search` of links and navigation: these parameters and no others, but for the store, which the router keeps. The router wants
 * either a type of each screen's parameters, which would have to know every screen, or a function.
 */
export const withParams = (params: SearchParams) => (): object => params;

interface ParamsLinkProps extends Omit<ComponentProps<"a">, "href"> {
  to: string;
  params: SearchParams;
}

/** A link with parameters; Mantine draws it as a button or an anchor by `component={ParamsLink}`. */
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
