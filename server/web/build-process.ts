import { join } from "node:path";
import { buildTarget } from "./build.ts";
import { buildFolders, listBuilds } from "./builds.ts";
import { hashOfSources } from "./sources.ts";
import { type Target, targetOf, targets } from "./targets.ts";

/**
 * `npm run build`, which a server also starts if the current sources have not been built: builds each target unless its
 * build exists. Usage: `build-process.ts [checkout target [folder...]]`: the checkout, the target's name, and the
 * folders to build into, of which the first writable one is used.
 */

const [checkout = join(import.meta.dirname, "../.."), targetName, ...folderArgs] = process.argv.slice(2);

for (const target of targetName === undefined ? targets : [targetOf(targetName)]) await make(target);

async function make(target: Target): Promise<void> {
  const folders =
    folderArgs.length > 0 ? folderArgs : buildFolders(target, checkout, join(checkout, "data")).slice(0, 1);
  const hash = await hashOfSources(checkout, target);
  const known = (await listBuilds(folders)).find(({ manifest }) => manifest.sources === hash);
  const { folder, manifest } = known ?? (await buildTarget(checkout, target, folders));
  const kilobytes = manifest.files.reduce((sum, { gzip }) => sum + gzip, 0) / 1024;
  const outcome = known ? `The ${target.name} is built already` : `Built the ${target.name}`;
  process.stdout.write(`${outcome}: ${folder}, ${manifest.files.length} files, ${kilobytes.toFixed(1)} KB in gzip\n`);
}
