import {
  at,
  faint,
  fern,
  ground,
  ink,
  leaf,
  line,
  oval,
  type Palette,
  paper,
  path,
  rect,
  shine,
  wood,
} from "./shapes.ts";

/** Drawings for the gift finder's options: people who unwrap something, and scents. */

const cup = (x: number, colour: string, deep: string): string =>
  at(
    { x, y: 0 },
    [
      path("M-46 210h92v70c0 30-20 52-46 52s-46-22-46-52z", colour),
      line("M48 226c34-6 34 56-6 54", colour, 12),
      oval([0, 210, 46, 11], deep, faint(0.5)),
      line("M-14 180c-12-16 12-24 0-44M14 180c-12-16 12-24 0-44", deep, 5, faint(0.35)),
    ].join(""),
  );

const armchair = ({ main, deep }: Palette): string =>
  [
    ground(deep, 128),
    rect([118, 300, 16, 38, 5], wood),
    rect([266, 300, 16, 38, 5], wood),
    path("M128 150c0-34 30-52 72-52s72 18 72 52v110H128z", main),
    rect([92, 206, 52, 106, 24], deep, faint(0.85)),
    rect([256, 206, 52, 106, 24], deep, faint(0.85)),
    rect([136, 244, 128, 68, 16], main),
    rect([136, 244, 128, 26, 13], paper, faint(0.4)),
    `<g transform="rotate(-10 200 214)">${rect([168, 186, 64, 56, 12], paper)}${leaf({ x: 200, y: 234, scale: 0.36 }, deep, paper)}</g>`,
  ].join("");

const balloons = ({ main, deep }: Palette): string =>
  [
    line(
      "M150 226C168 280 176 300 198 344M252 206C240 270 216 300 202 344M204 166C206 240 204 300 200 344",
      deep,
      3,
      faint(0.6),
    ),
    oval([150, 168, 46, 56], "#ec9fb1"),
    oval([252, 148, 46, 56], main),
    oval([202, 108, 44, 54], "#8fbf9b"),
    ...[
      [134, 148],
      [236, 128],
      [187, 90],
    ].map(([x, y]) => oval([x ?? 0, y ?? 0, 9, 16], "#ffffff", ` opacity=".5" transform="rotate(28 ${x} ${y})"`)),
    path("M182 326h38v22h-38z", deep),
    path("M201 336c-30-26-52 8-4 6c48 2 30-32 4-6z", paper),
  ].join("");

const desk = ({ main, deep }: Palette): string =>
  [
    rect([60, 306, 280, 16, 6], wood),
    rect([84, 322, 12, 40, 3], wood),
    rect([304, 322, 12, 40, 3], wood),
    rect([150, 206, 128, 84, 8], ink),
    rect([158, 214, 112, 68, 4], paper),
    path("M158 282l40-42 26 24 20-16 26 34z", main),
    path("M132 290h164l10 16H122z", ink, faint(0.8)),
    line("M96 306v-66l34-52", deep, 8),
    path("M112 190l40-34 26 32c-20 24-48 24-66 2z", deep),
    oval([96, 304, 28, 7], deep),
    leaf({ x: 306, y: 284, turn: -18, scale: 0.62 }, main, deep),
    leaf({ x: 312, y: 284, turn: 24, scale: 0.54 }, deep, main),
    rect([292, 274, 34, 32, 6], "#d98f6c"),
  ].join("");

const bath = ({ main, deep }: Palette): string =>
  [
    ground(deep, 130),
    path("M72 230h256v28c0 42-30 70-72 70H144c-42 0-72-28-72-70z", paper),
    path("M72 230h256v28c0 42-30 70-72 70H144c-42 0-72-28-72-70z", main, faint(0.35)),
    rect([60, 218, 280, 18, 9], deep),
    line("M112 326v14M288 326v14", deep, 12),
    ...[
      [118, 204, 24],
      [156, 190, 30],
      [200, 198, 28],
      [240, 186, 26],
      [274, 202, 22],
    ].map(([x, y, size]) => oval([x ?? 0, y ?? 0, size ?? 0, size ?? 0], paper)),
    line("M320 218V120c0-34-44-34-44-4", ink, 9),
    path("M262 118h28v12h-28z", ink),
    ...[146, 160, 174].map((y, index) => oval([276, y, 4, 6], deep, faint(0.5 - index * 0.1))),
    fern({ x: 76, y: 216, turn: -16, scale: 0.6 }, deep, 0.6),
  ].join("");

