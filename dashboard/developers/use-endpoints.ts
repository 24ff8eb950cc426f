import { useQuery } from "@tanstack/react-query";
import { listWebhooks } from "../../client/src/index.ts";
import { getWebhookHealth } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { polled } from "../app/polling.ts";

/** A store has at most 25 endpoints, so one page holds them all. */
export function useEndpoints() {
  const api = useApi();
  return useQuery({
    queryKey: ["endpoints"],
    queryFn: async ({ signal }) => (await listWebhooks(api, { query: { limit: 100 } }, { signal })).data,
  });
}

export function useHealth() {
  const api = useApi();
  return useQuery({
    queryKey: ["endpoints", "health"],
    queryFn: async ({ signal }) => (await getWebhookHealth(api, { signal })).data,
    refetchInterval: (query) => polled(query, 10_000),
  });
}
