import { faint, ground, ink, label, leaf, line, oval, type Palette, paper, path, rect, shine, wood } from "./shapes.ts";

/** Containers of the demo shop's products. Each stands at a height of 338, in the middle of a square of 400. */
export type Vessel = (palette: Palette) => string;

const pump: Vessel = ({ main, deep }) =>
  [
    ground(deep),
    rect([194, 96, 12, 44, 3], ink),
    path("M150 98c0-10 8-16 18-16h52c10 0 16 6 16 13v7h-74v10h-12z", ink),
    rect([170, 134, 60, 20, 6], ink),
    path("M136 196c0-26 18-40 42-44h44c24 4 42 18 42 44v120c0 14-9 22-22 22h-84c-13 0-22-8-22-22z", main),
    shine(148, 200, 112),
    label(160, 226, 80, deep),
  ].join("");

const dropper: Vessel = ({ main, deep }) =>
  [
    ground(deep, 84),
    rect([183, 76, 34, 66, 16], ink),
    rect([172, 132, 56, 26, 5], wood),
    path(
      "M146 208c0-26 18-38 36-44v-8h36v8c18 6 36 18 36 44v110c0 12-8 20-20 20h-68c-12 0-20-8-20-20z",
      main,
      faint(0.92),
    ),
    path("M146 250h108v68c0 12-8 20-20 20h-68c-12 0-20-8-20-20z", deep, faint(0.35)),
    rect([198, 156, 4, 120, 2], paper, faint(0.7)),
    shine(157, 206, 106),
    label(166, 232, 68, deep),
  ].join("");

const mist: Vessel = ({ main, deep }) =>
  [
    ground(deep, 80),
    rect([178, 84, 44, 30, 8], ink),
    rect([164, 92, 16, 8, 4], ink),
    rect([180, 110, 40, 26, 3], wood),
    path("M152 172c0-22 14-32 32-36h32c18 4 32 14 32 36v146c0 12-8 20-20 20h-56c-12 0-20-8-20-20z", main),
    shine(162, 174, 140),
    label(168, 222, 64, deep),
    ...[0, 1, 2, 3, 4].map((drop) => oval([140 - drop * 13, 96 + (drop % 3) * 13 - 14, 4, 4], deep, faint(0.35))),
  ].join("");

const flask: Vessel = ({ main, deep }) =>
  [
    ground(deep, 92),
    rect([176, 88, 48, 40, 8], wood),
    path(
      "M184 126h32v26c26 8 46 24 46 58v104c0 14-10 24-24 24h-76c-14 0-24-10-24-24V210c0-34 20-50 46-58z",
      main,
      faint(0.9),
    ),
    path("M138 236h124v78c0 14-10 24-24 24h-76c-14 0-24-10-24-24z", deep, faint(0.3)),
    shine(150, 214, 96),
    label(162, 238, 76, deep),
  ].join("");

const jar: Vessel = ({ main, deep }) =>
  [
    ground(deep, 116),
    rect([110, 172, 180, 54, 12], wood),
    line("M112 208h176", ink, 2, faint(0.18)),
    path("M104 222h192v86c0 18-12 30-30 30H134c-18 0-30-12-30-30z", main),
    shine(118, 236, 72),
    label(152, 244, 96, deep),
  ].join("");

const openJar: Vessel = ({ main, deep }) =>
  [
    ground(deep, 124),
    path("M96 230h180v78c0 18-12 30-30 30H126c-18 0-30-12-30-30z", main),
    oval([186, 230, 90, 22], deep, faint(0.45)),
    oval([186, 228, 78, 16], paper),
    path("M150 226c10-26 44-30 52-12c6 12-10 18-20 12c16 10 36 2 40-10c8 20-18 28-40 26c-14 0-30-4-32-16z", paper),
    line("M152 222c18-24 42-22 48-8", deep, 3, faint(0.35)),
    shine(110, 248, 62),
    label(146, 256, 80, deep),
    `<g transform="rotate(24 312 300)">${oval([306, 306, 16, 58], wood)}</g>`,
  ].join("");

const tube: Vessel = ({ main, deep }) =>
  [
    ground(deep, 76),
    path("M146 84h108l-10 194h-88z", main),
    rect([142, 70, 116, 20, 4], deep, faint(0.8)),
    rect([164, 276, 72, 62, 8], ink),
    ...[0, 1, 2, 3].map((rib) => line(`M${176 + rib * 16} 290v36`, paper, 2, faint(0.25))),
    shine(164, 104, 148),
    label(166, 150, 68, deep),
  ].join("");

const smallTube: Vessel = ({ main, deep }) =>
  [
    ground(deep, 60),
    path("M164 120h72l-8 160h-56z", main),
    rect([160, 108, 80, 16, 4], deep, faint(0.8)),
    rect([178, 278, 44, 60, 8], wood),
    shine(177, 140, 118),
    leaf({ x: 200, y: 214, scale: 0.36 }, paper, deep),
    rect([182, 226, 36, 5, 2.5], paper),
  ].join("");

