import type { GraphPicture } from "./layout.ts";

export interface View {
  x: number;
  y: number;
  zoom: number;
}

/** The inner size of the box that shows the picture. */
export interface Room {
  width: number;
  height: number;
}

/** The picture's height in the initial view, within these limits. */
export function boxHeight(picture: GraphPicture, most: number): number {
  const zoom = Math.max(readable, Math.min(largest, usualWidth / Math.max(picture.width, 1)));
  return Math.min(most, Math.max(least, picture.height * zoom));
}

const usualWidth = 1000;
const least = 240;

/** The smallest zoom at which text is readable. */
const readable = 0.8;
const largest = 1;

/**
 * The initial view: the whole picture if it stays readable in the box, else its beginning at a readable size, with the
 * pages vertically centred [dashboard-figures.graph-size].
 */
export function firstView(picture: GraphPicture, box: Room): View {
  if (picture.width <= 0 || box.width <= 0) return { x: 0, y: 0, zoom: 1 };
  const whole = Math.min(box.width / picture.width, box.height / picture.height, largest);
  if (whole >= readable) {
    return {
      x: (box.width - picture.width * whole) / 2,
      y: (box.height - picture.height * whole) / 2,
      zoom: whole,
    };
  }
  if (picture.height * readable <= box.height) {
    return { x: 0, y: (box.height - picture.height * readable) / 2, zoom: readable };
  }
  const first = picture.nodes.filter(({ column }) => column === 0);
  const top = Math.min(...first.map(({ y }) => y));
  const bottom = Math.max(...first.map(({ y, height }) => y + height));
  const middle = box.height / 2 - ((top + bottom) / 2) * readable;
  // avoids empty space on one side while the other is cut off
  return { x: 0, y: Math.min(0, Math.max(box.height - picture.height * readable, middle)), zoom: readable };
}

/** Below this zoom not even the pages' numbers are readable. */
const farthest = 0.2;

/** The whole picture; if it is too long, its beginning at the smallest zoom at which pages' numbers are readable. */
export function wholeView(picture: GraphPicture, box: Room): View {
  const whole = Math.min(box.width / picture.width, box.height / picture.height, largest);
  const zoom = Math.max(farthest, whole);
  const centred = (room: number, size: number) => (room - size * zoom) / 2;
  return { x: Math.max(0, centred(box.width, picture.width)), y: centred(box.height, picture.height), zoom };
}
