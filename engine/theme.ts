import { blackOrWhiteOn, blendOver, contrastRatio, mixed, readable, readableOn } from "./contrast.ts";
import type { Theme } from "./document.ts";

/** What a theme comes to on a screen: the lint looks at the same colours that the player draws. */

/** Schemes that a screen can be drawn in; a theme without one is light, since most shops' pages are. */
export type DrawnScheme = "light" | "dark";

/** A draft's may be none of the three: it is drawn light, as without one. */
export const schemesOf = ({ scheme }: Theme): readonly DrawnScheme[] =>
  scheme === "auto" ? ["light", "dark"] : [scheme === "dark" ? "dark" : "light"];

interface Palette {
  background: string;
  /** of cards, options and fields */
  surface: string;
  text: string;
  /** of buttons, links and whatever is chosen */
  accent: string;
}

const own: Readonly<Record<DrawnScheme, Omit<Palette, "surface">>> = {
  light: { background: "#ffffff", text: "#18181b", accent: "#1d4ed8" },
  dark: { background: "#18181b", text: "#f4f4f5", accent: "#93b4fd" },
};

/** How much of the text's colour is in a surface that nobody chose. */
const surfaceShare = 0.05;

/**
 * The theme's colours, opaque. What it leaves out is the scheme's own, as near to that as reads well on what it gives:
 * a shop that only makes its background blue gets a text that is read on blue.
 */
export function paletteOf(theme: Theme, scheme: DrawnScheme): Palette {
  const fallback = own[scheme];
  const background = blendOver(theme.background ?? fallback.background, fallback.background);
  const text = blendOver(theme.text ?? readableOn(fallback.text, background), background);
  const tinted = mixed(background, text, surfaceShare);
  const ownSurface = contrastRatio(text, tinted) >= readable ? tinted : background;
  const surface = blendOver(theme.surface ?? ownSurface, background);
  const accent = blendOver(theme.accent ?? readableOn(fallback.accent, background), background);
  return { background, surface, text, accent };
}

/** Which colours of a palette are drawn as text, and on what. A button's text is black or white, and always reads. */
export const drawnPairs = [
  { text: "text", on: "background" },
  { text: "text", on: "surface" },
  { text: "accent", on: "background" },
] as const satisfies readonly { text: keyof Palette; on: keyof Palette }[];

export interface DrawnColours extends Palette {
  /** of text on a surface */
  surfaceText: string;
  /** of text on the accent */
  accentText: string;
  /** of links on the background */
  link: string;
}

/** A palette with every text made to read on what it stands on [quiz-documents.contrast]. */
export function drawnColours(theme: Theme, scheme: DrawnScheme): DrawnColours {
  const { background, surface, text, accent } = paletteOf(theme, scheme);
  return {
    background,
    surface,
    accent,
    text: readableOn(text, background),
    surfaceText: readableOn(text, surface),
    accentText: blackOrWhiteOn(accent),
    link: readableOn(accent, background),
  };
}
