import { columnsOf, type Placed } from "./columns.ts";
import type { Graph, GraphEdge, GraphNode } from "./graph.ts";
import { type LabelPlace, placeLabels } from "./labels.ts";
import { laneOffsets } from "./lanes.ts";
import { curve, type Point, roundedLine } from "./lines.ts";
import { leavesRight, orderAtSide, type Route, routesOf, spanOf } from "./routes.ts";

/**
 * Lays out a graph: pages in columns, edges through the gaps between them and through lanes above and below
 * [dashboard-figures.graph-layout]. Independent of the browser: the same graph gives the same picture everywhere.
 */

export interface GraphPicture {
  width: number;
  height: number;
  nodes: PictureNode[];
  edges: PictureEdge[];
}

export interface PictureNode extends Placed {
  node: GraphNode;
  x: number;
  y: number;
  width: number;
  /** including its ends */
  height: number;
  /** without its ends */
  cardHeight: number;
}

export interface PictureEdge {
  edge: GraphEdge;
  stroke: number;
  /** data of an SVG path */
  path: string;
  /** the points it passes, for tests that it crosses no page */
  points: Point[];
  label: LabelPlace;
}

const nodeWidth = 152;
/** of a card with a two-line title, without what is below the title */
const titleHeight = 47;
const noteHeight = 17;
const endHeight = 20;
const rowGap = 40;
const portGap = 4;
const portMargin = 12;
const gapAtLeast = 64;
const gapAtMost = 200;
const trackWidth = 6;
const lanesAway = 28;
const lanesRoom = 720;
const margin = 24;

export function layoutGraph(graph: Graph): GraphPicture {
  const placed = columnsOf(graph);
  const routes = routesOf(graph.edges, placed);
  const sides = sidesOf(routes);
  const tracks = tracksOf(routes);
  const nodes = placeNodes(graph, placed, sides, gapsOf(tracks, placed));
  const edges = drawEdges(routes, nodes, sides, tracks);
  return framed([...nodes.values()], edges);
}

interface Side {
  routes: Route[];
  height: number;
}

type Sides = ReadonlyMap<string, { left: Side; right: Side }>;

/** The edges that leave and enter each page at its left and right side, from top to bottom. */
function sidesOf(routes: readonly Route[]): Sides {
  const sides = new Map<string, { left: Side; right: Side }>();
  const at = (id: string, side: "left" | "right", route: Route) => {
    const own = sides.get(id) ?? { left: { routes: [], height: 0 }, right: { routes: [], height: 0 } };
    sides.set(id, own);
    own[side].routes.push(route);
    own[side].height += route.stroke + portGap;
  };
  for (const route of routes) {
    at(route.edge.from, leavesRight(route.way) ? "right" : "left", route);
    at(route.edge.to, leavesRight(route.way) ? "left" : "right", route);
  }
  for (const [id, { left, right }] of sides) {
    const other = (route: Route) => (route.edge.from === id ? route.to : route.from);
    for (const side of [left, right]) side.routes.sort((a, b) => orderAtSide(a, b, other));
  }
  return sides;
}

/** The vertical tracks of an edge in the gaps: how many tracks from its source page, and from its target page. */
interface Tracks {
  leaving: ReadonlyMap<Route, number>;
  entering: ReadonlyMap<Route, number>;
  /** the number of tracks to the right of a column, and to its left; column -1 has none to its left */
  right: ReadonlyMap<number, number>;
  left: ReadonlyMap<number, number>;
}

function tracksOf(routes: readonly Route[]): Tracks {
  const leaving = new Map<Route, number>();
  const entering = new Map<Route, number>();
  const right = new Map<number, number>();
  const left = new Map<number, number>();
  for (const way of ["over", "under"] as const) {
    const own = routes.filter((route) => route.way === way);
    const assign = (end: "from" | "to", tracks: Map<Route, number>, used: Map<number, number>) => {
      const inOrder = [...own].sort((a, b) => a[end].row - b[end].row || spanOf(b) - spanOf(a));
      const counted = new Map<number, number>();
      for (const route of inOrder) {
        const track = counted.get(route[end].column) ?? 0;
        tracks.set(route, track);
        counted.set(route[end].column, track + 1);
        used.set(route[end].column, Math.max(used.get(route[end].column) ?? 0, track + 1));
      }
    };
    assign("from", leaving, way === "over" ? right : left);
    assign("to", entering, way === "over" ? left : right);
  }
  return { leaving, entering, right, left };
}

