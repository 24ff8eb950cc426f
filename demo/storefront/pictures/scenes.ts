import {
  at,
  type Canvas,
  faint,
  fern,
  ink,
  leaf,
  line,
  oval,
  type Palette,
  paper,
  path,
  picture,
  rect,
  wood,
} from "./shapes.ts";
import { vessels } from "./vessels.ts";

/** Wide pictures of the demo: above a quiz, on one of its pages, and at the top of the shop. */

const wide: Canvas = { width: 960, height: 480 };

interface Scene {
  shows: string;
  draw: () => string;
}

const room = (top: string, bottom: string, floor: string): string =>
  [
    `<defs><linearGradient id="w" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient></defs>`,
    rect([0, 0, 960, 480, 0], "url(#w)"),
    rect([0, 396, 960, 84, 0], floor),
  ].join("");

const stand = (vessel: keyof typeof vessels, x: number, scale: number, palette: Palette): string =>
  // a vessel's base is 338 below the top of its square
  at({ x: x - 200 * scale, y: 410 - 338 * scale, scale }, vessels[vessel](palette));

const shelf = (): string =>
  [
    room("#f4efe2", "#e4ead8", "#d9cfb8"),
    oval([690, 168, 120, 120], "#fff6dc", faint(0.9)),
    fern({ x: 92, y: 402, turn: -16, scale: 1.7 }, "#3f6a4c", 0.9),
    fern({ x: 150, y: 404, turn: 14, scale: 1.35 }, "#5c8a63", 0.9),
    fern({ x: 866, y: 402, turn: 18, scale: 1.75 }, "#3f6a4c", 0.9),
    fern({ x: 804, y: 404, turn: -12, scale: 1.3 }, "#5c8a63", 0.9),
    stand("pump", 286, 0.98, { pale: "", main: "#a8c98d", deep: "#3f6a36" }),
    stand("dropper", 412, 0.86, { pale: "", main: "#f3bd6c", deep: "#a35f12" }),
    stand("jar", 548, 0.9, { pale: "", main: "#ecd3b9", deep: "#8d6240" }),
    stand("mist", 676, 0.9, { pale: "", main: "#eeb0c0", deep: "#a1455f" }),
  ].join("");

const parcels = (): string =>
  [
    room("#f8ebe7", "#f1dcd9", "#dcb9b3"),
    ...[
      [120, 90],
      [250, 60],
      [700, 84],
      [838, 128],
      [560, 48],
    ].map(([x = 0, y = 0]) => leaf({ x, y: y + 40, turn: x % 70, scale: 0.5 }, "#d9939c", "#f8ebe7")),
    at({ x: 300, y: 196 }, parcel(220, 206, "#8d4a5f", "#f3c6b8")),
    at({ x: 500, y: 262 }, parcel(180, 140, "#3f6a4c", "#e9d9a8")),
    at({ x: 214, y: 312 }, parcel(110, 90, "#d98f6c", "#fff3e6")),
    at({ x: 664, y: 318 }, parcel(96, 84, "#6d5a8a", "#f6d27a")),
    fern({ x: 828, y: 402, turn: 10, scale: 1.3 }, "#5c8a63", 0.85),
    fern({ x: 138, y: 402, turn: -14, scale: 1.2 }, "#5c8a63", 0.85),
  ].join("");

const parcel = (width: number, height: number, paperColour: string, ribbon: string): string => {
  const middle = width / 2;
  return [
    rect([0, 0, width, height, 6], paperColour),
    rect([0, 0, width, 26, 6], "#000000", faint(0.1)),
    rect([middle - 11, 0, 22, height, 0], ribbon),
    rect([0, height / 2 - 6, width, 18, 0], ribbon, faint(0.85)),
    at(
      { x: middle, y: 2 },
      path("M0 0C-22-46-74-38-60-10C-52 6-20 6 0 0ZM0 0C22-46 74-38 60-10C52 6 20 6 0 0Z", ribbon),
    ),
    oval([middle, 0, 11, 9], paper, faint(0.7)),
  ].join("");
};

const chair = (colour: string, shade: string): string =>
  [
    rect([14, 150, 12, 46, 4], wood),
    rect([134, 150, 12, 46, 4], wood),
    path("M24 10c0-20 20-28 56-28s56 8 56 28v112H24z", colour),
    rect([0, 66, 34, 96, 16], shade),
    rect([126, 66, 34, 96, 16], shade),
    rect([24, 104, 112, 56, 14], colour),
    rect([24, 104, 112, 20, 10], paper, faint(0.35)),
  ].join("");

