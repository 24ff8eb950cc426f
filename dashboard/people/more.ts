/** Lists that come in pages. */

/** What `DataTable` takes of an infinite query. */
export type More = { load: () => void; isLoading: boolean } | undefined;

interface Endless {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

export const moreOf = ({ hasNextPage, isFetchingNextPage, fetchNextPage }: Endless): More =>
  hasNextPage ? { load: () => void fetchNextPage(), isLoading: isFetchingNextPage } : undefined;

/**
 * How long until a list that follows by itself is asked for again; false: it was not there. Each look asks for
 * every page that is open, so that ten pages are looked at a tenth as often.
 */
export const lookAgain = (pages: readonly unknown[] | undefined, milliseconds: number): number | false =>
  pages === undefined ? false : milliseconds * Math.max(pages.length, 1);
