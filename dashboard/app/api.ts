import { createContext, useContext } from "react";
import { type Client, createClient, type Fetch, ProblemError } from "../../client/src/index.ts";

/** How screens ask the API: by the client that is published, with the cookie and the store. */

type Look = () => unknown;
const looks = new Set<Look>();

/**
 * A refused request may say that the session ended elsewhere; or it went out just before a new cookie came in. Whoever
 * listens asks. @returns how to stop listening
 */
export function onRefused(look: Look): () => void {
  looks.add(look);
  return () => void looks.delete(look);
}

const watched: Fetch = async (url, init) => {
  const answer = await fetch(url, init);
  if (answer.status === 401) for (const look of looks) look();
  return answer;
};

/** @param storeId null: for what concerns a person and no store */
export const apiFor = (storeId: string | null, { isWatched = true } = {}): Client =>
  createClient({
    baseUrl: `${location.origin}/dashboard/api`,
    credentials: "same-origin",
    headers: (): Record<string, string> => (storeId === null ? {} : { "Quizstore-Store": storeId }),
    // somebody waits in front of the screen: what is away for longer is said, with a button to try again
    retries: 1,
    ...(isWatched && { fetch: watched }),
  });

/** For what concerns a person and no store. */
export const personApi = apiFor(null);

export const ApiContext = createContext<Client | null>(null);

/** Bound to the store that is being looked at. */
export function useApi(): Client {
  const api = useContext(ApiContext);
  if (api === null) throw new Error("there is no API here");
  return api;
}

export const isProblem = (error: unknown, title: string): boolean =>
  error instanceof ProblemError && error.title === title;
