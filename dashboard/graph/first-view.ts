import type { GraphPicture } from "./layout.ts";

export interface View {
  x: number;
  y: number;
  zoom: number;
}

/** The inside of the box that a picture is seen in. */
export interface Room {
  width: number;
  height: number;
}

/** As high as the picture is when it is first seen, between these. */
export function boxHeight(picture: GraphPicture, most: number): number {
  const zoom = Math.max(readable, Math.min(largest, usualWidth / Math.max(picture.width, 1)));
  return Math.min(most, Math.max(least, picture.height * zoom));
}

const usualWidth = 1000;
const least = 240;

/** At this size texts are still read. */
const readable = 0.8;
const largest = 1;

/**
 * What is seen at first: all of a picture that stays readable in the box; else its beginning, at a size that is read,
 * with the pages in the middle of the height [dashboard-figures.graph-size].
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
  // no empty room on one side while something is cut off on the other
  return { x: 0, y: Math.min(0, Math.max(box.height - picture.height * readable, middle)), zoom: readable };
}

/** Smaller than that, not even the places of pages are read. */
const farthest = 0.2;

/** All of a picture; of one that is too long for it, its beginning, as small as the places of pages are read. */
export function wholeView(picture: GraphPicture, box: Room): View {
  const whole = Math.min(box.width / picture.width, box.height / picture.height, largest);
  const zoom = Math.max(farthest, whole);
  const centred = (room: number, size: number) => (room - size * zoom) / 2;
  return { x: Math.max(0, centred(box.width, picture.width)), y: centred(box.height, picture.height), zoom };
}
