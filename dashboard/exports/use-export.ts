import { useQuery } from "@tanstack/react-query";
import { type Client, type Export, getExport } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";
import { polled } from "../app/polling.ts";
import { isUnfinished } from "./export-words.ts";

const lookEvery = 1_000;

/** One export, polled until it ends. */
export function useExport(id: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: ["export", id],
    enabled: id !== null,
    queryFn: ({ signal }) => getExport(api, { path: { export_id: id ?? "" } }, { signal }),
    refetchInterval: (query) =>
      polled(query, query.state.data !== undefined && isUnfinished(query.state.data) ? lookEvery : false),
  });
}

/** A link is valid for an hour and for one file, so a new one is requested on each click. */
export async function download(api: Client, id: string): Promise<Export> {
  const file = await getExport(api, { path: { export_id: id } });
  if (file.download_url !== undefined) window.location.assign(file.download_url);
  return file;
}