const stick: Vessel = ({ main, deep }) =>
  [
    ground(deep, 64),
    path("M166 132c0-24 14-44 34-50c20 6 34 26 34 50v50h-68z", paper),
    path("M166 146c12-20 52-30 68-22v58h-68z", main, faint(0.35)),
    rect([158, 178, 84, 160, 14], main),
    rect([158, 178, 84, 26, 8], deep, faint(0.7)),
    shine(168, 216, 104),
    label(172, 230, 56, deep),
  ].join("");

const tin: Vessel = ({ main, deep }) =>
  [
    ground(deep, 110),
    path("M98 286c0-22 46-40 102-40s102 18 102 40v22c0 18-46 32-102 32S98 326 98 308z", deep),
    oval([200, 284, 102, 40], main),
    oval([200, 284, 84, 31], paper, faint(0.85)),
    leaf({ x: 188, y: 304, turn: -28, scale: 0.42 }, deep, paper),
    leaf({ x: 208, y: 304, turn: 30, scale: 0.42 }, main, paper),
    `<g transform="rotate(-14 250 180)">${oval([238, 196, 92, 40], deep)}${oval([238, 188, 92, 38], main)}${oval([238, 188, 74, 29], paper, faint(0.35))}</g>`,
  ].join("");

const pouch: Vessel = ({ main, deep }) =>
  [
    ground(deep, 104),
    path("M122 118h156l14 196c1 14-10 24-24 24H132c-14 0-25-10-24-24z", main),
    rect([116, 96, 168, 30, 6], deep, faint(0.75)),
    ...[0, 1, 2, 3, 4, 5, 6].map((stitch) => rect([130 + stitch * 21, 108, 12, 4, 2], paper, faint(0.8))),
    label(152, 158, 96, deep),
    path("M140 262h120l6 54c0 6-4 10-10 10H144c-6 0-10-4-10-10z", paper, faint(0.35)),
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((grain) =>
      rect([150 + (grain % 4) * 27, 276 + (grain > 3 ? 24 : 0), 12, 12, 3], paper, faint(0.85)),
    ),
  ].join("");

const candle: Vessel = ({ main, deep }) =>
  [
    ground(deep, 112),
    oval([200, 132, 44, 60], "#ffd98a", faint(0.35)),
    path("M200 92c18 26 20 40 0 54c-20-14-18-28 0-54z", "#f4a93c"),
    path("M200 114c8 12 9 22 0 30c-9-8-8-18 0-30z", "#fff2c4"),
    line("M200 146v26", ink, 4),
    path("M112 178h176v132c0 16-12 28-28 28H140c-16 0-28-12-28-28z", main),
    oval([200, 178, 88, 18], deep, faint(0.55)),
    oval([200, 177, 76, 13], paper),
    shine(126, 204, 104),
    label(152, 228, 96, deep),
  ].join("");

const bag: Vessel = ({ main, deep }) =>
  [
    ground(deep, 120),
    line("M160 170c0-60 80-60 80 0", wood, 11),
    path("M96 194c0-16 12-28 28-28h152c16 0 28 12 28 28v116c0 16-12 28-28 28H124c-16 0-28-12-28-28z", main),
    path("M96 214h208v-20c0-16-12-28-28-28H124c-16 0-28 12-28 28z", deep, faint(0.6)),
    line("M108 214h184", paper, 3, ` stroke-dasharray="8 7" opacity=".7"`),
    rect([270, 206, 12, 30, 5], wood),
    label(152, 244, 96, deep),
  ].join("");

const card: Vessel = ({ main, deep }) =>
  [
    ground(deep, 124),
    `<g transform="rotate(-9 200 240)">${[
      rect([84, 164, 232, 148, 16], deep),
      rect([84, 164, 232, 148, 16], main, faint(0.85)),
      path("M84 230c60-40 120 40 232-26v92c0 9-7 16-16 16H100c-9 0-16-7-16-16z", paper, faint(0.25)),
      leaf({ x: 128, y: 236, turn: -18, scale: 0.5 }, paper, deep),
      leaf({ x: 138, y: 240, turn: 34, scale: 0.42 }, paper, deep),
      rect([196, 256, 96, 8, 4], paper, faint(0.9)),
      rect([236, 274, 56, 6, 3], paper, faint(0.6)),
    ].join("")}</g>`,
  ].join("");

const headband: Vessel = ({ main, deep }) =>
  [
    ground(deep, 120),
    line("M104 322c-26-150 218-150 192 0", deep, 52, faint(0.35)),
    line("M104 318c-26-150 218-150 192 0", main, 46),
    line("M104 318c-26-150 218-150 192 0", paper, 40, ` stroke-dasharray="1 44" opacity=".35"`),
    path("M200 202c-14-44-74-42-62-10c8 22 42 18 62 10zM200 202c14-44 74-42 62-10c-8 22-42 18-62 10z", deep),
    oval([200, 202, 17, 15], main),
  ].join("");

export const vessels = {
  pump,
  dropper,
  mist,
  flask,
  jar,
  openJar,
  tube,
  smallTube,
  stick,
  tin,
  pouch,
  candle,
  bag,
  card,
  headband,
} as const;