const blossom = ({ main, deep }: Palette): string =>
  [
    line("M200 220C196 270 204 300 200 356", "#4f7d4f", 9),
    leaf({ x: 202, y: 318, turn: 56, scale: 0.86 }, "#7fae79", "#3f6b45"),
    leaf({ x: 198, y: 334, turn: -58, scale: 0.78 }, "#7fae79", "#3f6b45"),
    ...[0, 1, 2, 3, 4, 5].map((petal) => at({ x: 200, y: 162, turn: petal * 60 }, oval([0, -56, 40, 52], main))),
    ...[0, 1, 2, 3, 4].map((petal) =>
      at({ x: 200, y: 162, turn: petal * 72 + 30 }, oval([0, -32, 26, 34], deep, faint(0.4))),
    ),
    oval([200, 162, 26, 26], "#f6d27a"),
    line("M192 166c4-14 20-12 18 0c-2 10-12 8-10 2", deep, 3, faint(0.7)),
  ].join("");

const cedar = ({ main, deep }: Palette): string =>
  [
    ground(deep, 120),
    rect([150, 286, 22, 52, 4], wood),
    ...[0, 1, 2, 3].map((tier) => {
      const [top, half] = [76 + tier * 50, 40 + tier * 18];
      return path(`M161 ${top}l${half} 84H${161 - half}z`, tier % 2 === 0 ? deep : main);
    }),
    path("M272 214c40 16 56 52 44 86c-10 28-34 38-56 38s-42-14-44-44c-2-32 20-68 56-80z", "#6d4674"),
    path("M272 214c-6-16 2-26 12-32c6 12 2 24-4 34z", "#5d7d4c"),
    line("M272 226c-22 30-28 62-18 100M280 230c18 26 26 52 18 84", "#e2c8e0", 4, faint(0.5)),
  ].join("");

const mint = ({ main, deep }: Palette): string =>
  [
    line("M200 356C196 280 206 180 200 92", deep, 8),
    ...[0, 1, 2].map((pair) => {
      const [y, size] = [330 - pair * 78, 1.06 - pair * 0.17];
      return [-62, 62]
        .map((turn) => leaf({ x: 200, y, turn, scale: size }, pair % 2 === 0 ? main : "#78b98a", deep))
        .join("");
    }),
    leaf({ x: 200, y: 124, turn: -20, scale: 0.62 }, "#78b98a", deep),
    leaf({ x: 200, y: 124, turn: 22, scale: 0.62 }, main, deep),
    oval([312, 120, 10, 14], "#a6cbe0"),
    oval([94, 172, 8, 12], "#a6cbe0"),
  ].join("");

const grapefruit = ({ deep }: Palette): string =>
  [
    ground(deep, 110),
    oval([200, 212, 124, 124], "#f3a14b"),
    oval([200, 212, 112, 112], "#fff3df"),
    oval([200, 212, 102, 102], "#ef7f6b", faint(0.35)),
    ...Array.from({ length: 9 }, (_, wedge) =>
      at({ x: 200, y: 212, turn: wedge * 40 }, path("M0-10L-27-84C-20-98 20-98 27-84Z", "#e8604f")),
    ),
    oval([200, 212, 9, 9], "#fff3df"),
    leaf({ x: 288, y: 118, turn: 48, scale: 0.8 }, "#79ab72", "#3f6b45"),
  ].join("");

const twoCups = ({ main, deep }: Palette): string =>
  [
    ground(deep, 140),
    cup(128, main, deep),
    cup(272, deep, main),
    path("M200 132c-40-52-84 0-2 52c84-52 40-104 2-52z", "#e4695f", faint(0.85)),
    shine(92, 232, 62),
  ].join("");

export const giftDrawings = { twoCups, armchair, balloons, desk, bath, blossom, cedar, mint, grapefruit } as const;
