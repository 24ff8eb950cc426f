import { createClient } from "@quizstore/client";

/**
 * What every recipe shares: the client, with a key from the environment.
 *
 *   export QUIZSTORE_URL=http://localhost:8080 QUIZSTORE_KEY=svc_live_...
 */

export const client = createClient({
  baseUrl: process.env.QUIZSTORE_URL ?? "http://localhost:8080",
  apiKey: process.env.QUIZSTORE_KEY ?? "",
});
