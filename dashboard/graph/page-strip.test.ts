import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wholeView } from "./first-view.ts";
import type { Graph } from "./graph.ts";
import { layoutGraph } from "./layout.ts";
import { placesEvery, seenPart, stripOf } from "./page-strip.ts";

const row = (pages: number, count: (page: number) => number = () => 10): Graph => ({
  nodes: Array.from({ length: pages }, (_, page) => ({ id: `p${page}`, label: `Page ${page}`, count: count(page) })),
  edges: Array.from({ length: pages - 1 }, (_, page) => ({
    ...{ id: `e${page}`, from: `p${page}`, to: `p${page + 1}`, kind: "next" as const },
    count: count(page + 1),
  })),
});

describe("the row of all pages below a graph", () => {
  it("has a bar for each page, as high as its arrivals [dashboard-figures.graph-strip]", () => {
    const columns = stripOf(layoutGraph(row(12, (page) => 120 - page * 10)));
    expect(columns.map(({ place }) => place)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(columns.map(({ pages: [page] }) => page!.share)).toEqual(
      Array.from({ length: 12 }, (_, page) => expect.closeTo((120 - page * 10) / 120, 10)),
    );
  });

  it("marks what is seen: nothing beyond the picture, and no less than the columns in the box [dashboard-figures.graph-strip]", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 60 }),
        fc.double({ min: 0.1, max: 2, noNaN: true }),
        fc.double({ min: -0.5, max: 1.2, noNaN: true }),
        (pages, zoom, moved) => {
          const picture = layoutGraph(row(pages));
          const columns = stripOf(picture);
          const view = { x: -moved * picture.width * zoom, zoom };
          const { from, to } = seenPart(columns, picture, view, 1_000);
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(1);
          expect(from).toBeLessThanOrEqual(to);
          picture.nodes.forEach(({ x, width, column }) => {
            const isInBox = x * zoom + view.x >= 0 && (x + width) * zoom + view.x <= 1_000;
            if (!isInBox) return;
            expect(from).toBeLessThanOrEqual((column + 1) / pages);
            expect(to).toBeGreaterThanOrEqual(column / pages);
          });
        },
      ),
    );
  });

  it("writes as many places as have room [dashboard-figures.graph-strip]", () => {
    expect([placesEvery(60, 1_100), placesEvery(60, 330), placesEvery(12, 330), placesEvery(400, 330)]).toEqual([
      1, 5, 1, 50,
    ]);
  });

  it("goes with a picture that is shown whole, or of a very long quiz from its first page [dashboard-figures.graph-size]", () => {
    const box = { width: 1_000, height: 500 };
    const short = layoutGraph(row(8));
    const whole = wholeView(short, box);
    expect(whole.x).toBeGreaterThanOrEqual(0);
    expect(whole.x + short.width * whole.zoom).toBeLessThanOrEqual(box.width + 0.01);
    expect(wholeView(layoutGraph(row(60)), box)).toMatchObject({ x: 0, zoom: 0.2 });
  });
});
