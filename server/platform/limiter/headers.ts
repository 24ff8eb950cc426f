import { remaining, resetSeconds, windowSeconds } from "./bucket.ts";
import type { BucketState } from "./types.ts";

/** The two headers of every rate-limited answer, for the given bucket [api.rate-headers]. */
export const rateLimitHeaders = (state: BucketState): { RateLimit: string; "RateLimit-Policy": string } => ({
  RateLimit: `limit=${state.capacity}, remaining=${remaining(state)}, reset=${resetSeconds(state)}`,
  "RateLimit-Policy": `${state.capacity};w=${windowSeconds(state)}`,
});
