import type { Config } from "../../platform/config.ts";
import { buildFolders, listBuilds } from "../../player/builds.ts";
import { hashOfSources } from "../../player/sources.ts";
import { ok, type Seen, warn } from "./findings.ts";

/** What shoppers' browsers are to be sent. */
export async function lookAtPlayer(checkout: string, { dataDir }: Pick<Config, "dataDir">): Promise<Seen> {
  const [hash, builds] = await Promise.all([hashOfSources(checkout), listBuilds(buildFolders(checkout, dataDir))]);
  const current = builds.find(({ manifest }) => hash === null || manifest.sources === hash);
  if (current) return ok(`built in ${current.folder}`);
  if (hash === null) {
    return warn(
      "the player is not built, and its sources are not here: no quiz is shown",
      "take the whole checkout, or an image: both bring the player along",
    );
  }
  return warn(
    builds.length > 0 ? "the player was built from other sources than are here" : "the player is not built yet",
    "quizstore start and serve build it; npm run build does it before they do",
  );
}
