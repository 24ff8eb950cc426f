import { demoCatalog } from "../../catalog.ts";
import { optionPicture } from "./options.ts";
import { productPicture } from "./products.ts";
import { scenePicture } from "./scenes.ts";
import { leaf, picture, rect } from "./shapes.ts";

/**
 * Every picture of the demo, drawn on request [demo.pictures]. The demo's documents and products place them at a host
 * that does not exist (`pictureHost`), since a document needs absolute addresses; whoever serves the demo replaces that
 * host (addresses.ts).
 */

const titles = new Map(demoCatalog.map(({ handle, title }) => [handle, title]));

/** The shop's logo, used as the icon of its pages. */
const icon = (): string =>
  picture(
    "Lumen & Fern",
    { width: 64, height: 64 },
    rect([0, 0, 64, 64, 14], "#2b6449") + leaf({ x: 32, y: 56, scale: 0.48 }, "#e9f2e8", "#2b6449"),
  );

/** SVG by its path below the host, such as `products/gift-card.svg`; null: it does not exist. */
export function demoPicture(path: string): string | null {
  if (path === "icon.svg") return icon();
  const [, folder, name = ""] = /^(products|quiz)\/([a-z0-9-]{1,80})\.svg$/.exec(path) ?? [];
  if (folder === "products") return productPicture(name, titles.get(name) ?? "");
  if (folder === "quiz") return optionPicture(name) ?? scenePicture(name);
  return null;
}
