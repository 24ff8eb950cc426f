import { escapeHtml } from "../markup.ts";

/** Building blocks of the demo's pictures: plain SVG text with colours in attributes, without styles or scripts. */

/** The colours of one thing: a pale background, its own colour, and a deep one for shade and print. */
export interface Palette {
  pale: string;
  main: string;
  deep: string;
}

export const ink = "#24352d";
export const paper = "#fffdf7";
export const wood = "#c69a63";

export const rect = (
  [x, y, width, height, radius]: readonly [number, number, number, number, number],
  fill: string,
  more = "",
): string => `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"${more}/>`;

export const oval = ([x, y, rx, ry]: readonly [number, number, number, number], fill: string, more = ""): string =>
  `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}"${more}/>`;

export const path = (d: string, fill: string, more = ""): string => `<path d="${d}" fill="${fill}"${more}/>`;

export const line = (d: string, colour: string, width: number, more = ""): string =>
  path(d, "none", ` stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"${more}`);

export const faint = (share: number): string => ` opacity="${share}"`;

export interface Placed {
  x: number;
  y: number;
  turn?: number;
  scale?: number;
}

export const at = ({ x, y, turn = 0, scale = 1 }: Placed, parts: string, more = ""): string =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${scale})"${more}>${parts}</g>`;

const round = (value: number): number => Math.round(value * 10) / 10;

/** A frond that grows upwards, 200 high. */
export function fern(place: Placed, colour: string, share = 1): string {
  const leaflets = Array.from({ length: 11 }, (_, index) => {
    const height = -18 - index * 16;
    const length = 52 * Math.sin(Math.PI * (0.28 + (index / 11) * 0.68));
    return [-1, 1].map((side) => {
      const [x, y] = [round(side * length * 0.5), round(height - length * 0.28)];
      return oval(
        [x, y, round(length * 0.56), round(length * 0.17)],
        colour,
        ` transform="rotate(${-side * 30} ${x} ${y})"`,
      );
    });
  });
  return at(place, `${line("M0 0C4 -60 -4 -130 2 -200", colour, 5)}${leaflets.flat().join("")}`, faint(share));
}

/** A single leaf that points upwards, 100 high. */
export const leaf = (place: Placed, colour: string, vein: string): string =>
  at(
    place,
    `${path("M0 0C-34 -26 -34 -70 0 -100C34 -70 34 -26 0 0Z", colour)}${line("M0 4V-84", vein, 3, faint(0.6))}`,
  );

export const ground = (colour: string, width = 96): string => oval([200, 338, width, 13], colour, faint(0.2));

export const shine = (x: number, y: number, height: number): string =>
  rect([x, y, 9, height, 4.5], "#ffffff", faint(0.4));

/** A vessel's label: a leaf and two lines of print. */
export function label(x: number, y: number, width: number, deep: string): string {
  const middle = x + width / 2;
  return [
    rect([x, y, width, 68, 6], paper),
    leaf({ x: middle, y: y + 32, scale: 0.22 }, deep, paper),
    rect([round(middle - width * 0.3), y + 41, round(width * 0.6), 5, 2.5], deep),
    rect([round(middle - width * 0.19), y + 52, round(width * 0.38), 4, 2], deep, faint(0.55)),
  ].join("");
}

export interface Canvas {
  width: number;
  height: number;
}

export const square: Canvas = { width: 400, height: 400 };

/** A complete picture. `name` is what a screen reader reads out. */
export const picture = (name: string, { width, height }: Canvas, parts: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img"><title>${escapeHtml(name)}</title>${parts}</svg>\n`;

/** A soft background in a thing's colours, with a sun. */
export const backdrop = ({ width, height }: Canvas, { pale, main }: Palette): string =>
  [
    `<defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${pale}"/><stop offset="1" stop-color="${main}" stop-opacity=".45"/></linearGradient></defs>`,
    rect([0, 0, width, height, 0], pale),
    rect([0, 0, width, height, 0], "url(#g)"),
    oval([width / 2, height * 0.48, height * 0.37, height * 0.37], "#ffffff", faint(0.45)),
  ].join("");
