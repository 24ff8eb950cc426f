import { type Place, places } from "./places.ts";
import type { Random } from "./random.ts";

export interface Arrival {
  /** Unix milliseconds */
  at: number;
  place: Place;
}

const hour = 3_600_000;
const day = 24 * hour;

/** How busy a shop is by the visitor's local hour, from midnight: a bump at lunch, the peak in the evening. */
const byHour = [
  0.35, 0.2, 0.12, 0.08, 0.08, 0.12, 0.25, 0.5, 0.75, 0.85, 0.95, 1, 1.1, 1.05, 1, 0.98, 1, 1.08, 1.2, 1.4, 1.6, 1.65,
  1.3, 0.75,
];
/** Sunday first. */
const byWeekday = [1.25, 1, 0.95, 0.97, 1, 0.9, 1.08];

/** Relative number of visits from a place in the hour that begins at `at`. */
const pull = (place: Place, at: number): number => {
  const local = new Date(at + place.offsetHours * hour);
  return place.share * (byHour[local.getUTCHours()] ?? 1) * (byWeekday[local.getUTCDay()] ?? 1);
};

/** A weight for each hour of the range; a partial hour at the end weighs proportionally less. */
function hourWeights(random: Random, from: number, to: number): Float64Array {
  const weights = new Float64Array(Math.ceil((to - from) / hour));
  let mood = 1;
  for (let index = 0; index < weights.length; index++) {
    const at = from + index * hour;
    if (index % 24 === 0) mood = Math.exp(random.normal(0, 0.13)) * (random.chance(0.04) ? 1.7 : 1);
    const part = Math.min(1, (to - at) / hour);
    const growth = 1 + (0.3 * (at - from)) / Math.max(day, to - from);
    const total = places.reduce((sum, place) => sum + pull(place, at), 0);
    weights[index] = total * mood * growth * part * Math.exp(random.normal(0, 0.2));
  }
  return weights;
}

/**
 * Exactly `count` openings between `from` and `to` (Unix milliseconds, `from` included), in order of time: more in the
 * evening and at the weekend of their place, growing a little over the range, with better and worse days.
 */
export function* arrivals(random: Random, from: number, to: number, count: number): Generator<Arrival> {
  if (to <= from) return;
  const weights = hourWeights(random, from, to);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  // One random offset and running totals: hours get integers that add up to `count`, without rounding quiet hours to
  // nothing.
  const offset = random.next();
  let [sum, placed] = [0, 0];
  for (const [index, weight] of weights.entries()) {
    sum += weight;
    const due = index === weights.length - 1 ? count : Math.min(count, Math.floor((sum / total) * count + offset));
    const begins = from + index * hour;
    const length = Math.min(hour, to - begins);
    const times = Array.from({ length: due - placed }, () => begins + Math.floor(random.next() * length));
    placed = Math.max(placed, due);
    for (const at of times.sort((a, b) => a - b)) {
      yield { at, place: random.weighted(places, (place) => pull(place, at)) };
    }
  }
}
