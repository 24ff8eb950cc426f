/**
 * Exact medians from counts, without holding the values themselves: values are counted by interval first, then within
 * the intervals that contain the middle values, until those are single values [analytics.exact].
 */

/** The 2^bits integers from `low`. */
export interface Interval {
  low: number;
  bits: number;
}

export interface Counted extends Interval {
  count: number;
}

/** A value to be found for a key: the one at this index, from 0, among those in the interval. */
interface Place<Key> {
  key: Key;
  interval: Interval;
  place: number;
}

export const highEnd = ({ low, bits }: Interval): number => low + 2 ** bits;

/**
 * The median of each key's values: of an even number, the mean of the two middle ones. Keys without values have no
 * entry [figures.averages].
 *
 * @param counted for each key all intervals with values, in any order and without overlaps
 * @param countWithin counts the values in some intervals by smaller intervals
 */
export async function mediansOf<Key>(
  counted: ReadonlyMap<Key, readonly Counted[]>,
  countWithin: (intervals: ReadonlyMap<Key, readonly Interval[]>) => Promise<ReadonlyMap<Key, readonly Counted[]>>,
): Promise<Map<Key, number>> {
  let places = Array.from(counted, ([key, intervals]) => middlesOf(key, intervals)).flat();
  while (places.some(({ interval }) => interval.bits > 0)) {
    const smaller = await countWithin(distinctIntervals(places));
    places = places.map((place) => (place.interval.bits === 0 ? place : narrower(place, smaller.get(place.key) ?? [])));
  }
  const values = Map.groupBy(places, ({ key }) => key);
  return new Map(
    Array.from(values, ([key, found]) => [
      key,
      found.reduce((sum, { interval }) => sum + interval.low, 0) / found.length,
    ]),
  );
}

function middlesOf<Key>(key: Key, intervals: readonly Counted[]): Place<Key>[] {
  const all = intervals.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return [];
  return [Math.floor((all - 1) / 2), Math.floor(all / 2)].map((place) => placed(key, intervals, place));
}

function placed<Key>(key: Key, intervals: readonly Counted[], place: number): Place<Key> {
  let before = 0;
  for (const { low, bits, count } of intervals.toSorted((a, b) => a.low - b.low)) {
    if (place < before + count) return { key, interval: { low, bits }, place: place - before };
    before += count;
  }
  throw new Error("fewer values than were counted before");
}

function narrower<Key>({ key, interval, place }: Place<Key>, smaller: readonly Counted[]): Place<Key> {
  const within = smaller.filter(({ low }) => low >= interval.low && low < highEnd(interval));
  return placed(key, within, place);
}

/** Each interval once, even if it contains both middle values. */
function distinctIntervals<Key>(places: readonly Place<Key>[]): Map<Key, Interval[]> {
  const intervals = new Map<Key, Interval[]>();
  for (const { key, interval } of places) {
    const known = intervals.get(key) ?? [];
    intervals.set(key, known);
    if (interval.bits > 0 && known.every(({ low }) => low !== interval.low)) known.push(interval);
  }
  return intervals;
}
