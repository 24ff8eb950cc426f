import { blackOrWhiteOn, mixed, readableOn } from "./contrast.ts";
import type { Theme } from "./document.ts";
import { type DrawnScheme, drawnColours, schemesOf } from "./theme.ts";

/** Custom properties for the player's style sheet, by colour scheme. */
export type Looks = Partial<Record<DrawnScheme, Readonly<Record<string, string>>>>;

/**
 * A theme's colours as the player draws them, computed once by the server: shoppers download a few colours instead of
 * the code that computes them, and their browsers draw sooner [player.theme].
 */
export const looksOf = (theme: Theme): Looks =>
  Object.fromEntries(schemesOf(theme).map((scheme) => [scheme, themeVariables(theme, scheme)]));

/** The contrast of a field's border with its surroundings (WCAG 2.2, 1.4.11). */
const boundary = 3;

/**
 * A theme as custom properties of the style sheet [player.accessible]. Every text has a contrast of 4.5 to 1 or better
 * with its background, whatever colours the document asks for [player.contrast].
 */
function themeVariables(theme: Theme, scheme: DrawnScheme): Record<string, string> {
  const colours = drawnColours(theme, scheme);
  const { background, surface, text, surfaceText, accent, accentText, link } = colours;
  const chosen = mixed(surface, accent, 0.1);
  const onDark = blackOrWhiteOn(background) === "#ffffff";
  const alarm = onDark ? "#ffb4ab" : "#b3261e";
  return {
    "--scheme": onDark ? "dark" : "light",
    "--background": background,
    "--surface": surface,
    "--text": text,
    "--surface-text": surfaceText,
    "--accent": accent,
    // mixed away from its text's colour, so that the contrast increases
    "--accent-hover": mixed(accent, blackOrWhiteOn(accentText), 0.14),
    "--accent-text": accentText,
    "--link": link,
    "--surface-link": readableOn(accent, surface),
    "--mark": readableOn(accent, surface, boundary),
    "--muted": readableOn(mixed(text, background, 0.32), background),
    "--surface-muted": readableOn(mixed(surfaceText, surface, 0.32), surface),
    "--chosen": chosen,
    "--chosen-text": readableOn(surfaceText, chosen),
    "--line": mixed(surface, surfaceText, 0.14),
    "--edge": readableOn(mixed(surface, surfaceText, 0.4), surface, boundary),
    "--track": mixed(background, text, 0.14),
    "--alarm": readableOn(alarm, background),
    "--surface-alarm": readableOn(alarm, surface),
    "--radius": `${theme.radius ?? 12}px`,
    "--width": `${theme.width ?? 680}px`,
    "--font": theme.font ?? "inherit",
  };
}
