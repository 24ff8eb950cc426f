import { join } from "node:path";
import { buildPlayer } from "./build.ts";
import { buildFolders, listBuilds } from "./builds.ts";
import { hashOfSources } from "./sources.ts";

/**
 * `npm run build`, and what a server starts where what is built is not of the sources that are there: builds the player
 * unless that is done already. `build-process.ts [checkout [folder...]]`: whose player, and the folders to build into, of
 * which the first is taken that can be written.
 */

const [checkout = join(import.meta.dirname, "../.."), ...given] = process.argv.slice(2);
const folders = given.length > 0 ? given : buildFolders(checkout, join(checkout, "data")).slice(0, 1);

const hash = await hashOfSources(checkout);
const known = (await listBuilds(folders)).find(({ manifest }) => manifest.sources === hash);
const { folder, manifest } = known ?? (await buildPlayer(checkout, folders));
const kilobytes = manifest.files.reduce((sum, { gzip }) => sum + gzip, 0) / 1024;
process.stdout.write(
  `${known ? "The player is built already" : "Built the player"}: ${folder}, ${manifest.files.length} files, ${kilobytes.toFixed(1)} KB in gzip\n`,
);