/** The width of the gap to the right of each column. */
function gapsOf({ right, left }: Tracks, placed: ReadonlyMap<string, Placed>): number[] {
  const columns = Math.max(0, ...Array.from(placed.values(), ({ column }) => column + 1));
  return Array.from({ length: columns }, (_, column) => {
    const tracks = (right.get(column) ?? 0) + (left.get(column + 1) ?? 0);
    return Math.min(gapAtMost, gapAtLeast + tracks * trackWidth);
  });
}

function placeNodes(
  graph: Graph,
  placed: ReadonlyMap<string, Placed>,
  sides: Sides,
  gaps: readonly number[],
): Map<string, PictureNode> {
  const columnX = [0];
  for (const gap of gaps) columnX.push((columnX.at(-1) ?? 0) + nodeWidth + gap);
  const columns = new Map<number, PictureNode[]>();
  for (const node of graph.nodes) {
    const { column, row } = placed.get(node.id) ?? { column: 0, row: 0 };
    const own = sides.get(node.id);
    const minimum = Math.max(
      titleHeight + noteHeight * Math.max(1, notesOf(node)),
      ...[own?.left, own?.right].map((side) => 2 * portMargin + (side?.height ?? 0)),
    );
    // whole pixels, so that the measured size equals the given one and the card is not rendered again
    const cardHeight = Math.ceil(minimum);
    const height = cardHeight + endHeight * (node.ends?.length ?? 0);
    const drawn = { node, column, row, x: columnX[column] ?? 0, y: 0, width: nodeWidth, height, cardHeight };
    columns.set(column, [...(columns.get(column) ?? []), drawn]);
  }
  for (const stacked of columns.values()) {
    const all = stacked.reduce((sum, { height }) => sum + height + rowGap, -rowGap);
    let y = -all / 2;
    for (const drawn of stacked) {
      drawn.y = y;
      y += drawn.height + rowGap;
    }
  }
  const all = [...columns.values()].flat();
  const place = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  all.sort((a, b) => (place.get(a.node.id) ?? 0) - (place.get(b.node.id) ?? 0));
  return new Map(all.map((drawn) => [drawn.node.id, drawn]));
}

/** How many lines of text are below a card's title. */
const notesOf = ({ count, before, note, look }: GraphNode): number =>
  [count, before, note].filter((line) => line !== undefined).length +
  (look === "removed" || look === "unreachable" ? 1 : 0);

type Line = Pick<PictureEdge, "edge" | "stroke" | "points">;

function drawEdges(
  routes: readonly Route[],
  nodes: ReadonlyMap<string, PictureNode>,
  sides: Sides,
  tracks: Tracks,
): Line[] {
  const top = Math.min(0, ...Array.from(nodes.values(), ({ y }) => y));
  const bottom = Math.max(0, ...Array.from(nodes.values(), ({ y, height }) => y + height));
  const ports = portsOf(nodes, sides);
  const lanes = lanesOf(routes, ports);
  return routes.flatMap((route) => {
    const ends = ports.get(route);
    if (!ends?.from || !ends.to) return [];
    const { from, to } = ends;
    const common = { edge: route.edge, stroke: route.stroke };
    const lane = lanes.get(route);
    if (lane === undefined) {
      return [{ ...common, points: [from, to] }];
    }
    const out = leavesRight(route.way) ? 1 : -1;
    const y = out > 0 ? top - lanesAway - lane : bottom + lanesAway + lane;
    const outX =
      from.x + out * trackAt(tracks.leaving.get(route) ?? 0, out > 0 ? tracks.right : tracks.left, route.from);
    const inX = to.x - out * trackAt(tracks.entering.get(route) ?? 0, out > 0 ? tracks.left : tracks.right, route.to);
    const points = [from, { x: outX, y: from.y }, { x: outX, y }, { x: inX, y }, { x: inX, y: to.y }, to];
    return [{ ...common, points }];
  });
}

