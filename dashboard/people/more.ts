/** Paged lists. */

/** What `DataTable` needs of an infinite query. */
export type More = { load: () => void; isLoading: boolean } | undefined;

interface Endless {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

export const moreOf = ({ hasNextPage, isFetchingNextPage, fetchNextPage }: Endless): More =>
  hasNextPage ? { load: () => void fetchNextPage(), isLoading: isFetchingNextPage } : undefined;

/**
 * Ms until a self-updating list is fetched again; false: it failed to load. Each refresh fetches all open pages, so ten
 * pages are refreshed a tenth as often.
 */
export const lookAgain = (pages: readonly unknown[] | undefined, milliseconds: number): number | false =>
  pages === undefined ? false : milliseconds * Math.max(pages.length, 1);
