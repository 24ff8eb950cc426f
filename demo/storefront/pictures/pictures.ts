import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/**
 * Every picture of the demo, an SVG file below this folder [demo.pictures]. The demo's documents and products place them
 * at a host that does not exist (`pictureHost`), since a document needs absolute addresses; whoever serves the demo
 * replaces that host (addresses.ts).
 */

let pictures: ReadonlyMap<string, string> | undefined;

/** The pictures by their path below the host, such as `products/gift-card.svg`. */
export function demoPictures(): ReadonlyMap<string, string> {
  pictures ??= readPictures(import.meta.dirname);
  return pictures;
}

function readPictures(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { encoding: "utf8", recursive: true }).filter((path) => path.endsWith(".svg"));
  return new Map(paths.sort().map((path) => [path.replaceAll(sep, "/"), readFileSync(join(folder, path), "utf8")]));
}
