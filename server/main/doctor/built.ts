import type { Config } from "../../platform/config.ts";
import { buildFolders, listBuilds } from "../../web/builds.ts";
import { hashOfSources } from "../../web/sources.ts";
import type { Target } from "../../web/targets.ts";
import { ok, type Seen, warn } from "./findings.ts";

const missed: Readonly<Record<Target["name"], string>> = {
  player: "no quiz is shown",
  dashboard: "the dashboard cannot be opened",
};

/** Checks the files that are sent to browsers. */
export async function inspectBuilt(
  target: Target,
  checkout: string,
  { dataDir }: Pick<Config, "dataDir">,
): Promise<Seen> {
  const [hash, builds] = await Promise.all([
    hashOfSources(checkout, target),
    listBuilds(buildFolders(target, checkout, dataDir)),
  ]);
  const { name } = target;
  const current = builds.find(({ manifest }) => hash === null || manifest.sources === hash);
  if (current) return ok(`built in ${current.folder}`);
  if (hash === null) {
    return warn(
      `the ${name} is not built, and its sources are not here: ${missed[name]}`,
      "use the whole checkout or an image: both include it",
    );
  }
  return warn(
    builds.length > 0 ? `the ${name} was built from other sources than are here` : `the ${name} is not built yet`,
    "quizstore start and serve build it; npm run build does it before they do",
  );
}
