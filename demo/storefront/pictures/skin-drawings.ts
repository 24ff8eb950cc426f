import { at, faint, ground, ink, leaf, line, oval, type Palette, paper, path, rect, wood } from "./shapes.ts";

/** Drawings for the routine quiz's options: areas of the skin, and textures. */

const spots = (places: readonly (readonly [number, number, number, number])[], deep: string): string =>
  places
    .map((place) => oval(place, "#e4695f", faint(0.55)) + oval([place[0], place[1], 5, 5], deep, faint(0.5)))
    .join("");

/** A face from the front; `marks` are areas on it. */
const face =
  (marks: readonly (readonly [number, number, number, number])[]) =>
  ({ main, deep }: Palette): string =>
    [
      path("M96 388c6-56 52-72 104-72s98 16 104 72z", deep, faint(0.8)),
      rect([166, 270, 68, 76, 26], "#efc8a6"),
      path("M104 190c0-90 36-128 96-128s96 38 96 128c0 40-14 60-26 60H130c-12 0-26-20-26-60z", deep),
      oval([200, 200, 82, 104], "#f6d7b9"),
      path("M116 168c6-54 40-72 92-68c48 3 70 26 76 68c-36-6-60-18-76-40c-18 20-54 36-92 40z", deep),
      line("M150 206c10-8 22-8 32 0M218 206c10-8 22-8 32 0", ink, 5),
      line("M200 212c-4 18-10 26 2 30", "#c98f69", 4),
      path("M176 264c14 10 34 10 48 0c-8 20-40 20-48 0z", "#cf6f6a"),
      leaf({ x: 292, y: 132, turn: 34, scale: 0.5 }, main, deep),
      spots(marks, deep),
    ].join("");

const neck = ({ main, deep }: Palette): string =>
  [
    path("M70 390c0-78 62-98 98-110V190h64v90c36 12 98 32 98 110z", "#f6d7b9"),
    path("M126 160c0-74 30-108 74-108s74 34 74 108c0 46-18 70-30 78h-88c-12-8-30-32-30-78z", deep),
    line("M200 250v140", "#d9ab85", 4, faint(0.7)),
    line("M168 282c-8 10-16 14-26 18M232 282c8 10 16 14 26 18", "#d9ab85", 4, faint(0.7)),
    leaf({ x: 262, y: 116, turn: 40, scale: 0.56 }, main, paper),
    spots(
      [
        [180, 262, 14, 14],
        [222, 300, 16, 16],
        [160, 342, 18, 18],
        [244, 356, 15, 15],
      ],
      deep,
    ),
  ].join("");

const gel = ({ main, deep }: Palette): string =>
  [
    ground(deep, 120),
    path(
      "M92 296c-10-50 30-64 46-104c12-30 20-60 62-92c42 32 50 62 62 92c16 40 56 54 46 104c-8 36-56 42-108 42S100 332 92 296z",
      main,
      faint(0.85),
    ),
    path("M126 286c-4-30 22-44 36-74c-4 44 20 86 70 96c-52 14-100 8-106-22z", "#ffffff", faint(0.5)),
    oval([300, 140, 16, 22], main),
    oval([98, 164, 12, 17], main),
    oval([246, 234, 12, 20], "#ffffff", ` opacity=".65" transform="rotate(-22 246 234)"`),
  ].join("");

const cream = ({ main, deep }: Palette): string =>
  [
    ground(deep, 126),
    path(
      "M78 306c-6-34 30-50 60-50c0-40 34-56 62-56c-8-34 10-64 36-84c-2 34 26 44 30 82c40 4 62 30 56 58c14 8 16 30 6 50c-8 24-48 32-126 32S84 336 78 306z",
      paper,
    ),
    path("M104 312c30 14 152 20 206-6c-6 20-46 28-112 28s-90-8-94-22z", main),
    line("M140 262c40 22 108 22 144-6M202 204c20 18 48 16 62 0M228 150c4 10 14 16 22 16", main, 7, faint(0.9)),
  ].join("");

const oil = ({ main, deep }: Palette): string =>
  [
    rect([186, 40, 28, 52, 13], ink),
    rect([176, 84, 48, 18, 5], wood),
    rect([192, 102, 16, 82, 5], paper, faint(0.9)),
    rect([195, 128, 10, 56, 4], main),
    path("M192 184h16l-8 26z", paper),
    ...[
      [200, 232, 1],
      [200, 300, 1.5],
    ].map(([x, y, scale]) =>
      at(
        { x: x ?? 0, y: y ?? 0, scale: scale ?? 1 },
        `${path("M0-26C16-4 22 6 22 16a22 22 0 0 1-44 0C-22 6-16-4 0-26Z", main)}${oval([-7, 14, 4, 8], "#ffffff", faint(0.6))}`,
      ),
    ),
    oval([200, 352, 96, 12], main, faint(0.5)),
    leaf({ x: 116, y: 300, turn: -36, scale: 0.9 }, deep, paper),
    leaf({ x: 286, y: 300, turn: 38, scale: 0.9 }, deep, paper),
  ].join("");

const feather = ({ main, deep }: Palette): string =>
  at(
    { x: 200, y: 208, turn: 32 },
    [
      path("M0 150C-70 70-66-70 0-156C66-70 70 70 0 150Z", paper),
      path("M0 150C-70 70-66-70 0-156Z", main, faint(0.7)),
      line("M0-140V190", deep, 6),
      ...Array.from({ length: 9 }, (_, barb) => {
        const y = 116 - barb * 28;
        const reach = 50 * Math.sin(Math.PI * (0.2 + barb * 0.08));
        return line(
          `M0 ${y}L${-Math.round(reach)} ${y - 26}M0 ${y}L${Math.round(reach)} ${y - 26}`,
          deep,
          2,
          faint(0.35),
        );
      }),
    ].join(""),
  );

const forehead = face([
  [176, 170, 14, 11],
  [222, 166, 15, 12],
  [200, 236, 13, 12],
]);
const jaw = face([
  [146, 262, 14, 14],
  [254, 262, 14, 14],
  [200, 294, 16, 11],
]);
const cheeks = face([
  [150, 236, 17, 15],
  [252, 236, 17, 15],
]);

export const skinDrawings = { forehead, jaw, cheeks, neck, gel, cream, oil, feather } as const;
