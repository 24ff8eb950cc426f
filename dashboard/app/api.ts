import { createContext, useContext } from "react";
import { type Client, createClient, type Fetch, ProblemError } from "../../client/src/index.ts";

/** How screens call the API: through the published client, with the session cookie and the store. */

type Listener = () => unknown;
const listeners = new Set<Listener>();

/**
 * Registers a listener for requests refused with 401 or 403. The session may have ended elsewhere, or the request went out
 * just before a new cookie arrived; the listener has to find out. @returns a function that stops listening
 */
export function onRefused(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const watched: Fetch = async (url, init) => {
  const answer = await fetch(url, init);
  // 403: the role may have changed, which the frame and the other screens should know too
  if (answer.status === 401 || answer.status === 403) for (const listener of listeners) listener();
  return answer;
};

/** @param storeId null: for requests about a person, not a store */
export const apiFor = (storeId: string | null, { isWatched = true } = {}): Client =>
  createClient({
    baseUrl: `${location.origin}/dashboard/api`,
    credentials: "same-origin",
    headers: (): Record<string, string> => (storeId === null ? {} : { "Quizstore-Store": storeId }),
    // somebody is waiting: a longer outage is shown, with a button to try again
    retries: 1,
    ...(isWatched && { fetch: watched }),
  });

/** For requests about the person, not about a store. */
export const personApi = apiFor(null);

export const ApiContext = createContext<Client | null>(null);

/** The client for the store that is being viewed. */
export function useApi(): Client {
  const api = useContext(ApiContext);
  if (api === null) throw new Error("there is no API here");
  return api;
}

export const isProblem = (error: unknown, title: string): boolean =>
  error instanceof ProblemError && error.title === title;
