import { backdrop, fern, type Palette, picture, square } from "./shapes.ts";
import { vessels } from "./vessels.ts";

/** Pictures of the demo shop's products, by their handles in its catalog. */

interface Look {
  vessel: keyof typeof vessels;
  palette: Palette;
}

const look = (vessel: Look["vessel"], pale: string, main: string, deep: string): Look => ({
  vessel,
  palette: { pale, main, deep },
});

const looks: Readonly<Record<string, Look>> = {
  "oat-milk-cleanser": look("pump", "#f7efe0", "#e3cda4", "#8a6a3b"),
  "green-tea-gel-cleanser": look("pump", "#eaf3e2", "#a8c98d", "#3f6a36"),
  "camellia-cleansing-balm": look("openJar", "#fae9e8", "#e8a8a4", "#9a4550"),
  "cucumber-micellar-water": look("flask", "#eaf5ea", "#b5dcb7", "#3d7a52"),
  "damask-rose-toning-mist": look("mist", "#fbe9ee", "#eeb0c0", "#a1455f"),
  "willow-bark-clarifying-toner": look("flask", "#f0efe0", "#c4bd8c", "#6a6330"),
  "deep-dew-hyaluronic-serum": look("dropper", "#e6f1f8", "#9cc7e2", "#2d5f86"),
  "clear-balance-niacinamide-serum": look("dropper", "#e3f3f1", "#93cfc6", "#23695f"),
  "morning-light-vitamin-c-serum": look("dropper", "#fdf0dc", "#f3bd6c", "#a35f12"),
  "night-fern-bakuchiol-serum": look("dropper", "#eeeaf6", "#b3a3d6", "#54407f"),
  "quiet-skin-centella-ampoule": look("dropper", "#e9f4e6", "#a3cd9a", "#33683a"),
  "olive-squalane-face-oil": look("dropper", "#f5f1da", "#d5c469", "#7a6a14"),
  "featherlight-gel-cream": look("jar", "#e8f3f7", "#b4d9e6", "#336c80"),
  "ceramide-barrier-cream": look("jar", "#f8efe6", "#ecd3b9", "#8d6240"),
  "firm-ground-peptide-cream": look("jar", "#f4ebf2", "#d3aecb", "#74456b"),
  "bright-start-eye-cream": look("smallTube", "#fdeee2", "#f2b78f", "#9c5424"),
  "rhassoul-clay-mask": look("openJar", "#f6e8df", "#c98f70", "#7b4327"),
  "overnight-fern-sleep-mask": look("openJar", "#e2ebe9", "#6f9c93", "#204a44"),
  "daily-shade-mineral-fluid-spf-50": look("tube", "#fff5d9", "#f6cf65", "#9a6d06"),
  "go-anywhere-sun-stick-spf-50": look("stick", "#fff0e0", "#f7a96b", "#a8501a"),
  "beeswax-and-mint-lip-balm": look("tin", "#fbf3d9", "#eac75c", "#80620f"),
  "fig-and-cedar-body-oil": look("flask", "#f2e9ee", "#b98aa6", "#653a55"),
  "neroli-hand-cream": look("tube", "#fdf1e6", "#f5c79d", "#a25a22"),
  "eucalyptus-bath-salts": look("pouch", "#e6f1ee", "#9fc9bf", "#2c6459"),
  "fern-hollow-candle": look("candle", "#e8efe4", "#86a97c", "#2f5230"),
  "carry-on-routine-kit": look("bag", "#edf1e8", "#a9bd98", "#4a6238"),
  "gift-card": look("card", "#e9f1ea", "#5f9474", "#234a36"),
  "waffle-spa-headband": look("headband", "#fbeef0", "#eebcc3", "#99505d"),
};

export const picturedHandles: readonly string[] = Object.keys(looks);

/** null: the shop has no such product. */
export function productPicture(handle: string, title: string): string | null {
  const found = Object.hasOwn(looks, handle) ? looks[handle] : undefined;
  if (found === undefined) return null;
  const { vessel, palette } = found;
  // the leaves behind each product are turned a little differently, but always the same way for the same product
  const turn = [...handle].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 97, 7) / 97;
  const behind = [
    fern({ x: 96, y: 352, turn: -34 + turn * 26, scale: 1.15 }, palette.deep, 0.16),
    fern({ x: 318, y: 356, turn: 14 + turn * 26, scale: 1.3 }, palette.deep, 0.14),
  ].join("");
  return picture(title, square, `${backdrop(square, palette)}${behind}${vessels[vessel](palette)}`);
}
