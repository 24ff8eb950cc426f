/**
 * Seeded random numbers for the demo shop: the same seed gives the same shoppers on every machine. The generator is
 * sfc32 (Chris Doty-Humphrey's small fast counting generator, 128 bits of state), seeded from text through a 128-bit
 * FNV-like mix. Use it for content only, never for secrets.
 */
export interface Random {
  /** in [0, 1) with 32 random bits */
  next(): number;
  /** an integer from `min` to `max`, both included */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  /** one of `items`, which must not be empty */
  pick<T>(items: readonly T[]): T;
  /** one of `items`, with a probability proportional to its weight; at least one weight must be above 0 */
  weighted<T>(items: readonly T[], weight: (item: T) => number): T;
  normal(mean: number, deviation: number): number;
  /** right-skewed, like durations of people's actions; `median` in the unit of the result, `spread` of the logarithm */
  logNormal(median: number, spread: number): number;
  /** lowercase hexadecimal, a multiple of 8 characters */
  hex(characters: number): string;
  /** an independent stream that depends on this one's seed and the label, not on how many numbers were drawn */
  fork(label: string | number): Random;
}

type State = [number, number, number, number];

/** Four 32-bit words, each of which depends on every character of `text`. */
const mix = (text: string): State => {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ code, 0x252b5f3d);
    b = c ^ Math.imul(b ^ code, 0xa18f1b4f);
    c = d ^ Math.imul(c ^ code, 0x38b34ae5);
    d = a ^ Math.imul(d ^ code, 0x2c9277b5);
  }
  return [a | 0, b | 0, c | 0, d | 0];
};

const words = (state: State): (() => number) => {
  let [a, b, c, d] = state;
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  // The first numbers still resemble the seed.
  for (let round = 0; round < 12; round++) next();
  return next;
};

export const createRandom = (seed: string | number): Random => {
  const word = words(mix(String(seed)));
  const next = () => word() / 4_294_967_296;
  const normal = (mean: number, deviation: number) =>
    mean + deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const at = <T>(items: readonly T[], index: number): T => {
    if (index < 0 || index >= items.length) throw new RangeError("nothing to choose from");
    return items[index] as T;
  };
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => at(items, Math.floor(next() * items.length)),
    weighted: (items, weight) => {
      let left = next() * items.reduce((sum, item) => sum + weight(item), 0);
      const index = items.findIndex((item) => {
        left -= weight(item);
        return left < 0;
      });
      return at(items, index === -1 ? items.findLastIndex((item) => weight(item) > 0) : index);
    },
    normal,
    logNormal: (median, spread) => median * Math.exp(normal(0, spread)),
    hex: (characters) => {
      let text = "";
      while (text.length < characters) text += word().toString(16).padStart(8, "0");
      return text.slice(0, characters);
    },
    fork: (label) => createRandom(`${seed}/${label}`),
  };
};

/** A UUID in the form of version 4. */
export const uuid = (random: Random): string => {
  const digits = random.hex(32);
  const variant = "89ab"[random.int(0, 3)] ?? "8";
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
};
