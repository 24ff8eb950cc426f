import { QueryClient } from "@tanstack/react-query";
import { forgetForms } from "../ui/kept-values.ts";
import { problemOf } from "./problems.ts";
import { tabStorage } from "./storage.ts";

/** One query client per store, so that figures of one store never show in another. */
const clients = new Map<string, QueryClient>();

const newClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        // the API's client has already retried
        retry: (failures, error) => failures < 1 && problemOf(error).passing,
        retryDelay: 1_000,
        // report being offline instead of waiting silently
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

/** The next person to sign in must see nothing of the previous one. */
export function forgetEverything(): void {
  for (const client of clients.values()) client.clear();
  clients.clear();
  forgetForms(tabStorage);
}

/** For queries about the person, not about a store. */
export const personQueries = newClient();

/** Refetches the failed queries that are on the screen, such as those that failed while nobody was signed in. */
export function askFailedAgain(): void {
  for (const client of [personQueries, ...clients.values()])
    void client.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
}