/** The distance of a track from its page; tracks of neighbouring columns stay apart in the gap between them. */
function trackAt(track: number, used: ReadonlyMap<number, number>, { column }: Placed): number {
  return 14 + track * Math.min(trackWidth, (gapAtMost / 2 - 18) / (used.get(column) ?? 1));
}

type Ports = ReadonlyMap<Route, { from?: Point; to?: Point }>;

function portsOf(nodes: ReadonlyMap<string, PictureNode>, sides: Sides): Ports {
  const ports = new Map<Route, { from?: Point; to?: Point }>();
  for (const [id, own] of sides) {
    const drawn = nodes.get(id);
    if (!drawn) continue;
    for (const side of ["left", "right"] as const) {
      let y = drawn.y + (drawn.cardHeight - own[side].height + portGap) / 2;
      for (const route of own[side].routes) {
        const point = { x: side === "left" ? drawn.x : drawn.x + drawn.width, y: y + route.stroke / 2 };
        const leaves = route.edge.from === id && leavesRight(route.way) === (side === "right");
        ports.set(route, { ...ports.get(route), [leaves ? "from" : "to"]: point });
        y += route.stroke + portGap;
      }
    }
  }
  return ports;
}

/** The distance of each edge's lane above or below the pages. */
function lanesOf(routes: readonly Route[], ports: Ports): Map<Route, number> {
  const lanes = new Map<Route, number>();
  for (const way of ["over", "under"] as const) {
    const own = routes.filter((route) => route.way === way);
    const stretches = own.map((route) => {
      const [a = 0, b = 0] = [ports.get(route)?.from?.x, ports.get(route)?.to?.x];
      // an edge to its own column goes around it
      const wide = spanOf(route) === 0 ? gapAtMost / 2 : 0;
      return { from: Math.min(a, b) - wide, to: Math.max(a, b) + wide, stroke: route.stroke };
    });
    const offsets = laneOffsets(stretches, lanesRoom);
    own.forEach((route, index) => {
      lanes.set(route, offsets[index] ?? 0);
    });
  }
  return lanes;
}

/** Moves everything so that x and y are not below zero. */
function framed(nodes: readonly PictureNode[], edges: readonly Line[]): GraphPicture {
  const points = [
    ...nodes.flatMap(({ x, y, width, height }) => [point(x, y), point(x + width, y + height)]),
    ...edges.flatMap(({ points, stroke }) =>
      points.flatMap(({ x, y }) => [point(x - stroke, y - stroke), point(x + stroke, y + stroke)]),
    ),
  ];
  const least = (axis: "x" | "y") => points.reduce((low, at) => Math.min(low, at[axis]), 0) - margin;
  const most = (axis: "x" | "y") => points.reduce((high, at) => Math.max(high, at[axis]), 0) + margin;
  const left = least("x");
  const top = least("y");
  const moved = ({ x, y }: Point): Point => point(x - left, y - top);
  const lines = edges.map((drawn) => ({ ...drawn, points: drawn.points.map(moved) }));
  const labels = placeLabels(lines.map(({ edge: { count, label }, points }) => ({ points, count, label })));
  return {
    width: most("x") - left,
    height: most("y") - top,
    nodes: nodes.map((drawn) => ({ ...drawn, ...moved(drawn) })),
    edges: lines.map((drawn, index) => ({
      ...drawn,
      path: pathOf(drawn.points),
      label: labels[index] ?? { at: point(0, 0), hasRoom: false },
    })),
  };
}

function pathOf(points: readonly Point[]): string {
  const [from, to, ...more] = points;
  return from && to && more.length === 0 ? curve(from, to) : roundedLine(points);
}

const point = (x: number, y: number): Point => ({ x, y });
