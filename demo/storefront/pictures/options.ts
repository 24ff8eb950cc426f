import { giftDrawings as gift } from "./gift-drawings.ts";
import { backdrop, type Palette, picture, square } from "./shapes.ts";
import { skinDrawings as skin } from "./skin-drawings.ts";

/** Pictures of the options in the demo's quizzes, by the names that their documents use. */

interface Option {
  /** a description of the picture */
  shows: string;
  palette: Palette;
  draw: (palette: Palette) => string;
}

const green: Palette = { pale: "#e9f2e8", main: "#9cc2a0", deep: "#2f6048" };
const rose: Palette = { pale: "#fbeaee", main: "#ecaebc", deep: "#9c4460" };
const amber: Palette = { pale: "#fdf1dd", main: "#f2c27c", deep: "#8f5a16" };
const sky: Palette = { pale: "#e7f1f7", main: "#a6cbe0", deep: "#2f5f80" };
const plum: Palette = { pale: "#f0ebf5", main: "#bda9d2", deep: "#56407a" };

const options: Readonly<Record<string, Option>> = {
  "recipient-partner": { shows: "Two cups and a heart", palette: rose, draw: gift.twoCups },
  "recipient-parent": { shows: "An armchair with a cushion", palette: green, draw: gift.armchair },
  "recipient-friend": { shows: "Three balloons", palette: amber, draw: gift.balloons },
  "recipient-colleague": { shows: "A desk with a lamp and a laptop", palette: sky, draw: gift.desk },
  "recipient-me": { shows: "A bath full of foam", palette: plum, draw: gift.bath },
  "scent-rose": { shows: "A rose", palette: rose, draw: gift.blossom },
  "scent-cedar": { shows: "A cedar and a fig", palette: green, draw: gift.cedar },
  "scent-mint": { shows: "A sprig of mint", palette: green, draw: gift.mint },
  "scent-grapefruit": { shows: "Half a grapefruit", palette: amber, draw: gift.grapefruit },
  "breakout-forehead": { shows: "A face with marks on forehead and nose", palette: green, draw: skin.forehead },
  "breakout-jaw": { shows: "A face with marks along jaw and chin", palette: rose, draw: skin.jaw },
  "breakout-cheeks": { shows: "A face with marks on both cheeks", palette: amber, draw: skin.cheeks },
  "breakout-back": { shows: "A neck and shoulders with marks", palette: sky, draw: skin.neck },
  "texture-gel": { shows: "A drop of clear gel", palette: sky, draw: skin.gel },
  "texture-cream": { shows: "A swirl of cream", palette: rose, draw: skin.cream },
  "texture-oil": { shows: "Oil from a dropper", palette: amber, draw: skin.oil },
  "texture-barely": { shows: "A feather", palette: plum, draw: skin.feather },
};

export const optionNames: readonly string[] = Object.keys(options);

/** null: no quiz uses it. */
export function optionPicture(name: string): string | null {
  const found = Object.hasOwn(options, name) ? options[name] : undefined;
  if (found === undefined) return null;
  return picture(found.shows, square, `${backdrop(square, found.palette)}${found.draw(found.palette)}`);
}
