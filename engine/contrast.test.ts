import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blackOrWhiteOn, blendOver, contrastRatio, isColour, mixed, readable, readableOn } from "./contrast.ts";
import { drawnColours, drawnPairs, paletteOf, schemesOf } from "./theme.ts";

const hex = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);
const anyColour = fc.oneof(
  hex,
  fc.integer({ min: 0, max: 0xf_ff }).map((value) => `#${value.toString(16).padStart(3, "0")}`),
  fc
    .tuple(hex, fc.integer({ min: 0, max: 255 }))
    .map(([colour, cover]) => colour + cover.toString(16).padStart(2, "0")),
);
const parts = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
const distance = (one: string, other: string): number => {
  const [a, b] = [parts(one), parts(other)];
  return Math.hypot(...a.map((part, index) => part - (b[index] ?? 0)));
};

describe("contrast [quiz-documents.contrast]", () => {
  it("is that of WCAG", () => {
    expect(contrastRatio("#000", "#fff")).toBeCloseTo(21, 10);
    expect(contrastRatio("#fff", "#000000")).toBeCloseTo(21, 10);
    expect(contrastRatio("#123456", "#123456")).toBe(1);
    // the greys that are known to lie on either side of the border
    expect(contrastRatio("#767676", "#ffffff")).toBeCloseTo(4.54, 2);
    expect(contrastRatio("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
    expect(contrastRatio("#ff0000", "#ffffff")).toBeCloseTo(4.0, 2);
    expect(contrastRatio("#0000ff", "#ffffff")).toBeCloseTo(8.59, 2);
    expect(contrastRatio("#ffcc00", "#1a1a1a")).toBeCloseTo(11.54, 1);
  });

  it("counts what shows through", () => {
    expect(blendOver("#00000080", "#ffffff")).toBe("#7f7f7f");
    expect(blendOver("#ff000000", "#123456")).toBe("#123456");
    expect(blendOver("#abc", "#000")).toBe("#aabbcc");
    expect(contrastRatio("#00000000", "#ffffff")).toBe(1);
    expect(mixed("#ffffff", "#000000", 0.1)).toBe("#e6e6e6");
  });

  it("says of no colour that it is none, and leaves it as it is", () => {
    for (const odd of ["", "red", "#12", "#1234", "#12345", "#1234567", "#123456789", "#xyz", " #fff", "#fff\n"]) {
      expect([odd, isColour(odd), readableOn(odd, "#fff"), blendOver(odd, "#fff")]).toEqual([odd, false, odd, odd]);
      expect(contrastRatio(odd, "#fff")).toBeNaN();
    }
  });

  it("leaves what reads, and finds the nearest colour that does for what does not", () => {
    expect(readableOn("#767676", "#ffffff")).toBe("#767676");
    expect(readableOn("#777777", "#ffffff")).toBe("#767676");
    expect(readableOn("#ffffff", "#ffffff")).toBe("#767676");
    expect(readableOn("#000", "#000")).toMatch(/^#([\da-f]{2})\1\1$/);
    fc.assert(
      fc.property(anyColour, hex, (colour, background) => {
        const read = readableOn(colour, background);
        expect(contrastRatio(read, background)).toBeGreaterThanOrEqual(readable);
        if (contrastRatio(colour, background) >= readable) expect(read).toBe(colour);
        else {
          const from = blendOver(colour, background);
          for (const end of ["#000000", "#ffffff"]) {
            for (let step = 0; step <= 255; step += 1) {
              const other = mixed(from, end, step / 255);
              if (distance(other, from) + 1e-9 >= distance(read, from)) continue;
              // a way to black or white that first leads past the background is not taken back
              expect(contrastRatio(other, background)).toBeLessThan(readable);
            }
          }
        }
        expect(contrastRatio(blackOrWhiteOn(background), background)).toBeGreaterThan(4.58);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a theme's colours [quiz-documents.contrast]", () => {
  const theme = fc.record(
    { accent: anyColour, background: anyColour, surface: anyColour, text: anyColour },
    { requiredKeys: [] },
  );

  it("are as given, opaque, and every text that is drawn reads", () => {
    fc.assert(
      fc.property(theme, fc.constantFrom("light" as const, "dark" as const), (given, scheme) => {
        const drawn = drawnColours(given, scheme);
        for (const colour of Object.values(drawn)) expect(colour).toMatch(/^#[\da-f]{3}([\da-f]{3})?$/i);
        const reads = (colour: string, on: string) =>
          expect(contrastRatio(colour, on)).toBeGreaterThanOrEqual(readable);
        reads(drawn.text, drawn.background);
        reads(drawn.surfaceText, drawn.surface);
        reads(drawn.accentText, drawn.accent);
        reads(drawn.link, drawn.background);
        expect(drawn.accent).toBe(given.accent ? blendOver(given.accent, drawn.background) : drawn.accent);
      }),
    );
  });

  it("that the theme leaves out read on those that it gives, without a change", () => {
    fc.assert(
      fc.property(hex, fc.constantFrom("light" as const, "dark" as const), (background, scheme) => {
        const palette = paletteOf({ background }, scheme);
        for (const { text, on } of drawnPairs) {
          expect(contrastRatio(palette[text], palette[on])).toBeGreaterThanOrEqual(readable);
        }
      }),
    );
    expect([schemesOf({}), schemesOf({ scheme: "auto" })]).toEqual([["light"], ["light", "dark"]]);
  });
});
