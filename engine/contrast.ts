/**
 * Contrast of colours by WCAG 2.2, and the nearest colour with enough contrast. The lint warns about contrast, and the
 * player corrects it [quiz-documents.contrast].
 */

/** The contrast that text needs with its background (WCAG 2.2, 1.4.3). */
export const readable = 4.5;

/** Red, green and blue from 0 to 255, and opacity from 0 to 1. */
type Colour = readonly [red: number, green: number, blue: number, cover: number];

const black: Colour = [0, 0, 0, 1];
const white: Colour = [255, 255, 255, 1];

/** `#rgb`, `#rrggbb` or `#rrggbbaa`. */
export const isColour = (text: string): boolean => /^#([\da-f]{3}|[\da-f]{6}|[\da-f]{8})$/i.test(text);

function read(text: string): Colour | null {
  if (!isColour(text)) return null;
  const digits = text.length === 4 ? text.replace(/[^#]/g, "$&$&") : text;
  const at = (index: number): number => Number.parseInt(digits.slice(index, index + 2), 16);
  return [at(1), at(3), at(5), digits.length === 9 ? at(7) / 255 : 1];
}

const written = ([red, green, blue]: Colour): string =>
  `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** Interpolates between two colours; `share` is 0 to 1. */
function between(from: Colour, to: Colour, share: number): Colour {
  const part = (index: 0 | 1 | 2): number => Math.round(from[index] + (to[index] - from[index]) * share);
  return [part(0), part(1), part(2), 1];
}

/** Relative luminance. */
function luminance([red, green, blue]: Colour): number {
  const linear = (part: number): number =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function ratioOf(a: Colour, b: Colour): number {
  const [first, second] = [luminance(a), luminance(b)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

/** A colour drawn over another one, which is treated as opaque; the colour itself if either is invalid. */
export function blendOver(colour: string, below: string): string {
  const [upper, lower] = [read(colour), read(below)];
  return upper === null || lower === null ? colour : written(between(lower, upper, upper[3]));
}

/** Mixes two colours by a share from 0 to 1: `mixed("#fff", "#000", 0.1)` is a light grey. */
export function mixed(from: string, to: string, share: number): string {
  const [start, end] = [read(from), read(to)];
  return start === null || end === null ? from : written(between(start, end, share));
}

/** The contrast of a colour on a background, from 1 (the same) to 21 (black and white). NaN if either is invalid. */
export function contrastRatio(colour: string, background: string): number {
  const [upper, lower] = [read(blendOver(colour, background)), read(background)];
  return upper === null || lower === null ? Number.NaN : ratioOf(upper, lower);
}

/**
 * The colour itself if it is readable on the background, else the nearest readable colour on its way to black or to
 * white, so that the hue stays. One of the two is always readable: no background is close to both.
 */
export function readableOn(colour: string, background: string, ratio = readable): string {
  const [upper, lower] = [read(blendOver(colour, background)), read(background)];
  if (upper === null || lower === null || ratioOf(upper, lower) >= ratio) return colour;
  const found = [black, white].flatMap((end) => firstOnTheWay(upper, end, (on) => ratioOf(on, lower) >= ratio) ?? []);
  const [nearest] = found.sort((a, b) => distance(a.colour, upper) - distance(b.colour, upper));
  return nearest === undefined ? blackOrWhiteOn(background) : written(nearest.colour);
}

/** Black or white, whichever has more contrast; never below 4.58. */
export function blackOrWhiteOn(background: string): string {
  return contrastRatio("#ffffff", background) >= contrastRatio("#000000", background) ? "#ffffff" : "#000000";
}

function firstOnTheWay(from: Colour, to: Colour, holds: (on: Colour) => boolean): { colour: Colour } | null {
  for (let step = 1; step <= 255; step += 1) {
    const colour = between(from, to, step / 255);
    if (holds(colour)) return { colour };
  }
  return null;
}

const distance = (a: Colour, b: Colour): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
