import { blackOrWhiteOn, blendOver, contrastRatio, mixed, readable, readableOn } from "./contrast.ts";
import type { Theme } from "./document.ts";

/** The colours that a theme results in: the lint checks the same colours that the player draws. */

/** Schemes that a screen can be drawn in; without one a theme is light, like most shops' pages. */
export type DrawnScheme = "light" | "dark";

/** A draft may contain another value: it is drawn light, as without one. */
export const schemesOf = ({ scheme }: Theme): readonly DrawnScheme[] =>
  scheme === "auto" ? ["light", "dark"] : [scheme === "dark" ? "dark" : "light"];

interface Palette {
  background: string;
  /** for cards, options and fields */
  surface: string;
  text: string;
  /** for buttons, links and chosen options */
  accent: string;
}

const own: Readonly<Record<DrawnScheme, Omit<Palette, "surface">>> = {
  light: { background: "#ffffff", text: "#18181b", accent: "#1d4ed8" },
  dark: { background: "#18181b", text: "#f4f4f5", accent: "#93b4fd" },
};

/** The share of the text colour in an unset surface. */
const surfaceShare = 0.05;

/**
 * The theme's colours, opaque. Unset ones come from the scheme, adjusted to be readable with the set ones: a shop that
 * only sets a blue background gets text that is readable on blue.
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

/** The pairs of text and background colours in a palette. A button's text is black or white, and always readable. */
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

/** A palette in which every text is readable on its background [quiz-documents.contrast]. */
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
