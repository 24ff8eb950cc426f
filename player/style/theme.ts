import { blackOrWhiteOn, mixed, readableOn } from "../../engine/contrast.ts";
import type { Theme } from "../../engine/document.ts";
import { drawnColours } from "../../engine/theme.ts";

/** How far a boundary of a field stands out from what is around it (WCAG 2.2, 1.4.11). */
const boundary = 3;

/**
 * A theme as custom properties of the style sheet. Every text reads on what it stands on at 4.5 to 1 or better, whatever
 * colours the document asks for [player.contrast].
 */
export function themeVariables(theme: Theme, dark: boolean): Record<string, string> {
  const colours = drawnColours(theme, dark ? "dark" : "light");
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
    // away from its text, so that this reads better still
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

/** Which of the two a scheme is drawn in. */
export const isDark = ({ scheme }: Theme, prefersDark: boolean): boolean =>
  scheme === "dark" || (scheme === "auto" && prefersDark);
