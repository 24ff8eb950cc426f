import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contrastRatio } from "./contrast.ts";
import { looksOf } from "./looks.ts";

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
        fc.constantFrom("light" as const, "dark" as const),
        (theme, scheme) => {
          const variables = looksOf({ ...theme, scheme })[scheme] ?? {};
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
    expect(looksOf(theme).light).toMatchObject({
      "--accent": "#0b5c4a",
      "--link": "#0b5c4a",
      "--background": "#fdfaf5",
      "--surface": "#ffffff",
      "--text": "#222222",
    });
  });

  it("tells the browser's own controls whether it is light or dark [player.theme]", () => {
    expect(looksOf({ background: "#101418" }).light?.["--scheme"]).toBe("dark");
    expect(looksOf({ scheme: "dark", background: "#ffffff" }).dark?.["--scheme"]).toBe("light");
  });

  it("is dark where it says so, or where it leaves it to the shopper, who wants it so [player.theme]", () => {
    expect(Object.keys(looksOf({}))).toEqual(["light"]);
    expect(Object.keys(looksOf({ scheme: "dark" }))).toEqual(["dark"]);
    expect(Object.keys(looksOf({ scheme: "auto" }))).toEqual(["light", "dark"]);
  });

  it("sets radius, width and font [player.theme]", () => {
    expect(looksOf({ radius: 0, width: 900, font: "Georgia, serif" }).light).toMatchObject({
      "--radius": "0px",
      "--width": "900px",
      "--font": "Georgia, serif",
    });
  });
});