const talk = (): string =>
  [
    room("#e9f0ee", "#dbe7e3", "#c4b59a"),
    rect([396, 40, 168, 150, 8], paper),
    rect([406, 50, 148, 130, 4], "#cfe3ec"),
    path("M406 150c40-40 60-10 84-30c24-18 40-2 64-20v80H406z", "#9cc2a0"),
    line("M480 50v130M406 116h148", paper, 6),
    at({ x: 236, y: 206 }, chair("#8fb3a4", "#3f6a5a")),
    at({ x: 564, y: 206 }, chair("#e0ac8a", "#9c5f3f")),
    rect([440, 318, 80, 12, 6], wood),
    rect([474, 328, 12, 72, 4], wood),
    path("M456 286h34v20c0 8-6 12-17 12s-17-4-17-12z", paper),
    leaf({ x: 504, y: 318, turn: 14, scale: 0.4 }, "#5c8a63", paper),
    fern({ x: 152, y: 402, turn: -12, scale: 1.5 }, "#3f6a4c", 0.9),
    fern({ x: 812, y: 402, turn: 12, scale: 1.4 }, "#3f6a4c", 0.9),
    path(
      "M250 96h96c12 0 20 8 20 20v30c0 12-8 20-20 20h-50l-26 24v-24h-20c-12 0-20-8-20-20v-30c0-12 8-20 20-20z",
      paper,
    ),
    line("M258 122h80M258 142h52", "#8fb3a4", 7),
    path(
      "M626 80h84c12 0 20 8 20 20v26c0 12-8 20-20 20h-16v24l-26-24h-42c-12 0-20-8-20-20v-26c0-12 8-20 20-20z",
      "#3f6a5a",
    ),
    line("M630 104h76M630 124h44", paper, 7),
  ].join("");

const letter = (): string =>
  [
    room("#f3f0e4", "#e6ead6", "#d8d2b8"),
    fern({ x: 214, y: 410, turn: -26, scale: 1.5 }, "#5c8a63", 0.8),
    fern({ x: 752, y: 410, turn: 24, scale: 1.5 }, "#5c8a63", 0.8),
    rect([310, 110, 340, 200, 10], paper),
    ...[0, 1, 2, 3].map((row) => rect([350, 140 + row * 26, 260 - (row % 2) * 70, 9, 4.5], "#9cc2a0", faint(0.8))),
    path("M290 210l190 116 190-116v190c0 10-8 16-16 16H306c-8 0-16-6-16-16z", "#e8c79a"),
    path("M290 210l190 116 190-116v14L480 346 290 224z", "#b98a55", faint(0.55)),
    oval([480, 352, 26, 26], "#9c4460"),
    leaf({ x: 480, y: 370, scale: 0.34 }, paper, "#9c4460"),
  ].join("");

const calendar = (): string =>
  [
    room("#eaf1f4", "#dce8ea", "#c9bda4"),
    rect([330, 92, 300, 316, 16], paper),
    path("M330 108c0-9 7-16 16-16h268c9 0 16 7 16 16v52H330z", "#3f6a5a"),
    rect([390, 70, 14, 48, 7], ink),
    rect([556, 70, 14, 48, 7], ink),
    ...Array.from({ length: 20 }, (_, day) => {
      const [x, y] = [356 + (day % 5) * 52, 186 + Math.floor(day / 5) * 52];
      return rect([x, y, 38, 38, 8], day === 13 ? "#e0ac8a" : "#e6ede6");
    }),
    line("M522 306l10 12 18-24", "#7b4327", 7),
    fern({ x: 226, y: 404, turn: -10, scale: 1.5 }, "#5c8a63", 0.85),
    fern({ x: 742, y: 404, turn: 12, scale: 1.6 }, "#3f6a4c", 0.85),
  ].join("");

const scenes: Readonly<Record<string, Scene>> = {
  "cover-routine": { shows: "Bottles and jars on a shelf between ferns", draw: shelf },
  "cover-gift": { shows: "Four wrapped parcels", draw: parcels },
  "cover-consultation": { shows: "Two chairs at a window, and two people's words", draw: talk },
  letter: { shows: "A letter that is sealed with a leaf", draw: letter },
  calendar: { shows: "A calendar with one day marked", draw: calendar },
};

export const sceneNames: readonly string[] = Object.keys(scenes);

/** null: there is none with that name. */
export function scenePicture(name: string): string | null {
  const found = Object.hasOwn(scenes, name) ? scenes[name] : undefined;
  return found === undefined ? null : picture(found.shows, wide, found.draw());
}
