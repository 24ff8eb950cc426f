import { QueryClient } from "@tanstack/react-query";
import { forgetForms } from "../ui/kept-values.ts";
import { problemOf } from "./problems.ts";
import { tabStorage } from "./storage.ts";

/** One for each store, so that no figure of one is ever shown in another. */
const clients = new Map<string, QueryClient>();

const newClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        // the API's client has tried again already
        retry: (failures, error) => failures < 1 && problemOf(error).passing,
        retryDelay: 1_000,
        // offline is told as what it is, rather than by waiting without a word
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });

export function queryClientFor(storeId: string): QueryClient {
  const known = clients.get(storeId) ?? newClient();
  clients.set(storeId, known);
  return known;
}

/** Whoever signs in next sees nothing of whoever was here. */
export function forgetEverything(): void {
  for (const client of clients.values()) client.clear();
  clients.clear();
  forgetForms(tabStorage);
}

/** Of the person, not of a store. */
export const personQueries = newClient();

/** What failed and is on the screen, as while nobody was signed in. */
export function askFailedAgain(): void {
  for (const client of [personQueries, ...clients.values()])
    void client.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
}
