import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contrastRatio } from "../../engine/contrast.ts";
import { isDark, themeVariables } from "./theme.ts";

/** Which colours of the style sheet are text, and on what; the last two bound fields and marks. */
const pairs: [text: string, on: string, least: number][] = [
  ["--text", "--background", 4.5],
  ["--muted", "--background", 4.5],
  ["--link", "--background", 4.5],
  ["--alarm", "--background", 4.5],
  ["--surface-text", "--surface", 4.5],
  ["--surface-muted", "--surface", 4.5],
  ["--surface-link", "--surface", 4.5],
  ["--surface-alarm", "--surface", 4.5],
  ["--chosen-text", "--chosen", 4.5],
  ["--accent-text", "--accent", 4.5],
  ["--accent-text", "--accent-hover", 4.5],
  ["--edge", "--surface", 3],
  ["--mark", "--surface", 3],
];

const colour = fc.option(fc.integer({ min: 0, max: 0xffffff }).map((code) => `#${code.toString(16).padStart(6, "0")}`));

describe("a theme", () => {
  it("reads at 4.5 to 1 and better, whatever colours a document asks for [player.contrast]", () => {
    fc.assert(
      fc.property(
        fc.record({ accent: colour, background: colour, surface: colour, text: colour }),
        fc.boolean(),
        (theme, dark) => {
          const variables = themeVariables(theme, dark);
          for (const [text, on, least] of pairs) {
            const ratio = contrastRatio(variables[text] ?? "", variables[on] ?? "");
            expect(ratio, `${text} ${variables[text]} on ${on} ${variables[on]}`).toBeGreaterThanOrEqual(least);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("keeps colours that read well [player.contrast]", () => {
    const theme = { accent: "#0b5c4a", background: "#fdfaf5", surface: "#ffffff", text: "#222222" };
    expect(themeVariables(theme, false)).toMatchObject({
      "--accent": "#0b5c4a",
      "--link": "#0b5c4a",
      "--background": "#fdfaf5",
      "--surface": "#ffffff",
      "--text": "#222222",
    });
  });

  it("tells the browser's own controls whether it is light or dark [player.theme]", () => {
    expect(themeVariables({ background: "#101418" }, false)["--scheme"]).toBe("dark");
    expect(themeVariables({ background: "#ffffff" }, true)["--scheme"]).toBe("light");
  });

  it("is dark where it says so, or where it leaves it to the shopper, who wants it so [player.theme]", () => {
    expect([isDark({ scheme: "dark" }, false), isDark({ scheme: "auto" }, true)]).toEqual([true, true]);
    expect([isDark({}, true), isDark({ scheme: "light" }, true), isDark({ scheme: "auto" }, false)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("sets radius, width and font [player.theme]", () => {
    expect(themeVariables({ radius: 0, width: 900, font: "Georgia, serif" }, false)).toMatchObject({
      "--radius": "0px",
      "--width": "900px",
      "--font": "Georgia, serif",
    });
  });
});
