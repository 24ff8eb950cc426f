/**
 * Assigns parallel lines to lanes so that they do not touch: each stretch gets the first lane that is free along it.
 */

export interface Stretch {
  from: number;
  to: number;
  /** the line's width */
  stroke: number;
}

const between = 5;

/** The distance of each stretch's centre line from the start of the lanes; the shortest stretches are nearest. */
export function laneOffsets(stretches: readonly Stretch[], roomAtMost: number): number[] {
  const lanes: { taken: Stretch[]; stroke: number }[] = [];
  const laneOf = new Map<Stretch, number>();
  const shortFirst = [...stretches].sort((a, b) => a.to - a.from - (b.to - b.from) || a.from - b.from);
  for (const stretch of shortFirst) {
    const free = lanes.findIndex(({ taken }) =>
      taken.every((other) => other.to < stretch.from || stretch.to < other.from),
    );
    const lane = lanes[free] ?? { taken: [], stroke: 0 };
    laneOf.set(stretch, free < 0 ? lanes.push(lane) - 1 : free);
    lane.taken.push(stretch);
    lane.stroke = Math.max(lane.stroke, stretch.stroke);
  }
  let room = 0;
  const middles = lanes.map(({ stroke }) => {
    const middle = room + stroke / 2;
    room += stroke + between;
    return middle;
  });
  // a very large number of lanes is squeezed, so that the picture does not outgrow what people scroll
  const squeezed = Math.min(1, roomAtMost / Math.max(room, 1));
  return stretches.map((stretch) => (middles[laneOf.get(stretch) ?? 0] ?? 0) * squeezed);
}
